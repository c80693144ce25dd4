/**
 * Lists the encodings in which a secret may appear: unchanged, in base64 at each of the three offsets in a longer text,
 * URL-encoded, in JSON, in hex, and in UTF-16.
 */
export function listEncodings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = ['', '.', '..'].map((before) =>
    // The first and last characters depend on the neighboring bytes.
    Buffer.concat([Buffer.from(before), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  return [
    secret,
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('utf16le'),
  ]
}
