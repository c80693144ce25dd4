/** As it is, in base64 at each of the three offsets in which it may stand in a longer text, URL-encoded, in JSON, in hex. */
export function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = ['', '.', '..'].map((before) =>
    // The outer characters depend on the neighbours.
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
