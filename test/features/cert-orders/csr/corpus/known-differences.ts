/** A field of a CSR that the corpus test compares with openssl's output. */
export type Field = 'subject' | 'key' | 'signature' | 'names' | 'extensions'

interface KnownDifference {
  /** The name of the request in the corpus. */
  request: string | RegExp
  fields: readonly Field[]
  reason: string
}

const ALL: readonly Field[] = ['subject', 'key', 'signature', 'names']

/** Requests that this app shows differently from openssl, and why. The test fails if one of them no longer differs. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    request:
      /^a common name (?:in a VisibleString|in broken UTF-8|with half a surrogate pair|in an octet string)$/,
    fields: ALL,
    reason:
      'openssl rejects the whole request because of the encoding of its name. This app shows the name with a warning, as bytes if it isn’t text.',
  },
  {
    request: 'a common name of an unknown type',
    fields: ['subject'],
    reason: 'This app shows the text, and openssl shows the bytes.',
  },
  {
    request: /^subjectAltName=IP:::ffff/,
    fields: ['names'],
    reason: 'The same address: openssl 3.0 prints it as hexadecimal groups, and Node with dots.',
  },
  {
    request: /RID:/,
    fields: ['names'],
    reason: 'openssl and this app have names for different object identifiers.',
  },
  {
    request: /^(?:1\.2\.3\.4\.5\.[67]=)/,
    fields: ['extensions'],
    reason: 'openssl prints names for these examples. This app shows the number.',
  },
  {
    request: /^many extensions$/,
    fields: ['extensions'],
    reason: 'One of them is an example that openssl has a name for.',
  },
  {
    request: 'alternative names: bytes that aren’t UTF-8',
    fields: ['names'],
    reason:
      'openssl prints the raw byte, which isn’t valid text. This app shows it as a Latin-1 letter, and says that it isn’t a host name.',
  },
  {
    request: 'alternative names: spaces',
    fields: ['names'],
    reason: 'The trailing space can’t be told apart from the end of openssl’s line.',
  },
  {
    request: 'alternative names: a comma',
    fields: ['names'],
    reason:
      'openssl prints this name as if it were two. This app shows one, and says that it isn’t a host name.',
  },
  {
    request: /^alternative names: (?:an address|a network) of \d+ bytes$/,
    fields: ['names'],
    reason: 'openssl only says that the length is wrong. This app also shows the bytes.',
  },
  {
    request: 'alternative names: X.400',
    fields: ['names'],
    reason: 'openssl doesn’t show it. This app shows the bytes.',
  },
  {
    request: 'alternative names: EDI',
    fields: ['names'],
    reason: 'openssl doesn’t show it. This app shows the bytes.',
  },
  {
    request: 'alternative names: a directory name',
    fields: ['names'],
    reason: 'openssl prints the parts of the name with other separators.',
  },
  {
    request: 'alternative names: an empty list',
    fields: ['names'],
    reason: 'openssl prints an empty line for no names.',
  },
  {
    request: /^(?:two extension requests|both kinds of extension request)$/,
    fields: ['names'],
    reason:
      'openssl only reads the first extension request. A service may read any, so this app shows all of them with a warning.',
  },
  {
    request: 'ed25519',
    fields: ['key', 'signature'],
    reason: 'openssl prints these names in capitals.',
  },
  {
    request: /^subjectAltName=otherName:/,
    fields: ['names'],
    reason: 'openssl prints the kind and the value with other separators.',
  },
  {
    request: /^broken (?:basic constraints|key usage)$/,
    fields: ['extensions'],
    reason: 'This app shows a malformed value in hexadecimal, and openssl as text.',
  },
]

export const findKnownDifference = (name: string): KnownDifference | undefined =>
  KNOWN_DIFFERENCES.find(({ request }) =>
    typeof request === 'string' ? request === name : request.test(name),
  )

/** Requests that openssl accepts and this app rejects, with the error that it shows. */
export const REJECTED: readonly { request: string; error: string; isUnverified?: true }[] = [
  { request: 'a common name with a NUL', error: 'A name in this request contains a NUL' },
  { request: 'rsa:1024', error: 'has 1024 bits, which is too weak' },
  ...['secp256k1', 'brainpoolP256r1', 'secp224r1', 'ed448'].map((request) => ({
    request,
    error: 'isn’t supported',
  })),
  { request: 'RSA -md5', error: 'signed with MD5' },
  { request: 'RSA -sha1', error: 'signed with SHA-1' },
  ...['RSA -ripemd160', 'RSA -sha224', 'RSA -sha3-256', 'P-256 -sha224', 'RSA-PSS', 'RSA-PSS, SHA-1'].map(
    (request) => ({
      request,
      error: 'signed in a way that can’t be checked here',
    }),
  ),
  // openssl 3.0 creates these but can't verify them.
  ...['RSA -sha512-256', 'P-256 -sha3-256'].map((request) => ({
    request,
    error: 'signed in a way that can’t be checked here',
    isUnverified: true as const,
  })),
  { request: 'P-256 -sha1', error: 'signed with SHA-1' },
  { request: 'alternative names: a NUL', error: 'contains a NUL' },
  { request: 'one attribute with two values', error: 'lists its names in several places' },
]
