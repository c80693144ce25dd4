import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { Fields } from '../protocol/json.ts'

/** Sizes of a profile's images, in pixels, as in Slack. */
const SIZES = [24, 32, 48, 72, 192, 512] as const
/** Sizes of an app's icons. */
const ICON_SIZES = [36, 48, 72] as const
const CELLS = 6

const digest = (id: string): Buffer => createHash('sha256').update(id).digest()

/** The `color` field of a user, derived from the ID. */
export const nameColor = (id: string): string =>
  [...digest(id).subarray(0, 3)].map((part) => (64 + (part >> 1)).toString(16).padStart(2, '0')).join('')

const avatarHash = (id: string): string => digest(id).toString('hex').slice(0, 12)

const imageUrl = (url: string, id: string, size: number): string =>
  `${url}/avatars/${id}-${avatarHash(id)}-${size}.png`

const imageUrls = (url: string, id: string, sizes: readonly number[]): Fields =>
  Object.fromEntries(sizes.map((size) => [`image_${size}`, imageUrl(url, id, size)]))

/** The image fields of a user's profile. */
export const profilePictures = (url: string, id: string): Fields => ({
  avatar_hash: avatarHash(id),
  ...imageUrls(url, id, SIZES),
})

/** The `icons` field of an app. */
export const appIcons = (url: string, id: string): Fields => imageUrls(url, id, ICON_SIZES)

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Draws a two-color PNG with a symmetric pattern that depends only on the ID. */
function drawPicture(id: string, size: number): Buffer {
  const bits = digest(id)
  const isInk = (x: number, y: number): boolean => {
    const column = Math.min(x, CELLS - 1 - x)
    return ((bits[8 + y] ?? 0) >> column) % 2 === 1
  }
  const cell = (pixel: number): number => Math.floor((pixel * CELLS) / size)
  const rows = Array.from({ length: size }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: size }, (_, x) => (isInk(cell(x), cell(y)) ? 1 : 0))]),
  )
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Bit depth 8, color type 3 (palette).
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.concat([Buffer.from([0xee, 0xee, 0xee]), Buffer.from(nameColor(id), 'hex')])),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The PNG behind `/avatars/NAME`, or undefined if no picture has that name. */
export function findPicture(name: string): Buffer | undefined {
  const [, id = '', hash, sizeText] = /^([A-Z0-9]+)-([0-9a-f]+)-(\d+)\.png$/.exec(name) ?? []
  const size = [...SIZES, ...ICON_SIZES].find((candidate) => String(candidate) === sizeText)
  return size === undefined || hash !== avatarHash(id) ? undefined : drawPicture(id, size)
}
