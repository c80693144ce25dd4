/** The length behind a DER tag, in hexadecimal. */
const LENGTH = '(?:8[1-3](?:[0-9a-f]{2}){1,3}|[0-7][0-9a-f])'
/** How the DER of a private key begins: RFC 8017, RFC 5958, RFC 5915, RFC 8018, RFC 7292. */
const BEGINNINGS = [
  // PKCS #1 and the older form for DSA: a version, then a long integer.
  `30${LENGTH}02010[01]02(?:8[12]|4[01])`,
  // PKCS #8: a version, then an algorithm.
  `30${LENGTH}02010[01]30${LENGTH}06`,
  // SEC 1: a version, then the number itself.
  `30${LENGTH}02010104(?:1[c-f]|[2-4][0-9a-f])`,
  // Encrypted PKCS #8, by PKCS #5 or PKCS #12.
  `30${LENGTH}30${LENGTH}06(?:092a864886f70d0105|0a2a864886f70d010c01)`,
  // PKCS #12.
  `30${LENGTH}02010330${LENGTH}06092a864886f70d0107`,
  // A Java key store.
  'feedfeed0000000[12]',
].join('|')
export const BEGINS = new RegExp(`^(?:${BEGINNINGS})`)
export const HOLDS_HEX = new RegExp(`(?:${BEGINNINGS})[0-9a-f]{16}`)

/** No request and no certificate has three such numbers in a row; an RSA key has five. */
const MOST_NUMBERS = 3
const LEAST_BYTES = 48
/** The public half at the end of an elliptic curve's key (RFC 5915): its own tag, a bit string, an uncompressed point. */
const CURVE_ENDS = [
  Buffer.from('a14403420004', 'hex'),
  Buffer.from('a16403620004', 'hex'),
  Buffer.from('a181890381860004', 'hex'),
]

/** True for the middle of a key whose beginning is gone. */
export const holdsMiddle = (bytes: Buffer): boolean =>
  CURVE_ENDS.some((end) => bytes.includes(end)) || holdsNumbers(bytes)

function holdsNumbers(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(0x02); at !== -1; at = bytes.indexOf(0x02, at + 1)) {
    let end: number | undefined = at
    for (let found = 0; end !== undefined; found += 1) {
      if (found === MOST_NUMBERS) return true
      end = behindNumber(bytes, end)
    }
  }
  return false
}

/** Where the long integer that begins here ends; undefined when there is none, or it is cut off. */
function behindNumber(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] !== 0x02) return undefined
  const first = bytes[at + 1] ?? 0
  const size = first < 0x80 ? 0 : first & 0x7f
  if (size > 2 || at + 2 + size > bytes.length) return undefined
  const length = size === 0 ? first : bytes.readUIntBE(at + 2, size)
  const end = at + 2 + size + length
  return length >= LEAST_BYTES && end <= bytes.length ? end : undefined
}
