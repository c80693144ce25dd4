import { DASHES, INVISIBLE } from '@signalman/runtime'

/** The warning for a person who sent a private key. It never repeats the key. */
export const LEAKED_KEY_WARNING =
  'This is a private key. Signalman didn’t store it or send it to the service, but it has left your machine, so treat it as leaked: anyone who has read it can impersonate your server. Don’t use it, revoke all of its certificates, and delete it from Slack if it’s in a message or a file.'

/** Every part of a key, and every marker, has at least this many characters. */
const MIN_LENGTH = 14

/** Text that only files with private keys have. A key without its beginning can still be recognized by its end marker. */
const MARKER =
  /-\s?(?:BEGIN|END)[ \w]{0,60}PRIVATE[ _]KEY|\b(?:BEGIN|END)[ \w]{0,60}PRIVATE[ _]KEY(?: BLOCK)?\s?-|PuTTY-User-Key-File|Private-Lines:|openssh-key-v1/i

/**
 * Whether a text contains a private key as tools write it, in PEM or as the base64 of it or of DER: complete, cut off at the end, without its
 * markers or line breaks, or quoted. Takes linear time, because each step scans the text once.
 */
export function containsPrivateKey(text: string): boolean {
  if (text.length < MIN_LENGTH) return false
  const plain = removeEncodings(text)
  const base64 = plain
    .replace(/["'“”`,|]?\s+["'“”`|]?/g, '')
    .replace(/[-_]/g, (sign) => (sign === '-' ? '+' : '/'))
  return MARKER.test(plain) || (base64.match(/[A-Za-z0-9+/]{16,}/g) ?? []).some(containsKeyInBase64)
}

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

/** Decodes the run and searches it. Tries each offset, because a group of four characters may start at any of them. */
const containsKeyInBase64 = (run: string): boolean =>
  [0, 1, 2, 3].some((offset) => {
    const bytes = Buffer.from(run.slice(offset), 'base64').toString('latin1')
    return MARKER.test(bytes) || BEGINNING.test(bytes)
  })

/** Bytes as text, one character for each, so that the beginnings of keys can be written as patterns. */
const oneOf = (...hex: readonly string[]): string =>
  `(?:${hex.map((each) => each.replace(/../g, '\\x$&')).join('|')})`

/** The tag of a DER sequence or integer, and a length that a key can have. */
const SEQUENCE = '\\x30(?:[\\0-\\x7f]|\\x81[^]|\\x82[^]{2}|\\x83[^]{3})'
const LONG_INTEGER = '\\x02(?:[\\x40\\x41]|\\x81[^]|\\x82[^]{2})'
/** RSA, RSA-PSS, elliptic curves, and X25519, X448, Ed25519, Ed448. */
const KEY_ALGORITHM = oneOf(
  '2a864886f70d010101',
  '2a864886f70d01010a',
  '2a8648ce3d0201',
  '2b656e',
  '2b656f',
  '2b6570',
  '2b6571',
)
const ENCRYPTION = oneOf('2a864886f70d0105', '2a864886f70d010c01')

/** The beginning of a private key in DER. */
const BEGINNING = new RegExp(
  [
    // PKCS #8 (RFC 5958), plain and encrypted.
    `${SEQUENCE}\\x02\\x01[\\x00\\x01]${SEQUENCE}\\x06[^]${KEY_ALGORITHM}`,
    `${SEQUENCE}${SEQUENCE}\\x06[^]${ENCRYPTION}`,
    // PKCS #1 (RFC 8017), and SEC 1 (RFC 5915).
    `${SEQUENCE}\\x02\\x01[\\x00\\x01]${LONG_INTEGER}`,
    `${SEQUENCE}\\x02\\x01\\x01\\x04[\\x1c-\\x4f]`,
  ].join('|'),
)
