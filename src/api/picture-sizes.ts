interface Picture {
  type: 'png' | 'jpg' | 'gif'
  width: number
  height: number
}

/** The layout of PNG: https://www.w3.org/TR/png-3/#11IHDR (read November 2026). */
export function pngOf(bytes: Buffer): Picture | undefined {
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG_SIGNATURE)
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function gifOf(bytes: Buffer): Picture | undefined {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined
  return { type: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

const MAX_SEGMENTS = 200

/** The frame headers SOF0 to SOF15 (ITU-T T.81, table B.1); the three in between are other segments. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Walks the segments of a JPEG to the one that says its size. */
export function jpegOf(bytes: Buffer): Picture | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  for (let segment = 0; segment < MAX_SEGMENTS && at + 9 <= bytes.length; segment += 1) {
    if (bytes[at] !== 0xff) return undefined
    if (isFrame(bytes[at + 1] ?? 0))
      return { type: 'jpg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
