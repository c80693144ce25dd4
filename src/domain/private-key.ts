/** The warning for a person who sent a private key. It never repeats the key. */
export const LEAKED_KEY_WARNING =
  'This is a private key. Signalman didn’t store it or send it to the service, but it has left your machine, so treat it as leaked: anyone who has read it can impersonate your server. Don’t use it, revoke all of its certificates, and delete it from Slack if it’s in a message or a file.'

/** Every part of a key, and every marker, has at least this many characters. */
const MIN_LENGTH = 14

/** Markers of private keys in the formats of all tools. A key without its beginning can still be recognized by its end marker. */
const MARKERS = [
  /-\s?(?:BEGIN|END)[ \w]{0,60}PRIVATE[ _]KEY/i,
  /\b(?:BEGIN|END)[ \w]{0,60}PRIVATE[ _]KEY(?: BLOCK)?\s?-/i,
  /PuTTY-User-Key-File|Private-Lines:/i,
  /openssh-key-v1/,
  /AGE-SECRET-KEY-1/i,
  /\bPrivateKey\s{0,9}=\s{0,9}[A-Za-z0-9+/]{43}=/,
  // The output of `openssl pkey -text`.
  /\b(?:privateExponent|prime1|coefficient):\s/,
  /\bpriv:\s{1,20}[0-9a-f]{2}:[0-9a-f]{2}:/i,
  /<(?:P|D|InverseQ)>[A-Za-z0-9+/=\s]{40}/,
]

/** A member that only private JSON Web Keys have, and a member of any JSON Web Key, with any quotation marks or none. */
const JWK_PRIVATE = /(?<![A-Za-z0-9_])["'“”]?(?:d|dp|dq|qi|k)["'“”]?\s{0,9}:\s{0,9}["'“”]?[A-Za-z0-9_-]{20}/
const JWK = /(?<![A-Za-z0-9_])["'“”]?(?:kty|crv|n|e|x|y|p|q|dp|dq|alg)["'“”]?\s{0,9}:\s{0,9}["'“”]/

/**
 * Whether a text contains a private key in any form that people paste: complete, cut off at either end, without line breaks, or
 * encoded once more. Takes linear time, because each step scans the text once.
 */
export function containsPrivateKey(text: string): boolean {
  if (text.length < MIN_LENGTH) return false
  const plain = removeEncodings(text)
  const hex = plain.replace(/\\x|0x|[\s:,]+/g, '')
  const base64 = plain
    .replace(/["'“”`,|]?\s+["'“”`|]?/g, '')
    .replace(/[-_]/g, (sign) => (sign === '-' ? '+' : '/'))
  return (
    hasMarker(plain) ||
    findRuns(hex, /[0-9a-f]{32,}/gi).some((run) => containsKeyEncoded(run, 'hex', 2)) ||
    findRuns(base64, /[A-Za-z0-9+/]{16,}/g).some((run) => containsKeyEncoded(run, 'base64', 4))
  )
}

const hasMarker = (text: string): boolean =>
  MARKERS.some((marker) => marker.test(text)) || (JWK_PRIVATE.test(text) && JWK.test(text))

/**
 * Reverts what other programs do to a key: phones turn hyphens into long dashes, mail programs prefix lines with `>`, URLs and
 * JSON escape characters, and Windows writes two bytes per character.
 */
const removeEncodings = (text: string): string =>
  text
    .replace(/\0/g, '')
    .replace(/%(2[BbFf]|3[Dd]|0[AaDd]|20|2[Dd])/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\\\//g, '/')
    .replace(/\\[rn]/g, '\n')
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, '')
    .replace(/[\u00a0\u200b-\u200d\u2060\ufeff]/g, ' ')

const findRuns = (text: string, pattern: RegExp): readonly string[] => text.match(pattern) ?? []

/** Decodes the run and searches it. Tries each offset, because a group of characters may start at any of them. */
const containsKeyEncoded = (run: string, encoding: 'hex' | 'base64', groupLength: number): boolean =>
  Array.from({ length: groupLength }, (_, offset) => Buffer.from(run.slice(offset), encoding)).some(
    (bytes) => hasMarker(bytes.toString('latin1')) || containsKeyBytes(bytes),
  )

const SEQUENCE = 0x30
const INTEGER = 0x02
const OCTETS = 0x04
const OBJECT_ID = 0x06

/** The first bytes of a Java key store. */
const KEY_STORES = [Buffer.from('feedfeed00000001', 'hex'), Buffer.from('feedfeed00000002', 'hex')]
/** Object IDs of encryption by PKCS #5 and PKCS #12, and of the content of a PKCS #12 file (RFC 8018, RFC 7292). */
const ENCRYPTED = [Buffer.from('2a864886f70d0105', 'hex'), Buffer.from('2a864886f70d010c01', 'hex')]
const PKCS12_DATA = Buffer.from('2a864886f70d0107', 'hex')
/** The public half at the end of an elliptic curve key (RFC 5915): its tag, a bit string, and an uncompressed point. */
const CURVE_ENDS = [
  Buffer.from('a14403420004', 'hex'),
  Buffer.from('a16403620004', 'hex'),
  Buffer.from('a181890381860004', 'hex'),
]

/** Whether the bytes contain the beginning of a private key in DER, or a recognizable middle of one. */
function containsKeyBytes(bytes: Buffer): boolean {
  if ([...KEY_STORES, ...CURVE_ENDS].some((known) => bytes.includes(known))) return true
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === SEQUENCE ? startsKey(bytes, at) : byte === INTEGER && startsRsaIntegers(bytes, at))
      return true
  }
  return false
}

/** Whether the sequence at this position starts a private key. Looks only at its beginning, because the rest may be cut off. */
function startsKey(bytes: Buffer, at: number): boolean {
  const inner = contentAt(bytes, at)
  if (inner === undefined) return false
  if (bytes[inner] === SEQUENCE) {
    const objectId = objectIdAt(bytes, inner)
    return ENCRYPTED.some((id) => objectId?.subarray(0, id.length).equals(id))
  }
  if (bytes[inner] !== INTEGER || bytes[inner + 1] !== 1) return false
  const version = bytes[inner + 2] ?? 0
  const next = inner + 3
  const tag = bytes[next]
  const size = bytes[next + 1] ?? 0
  // PKCS #12: the content of the file.
  if (version === 3)
    return tag === SEQUENCE && objectIdAt(bytes, next)?.subarray(0, 8).equals(PKCS12_DATA) === true
  // PKCS #1, and the older form for DSA: an integer of 64 bytes, 65 bytes, or at least 128 bytes (RFC 8017).
  if (version < 2 && tag === INTEGER) return size === 0x81 || size === 0x82 || size === 0x41 || size === 0x40
  // SEC 1: a private number of 28 to 79 bytes (RFC 5915).
  if (version === 1 && tag === OCTETS) return size >= 0x1c && size < 0x50
  return version < 2 && tag === SEQUENCE && isPkcs8(bytes, next)
}

/**
 * PKCS #8 (RFC 5958): the key is in an octet string after the algorithm. Explicit elliptic curve parameters and certificate
 * revocation lists start the same way but continue differently.
 */
function isPkcs8(bytes: Buffer, algorithm: number): boolean {
  if (objectIdAt(bytes, algorithm) === undefined) return false
  const end = endAt(bytes, algorithm)
  return end === undefined || end >= bytes.length || bytes[end] === OCTETS
}

/** The object ID at the start of a sequence. It may be cut off. */
function objectIdAt(bytes: Buffer, sequence: number): Buffer | undefined {
  const at = contentAt(bytes, sequence)
  if (at === undefined || bytes[at] !== OBJECT_ID) return undefined
  return bytes.subarray(at + 2, at + 2 + (bytes[at + 1] ?? 0))
}

/** Where the content of an element starts; undefined if its length is impossible for a key. */
function contentAt(bytes: Buffer, at: number): number | undefined {
  const first = bytes[at + 1] ?? 0xff
  if (first < 0x80) return at + 2
  return first <= 0x83 && first > 0x80 ? at + 2 + (first & 0x7f) : undefined
}

/** Where an element ends. */
function endAt(bytes: Buffer, at: number): number | undefined {
  const start = contentAt(bytes, at)
  if (start === undefined || start > bytes.length) return undefined
  return start + (start === at + 2 ? (bytes[at + 1] ?? 0) : bytes.readUIntBE(at + 2, start - at - 2))
}

/**
 * An RSA key has five long integers in a row. A request or certificate with a signature by an elliptic curve key ends in two, and by
 * chance, bytes before them look like a third.
 */
const REQUIRED_INTEGERS = 3
const MIN_INTEGER_BYTES = 48

function startsRsaIntegers(bytes: Buffer, from: number): boolean {
  let at = from
  let second: number | undefined
  for (let found = 0; found < REQUIRED_INTEGERS; found += 1) {
    const start = contentAt(bytes, at)
    const end = endAt(bytes, at)
    if (bytes[at] !== INTEGER || start === undefined || end === undefined) return false
    if (end - start < MIN_INTEGER_BYTES || end > bytes.length || !isPositive(bytes, start)) return false
    at = end
    second ??= end
  }
  return second === undefined || !isSignature(bytes, second, at)
}

/** Whether these integers are alone in a sequence, as those of a signature are (RFC 3279). */
const isSignature = (bytes: Buffer, start: number, end: number): boolean =>
  [start - 2, start - 3].some((at) => bytes[at] === SEQUENCE && endAt(bytes, at) === end)

/** DER has a leading zero only if the number would be negative without it. */
const isPositive = (bytes: Buffer, start: number): boolean => {
  const [first = 0, second = 0] = [bytes[start], bytes[start + 1]]
  return first === 0 ? second >= 0x80 : first < 0x80
}
