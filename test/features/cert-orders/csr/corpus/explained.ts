export type Field = 'subject' | 'key' | 'signature' | 'names' | 'extensions'

interface Explained {
  what: string | RegExp
  fields: readonly Field[]
  why: string
}

const ALL: readonly Field[] = ['subject', 'key', 'signature', 'names']

/** Requests that this app describes differently from openssl, with the reason. The test fails for a row without a difference. */
export const EXPLAINED: readonly Explained[] = [
  {
    what: /^(?:RSA -sha512-256|P-256 -sha3-256)$/,
    fields: ALL,
    why: 'openssl 3.0 creates these but can’t verify them, and then prints nothing. node:crypto verifies them. A warning says that they are unusual.',
  },
  {
    what: /^a common name (?:in Visible|in broken UTF-8|with half of a letter|in an octet string)$/,
    fields: ALL,
    why: 'openssl rejects the whole request because of the encoding of its name. This app shows the name with a warning, as bytes if it isn’t text.',
  },
  {
    what: 'a common name of an unknown type',
    fields: ['subject'],
    why: 'This app shows the text, and openssl shows the bytes.',
  },
  {
    what: /^subjectAltName=IP:::ffff/,
    fields: ['names'],
    why: 'The same address: openssl 3.0 prints it as hexadecimal groups, and Node with dots.',
  },
  {
    what: /RID:/,
    fields: ['names'],
    why: 'openssl has a name for this object identifier. This app shows the number.',
  },
  {
    what: /^(?:1\.2\.3\.4\.5\.[67]=)/,
    fields: ['extensions'],
    why: 'openssl prints names for these examples. This app shows the number.',
  },
  {
    what: 'tlsfeature=99',
    fields: ['extensions'],
    why: 'openssl prints nothing for an unknown feature. This app shows the number.',
  },
  {
    what: /^many extensions$/,
    fields: ['extensions'],
    why: 'One of them is an example that openssl has a name for.',
  },
  {
    what: 'alternative names: bytes that aren’t UTF-8',
    fields: ['names'],
    why: 'openssl prints the raw byte, which isn’t valid text. This app shows it as a Latin-1 letter, and says that it isn’t a host name.',
  },
  {
    what: 'alternative names: spaces',
    fields: ['names'],
    why: 'The trailing space can’t be told apart from the end of openssl’s line.',
  },
  {
    what: 'alternative names: a comma',
    fields: ['names'],
    why: 'openssl prints this name as if it were two. This app shows one, and says that it isn’t a host name.',
  },
  {
    what: /^alternative names: (?:an address|a network) of \d+ bytes$/,
    fields: ['names'],
    why: 'openssl only says that the length is wrong. This app also shows the bytes.',
  },
  {
    what: 'alternative names: X.400',
    fields: ['names'],
    why: 'openssl doesn’t show it. This app shows the bytes.',
  },
  {
    what: 'alternative names: EDI',
    fields: ['names'],
    why: 'openssl doesn’t show it. This app shows the bytes.',
  },
  {
    what: 'alternative names: a directory name',
    fields: ['names'],
    why: 'openssl prints directory names with slashes here, and with commas everywhere else.',
  },
  { what: 'alternative names: none', fields: ['names'], why: 'openssl prints an empty line for no names.' },
  {
    what: /^(?:two requests for extensions|both requests)$/,
    fields: ['names'],
    why: 'openssl only reads the first extension request. A service may read any, so this app shows all of them with a warning.',
  },
  {
    what: 'ed25519',
    fields: ['key', 'signature'],
    why: 'openssl prints these names in capitals.',
  },
  {
    what: 'subjectAltName=otherName:1.2.3.4;UTF8:x',
    fields: ['names'],
    why: 'openssl prints “othername” without a space.',
  },
  {
    what: /^broken (?:basic constraints|key usage)$/,
    fields: ['extensions'],
    why: 'This app shows a malformed value in hexadecimal, and openssl as text.',
  },
]

export const findExplanation = (what: string): Explained | undefined =>
  EXPLAINED.find((one) => (typeof one.what === 'string' ? one.what === what : one.what.test(what)))

/** Requests that openssl accepts and this app refuses, with the reason. */
export const REFUSED: readonly { what: string; says: string }[] = [
  { what: 'a common name with a NUL', says: 'A name in this request contains a NUL' },
  { what: 'rsa:1024', says: 'has 1024 bits, which is too weak' },
  ...['secp256k1', 'brainpoolP256r1', 'secp224r1', 'ed448'].map((what) => ({
    what,
    says: 'isn’t supported',
  })),
  { what: 'RSA -md5', says: 'signed with MD5' },
  { what: 'RSA -sha1', says: 'signed with SHA-1' },
  { what: 'RSA -ripemd160', says: 'signed with RIPEMD-160' },
  { what: 'P-256 -sha1', says: 'signed with SHA-1' },
  { what: 'RSA-PSS, SHA-1', says: 'signed with SHA-1' },
  { what: 'alternative names: a NUL', says: 'contains a NUL' },
  { what: 'one attribute of two values', says: 'lists its names in several places' },
]
