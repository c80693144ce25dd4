import { DASHES, INVISIBLE } from '@signalman/runtime'

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

const ANY_DASH = new RegExp(`[${DASHES}]`, 'gu')
const UNSEEN = new RegExp(`[\\u00a0${INVISIBLE}]`, 'gu')

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
    .replace(ANY_DASH, '-')
    .replace(/\\\//g, '/')
    .replace(/\\[rn]/g, '\n')
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, '')
    .replace(UNSEEN, ' ')

const findRuns = (text: string, pattern: RegExp): readonly string[] => text.match(pattern) ?? []

/** Decodes the run and searches it. Tries each offset, because a group of characters may start at any of them. */
const containsKeyEncoded = (run: string, encoding: 'hex' | 'base64', groupLength: number): boolean =>
  Array.from({ length: groupLength }, (_, offset) => Buffer.from(run.slice(offset), encoding)).some(
    (bytes) => hasMarker(bytes.toString('latin1')) || containsKeyBytes(bytes),
  )

/** Bytes as text, one character for each, so that the beginnings of keys can be written as patterns. */
const bytes = (hex: string): string => hex.replace(/../g, '\\x$&')
const oneOf = (...hex: readonly string[]): string => `(?:${hex.map(bytes).join('|')})`

/** The tag of a DER sequence or integer, and a length that a key can have. */
const SEQUENCE = '\\x30(?:[\\0-\\x7f]|\\x81[^]|\\x82[^]{2}|\\x83[^]{3})'
const LONG_INTEGER = '\\x02(?:[\\x40\\x41]|\\x81[^]|\\x82[^]{2})'
const version = (...digits: readonly number[]): string =>
  `\\x02\\x01[${digits.map((digit) => `\\x0${digit}`).join('')}]`
/** Algorithms of keys: RSA, RSA-PSS, Diffie-Hellman, DSA, elliptic curves, X25519, X448, Ed25519, Ed448, those of NIST since 2024, and of GOST. */
const KEY_ALGORITHM = oneOf(
  ...['2a864886f70d010101', '2a864886f70d01010a', '2a864886f70d010301', '2a8648ce380401', '2a8648ce3d0201'],
  ...['2b656e', '2b656f', '2b6570', '2b6571', '6086480165030403', '6086480165030404'],
  ...['2a8648ce3e0201', '2a850307010101', '2a8503020213'],
)
/** Encryption by PKCS #5 and PKCS #12, and the content of a PKCS #12 file (RFC 8018, RFC 7292). */
const ENCRYPTION = oneOf('2a864886f70d0105', '2a864886f70d010c01')
const PKCS12_DATA = bytes('2a864886f70d0107')

/** The beginnings of keys in DER, and two recognizable middles. */
const BEGINNINGS = new RegExp(
  [
    // PKCS #8 (RFC 5958), plain and encrypted.
    `${SEQUENCE}${version(0, 1)}${SEQUENCE}\\x06[^]${KEY_ALGORITHM}`,
    `${SEQUENCE}${SEQUENCE}\\x06[^]${ENCRYPTION}`,
    // PKCS #12.
    `${SEQUENCE}${version(3)}${SEQUENCE}\\x06[^]${PKCS12_DATA}`,
    // PKCS #1 (RFC 8017), and the older form for DSA.
    `${SEQUENCE}${version(0, 1)}${LONG_INTEGER}`,
    // SEC 1 (RFC 5915), and the public half at its end: its tag, a bit string, and an uncompressed point.
    `${SEQUENCE}${version(1)}\\x04[\\x1c-\\x4f]`,
    oneOf('a14403420004', 'a16403620004', 'a181890381860004'),
    // A Java key store.
    oneOf('feedfeed00000001', 'feedfeed00000002'),
  ].join('|'),
)

/** Whether the bytes contain the beginning of a private key in DER, or a recognizable middle of one. */
function containsKeyBytes(bytes: Buffer): boolean {
  if (BEGINNINGS.test(bytes.toString('latin1'))) return true
  for (let at = bytes.indexOf(INTEGER); at >= 0; at = bytes.indexOf(INTEGER, at + 1))
    if (startsRsaIntegers(bytes, at)) return true
  return false
}

const INTEGER = 0x02

/** Where the content of an element starts, and where it ends. Undefined if its length is impossible for a key. */
function readElement(bytes: Buffer, at: number): { start: number; end: number } | undefined {
  const first = bytes[at + 1] ?? 0xff
  const size = first < 0x80 ? 0 : first & 0x7f
  const start = at + 2 + size
  if (first === 0x80 || size > 3 || start > bytes.length) return undefined
  return { start, end: start + (size === 0 ? first : bytes.readUIntBE(at + 2, size)) }
}

/**
 * An RSA key has five long integers in a row. A request or certificate with a signature by an elliptic curve key ends in two, and by
 * chance, bytes before them look like a third.
 */
const REQUIRED_INTEGERS = 3
const MIN_INTEGER_BYTES = 48

function startsRsaIntegers(bytes: Buffer, from: number): boolean {
  const ends = [from]
  while (ends.length <= REQUIRED_INTEGERS) {
    const at = ends.at(-1) ?? from
    const { start, end } = readElement(bytes, at) ?? { start: 0, end: 0 }
    if (bytes[at] !== INTEGER || end - start < MIN_INTEGER_BYTES || end > bytes.length) return false
    if (!isPositive(bytes, start)) return false
    ends.push(end)
  }
  const [, second = 0, , last = 0] = ends
  // Alone in a sequence, as those of a signature are (RFC 3279).
  return ![second - 2, second - 3].some((at) => bytes[at] === 0x30 && readElement(bytes, at)?.end === last)
}

/** DER has a leading zero only if the number would be negative without it. */
const isPositive = (bytes: Buffer, start: number): boolean => {
  const [first = 0, second = 0] = [bytes[start], bytes[start + 1]]
  return first === 0 ? second >= 0x80 : first < 0x80
}
