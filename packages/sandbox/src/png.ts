import { crc32, deflateSync } from 'node:zlib'

const WIDTH = 640
const HEIGHT = 400

type Color = readonly [number, number, number]

const GRAY: Color = [226, 230, 236]
const WHITE: Color = [255, 255, 255]
const LINE: Color = [150, 160, 175]

/** Draws a fake sign-in page as a PNG, 640 × 400, in a color derived from the ID. The same ID always returns the same bytes. */
export function drawScreenshot(id: string): Buffer {
  const hue = crc32(id.toLowerCase())
  const accent: Color = [40 + (hue & 127), 40 + ((hue >>> 8) & 127), 40 + ((hue >>> 16) & 127)]
  const rows = Buffer.alloc(HEIGHT * (1 + WIDTH * 3))
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) rows.set(colorAt(x, y, accent), y * (1 + WIDTH * 3) + 1 + x * 3)
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    encodeChunk(
      'IHDR',
      Buffer.from([0, 0, WIDTH >> 8, WIDTH & 255, 0, 0, HEIGHT >> 8, HEIGHT & 255, 8, 2, 0, 0, 0]),
    ),
    encodeChunk('IDAT', deflateSync(rows)),
    encodeChunk('IEND', Buffer.alloc(0)),
  ])
}

/** The color of one pixel. The page has a bar at the top, and a card with two fields and a button in the middle. */
function colorAt(x: number, y: number, accent: Color): Color {
  if (y < 48) return accent
  const inCard = x >= 180 && x < 460 && y >= 90 && y < 350
  if (!inCard) return GRAY
  const inRow = x >= 210 && x < 430
  if (inRow && y >= 290 && y < 325) return accent
  const isField = inRow && ((y >= 150 && y < 185) || (y >= 215 && y < 250))
  return isField ? LINE : WHITE
}

/** Encodes a PNG chunk (ISO/IEC 15948, section 5.3): length, type, data, and a CRC of type and data. */
function encodeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const lengthBytes = Buffer.alloc(4)
  lengthBytes.writeUInt32BE(data.length)
  const crcBytes = Buffer.alloc(4)
  crcBytes.writeUInt32BE(crc32(body))
  return Buffer.concat([lengthBytes, body, crcBytes])
}
