export type Field = 'subject' | 'key' | 'signature' | 'names' | 'extensions'

interface Explained {
  what: string | RegExp
  fields: readonly Field[]
  why: string
}

const ALL: readonly Field[] = ['subject', 'key', 'signature', 'names']

/** Where this app describes a request differently from openssl, and why. Each row must be true. */
export const EXPLAINED: readonly Explained[] = [
  {
    what: /^(?:RSA -sha512-256|P-256 -sha3-256)$/,
    fields: ALL,
    why: 'openssl 3.0 makes but does not verify these, and prints nothing then; node:crypto verifies them. A warning says that they are unusual.',
  },
  {
    what: /^a common name (?:in Visible|in broken UTF-8|with half of a letter|in an octet string)$/,
    fields: ALL,
    why: 'openssl refuses the whole request for the encoding of its name; here it is shown, byte by byte where it is no text, with a warning.',
  },
  {
    what: 'a common name of an unknown type',
    fields: ['subject'],
    why: 'Its text is shown, where openssl shows the bytes of it.',
  },
  {
    what: /^subjectAltName=IP:::ffff/,
    fields: ['names'],
    why: 'The same address; openssl 3.0 writes the groups, and Node the dots.',
  },
  {
    what: /RID:/,
    fields: ['names'],
    why: 'openssl has a name for this object identifier; the number is shown here.',
  },
  {
    what: /^(?:1\.2\.3\.4\.5\.[67]=)/,
    fields: ['extensions'],
    why: 'openssl has names of its own for these examples; the number is shown here.',
  },
  {
    what: 'tlsfeature=99',
    fields: ['extensions'],
    why: 'openssl prints nothing of a feature that it does not know; the number is shown here.',
  },
  {
    what: /^many extensions$/,
    fields: ['extensions'],
    why: 'One of them is an example for which openssl has a name of its own.',
  },
  {
    what: 'alternative names: bytes that are no UTF-8',
    fields: ['names'],
    why: 'openssl prints the byte as it is, which is no text; here it is the letter of that number, and no host name.',
  },
  {
    what: 'alternative names: spaces',
    fields: ['names'],
    why: 'The space at its end cannot be told from the end of openssl’s line.',
  },
  {
    what: 'alternative names: a comma',
    fields: ['names'],
    why: 'One name, that openssl prints as if it were two; here it is one, and no host name.',
  },
  {
    what: /^alternative names: (?:an address|a network) of \d+ bytes$/,
    fields: ['names'],
    why: 'openssl says that the length is wrong; here the bytes are shown too.',
  },
  {
    what: 'alternative names: X.400',
    fields: ['names'],
    why: 'openssl does not show it; here its bytes are shown.',
  },
  {
    what: 'alternative names: EDI',
    fields: ['names'],
    why: 'openssl does not show it; here its bytes are shown.',
  },
  {
    what: 'alternative names: a directory name',
    fields: ['names'],
    why: 'openssl writes directory names with slashes here, and with commas everywhere else.',
  },
  { what: 'alternative names: none', fields: ['names'], why: 'openssl prints an empty line for no names.' },
  {
    what: /^(?:two requests for extensions|both requests)$/,
    fields: ['names'],
    why: 'openssl looks at the first request for extensions alone; a service may look at any, so all are shown, with a warning.',
  },
  {
    what: 'ed25519',
    fields: ['key', 'signature'],
    why: 'openssl writes these names in capitals.',
  },
  {
    what: 'subjectAltName=otherName:1.2.3.4;UTF8:x',
    fields: ['names'],
    why: 'openssl writes othername, without a space.',
  },
  {
    what: /^broken (?:basic constraints|key usage)$/,
    fields: ['extensions'],
    why: 'What is not in its form is shown in hexadecimal here, and as letters there.',
  },
]

export const explained = (what: string): Explained | undefined =>
  EXPLAINED.find((one) => (typeof one.what === 'string' ? one.what === what : one.what.test(what)))

/** Requests that openssl accepts and this app refuses, each for its own reason, and never as malformed. */
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
