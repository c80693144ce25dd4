import { type Decode, Unreadable } from './decode.ts'

/** A screenshot or page source that the service stores, unchanged. */
export interface PageFile {
  readonly bytes: Buffer
  readonly type: 'png' | 'jpg' | 'gif' | 'txt'
}

/** A larger image would need hundreds of megabytes to render, even if its file is small. */
const MAX_PIXELS = 100_000_000

/** Media types that say nothing about the content. With these, only the bytes decide. */
const UNKNOWN_TYPES = ['', 'application/octet-stream', 'binary/octet-stream']

/** Accepts a PNG, JPEG, or GIF, recognized by its first bytes. Checks its size in pixels, too. */
export const decodeImage: Decode<PageFile> = ({ bytes, mediaType }) => {
  if (!mediaType.startsWith('image/') && !UNKNOWN_TYPES.includes(mediaType))
    throw new Unreadable('the body: its media type isn’t an image')
  const picture = readPng(bytes) ?? readGif(bytes) ?? readJpeg(bytes)
  if (!picture) throw new Unreadable('the body: not a PNG, JPEG or GIF image')
  const { type, width, height } = picture
  if (width === 0 || height === 0 || width * height > MAX_PIXELS)
    throw new Unreadable(`the body: an image of ${width} × ${height} pixels`)
  return { bytes, type }
}

const MARKUP_TYPES = ['application/xhtml+xml', 'application/xml']

/**
 * Accepts text, but nothing that begins like JSON: a URL on the service's own origin may be one of its operations, whose response (such as the list
 * of tokens) must never be shown as a page's source.
 */
export const decodePageSource: Decode<PageFile> = ({ bytes, mediaType }) => {
  const isText =
    mediaType.startsWith('text/') || MARKUP_TYPES.includes(mediaType) || UNKNOWN_TYPES.includes(mediaType)
  if (!isText) throw new Unreadable('the body: its media type isn’t text')
  if (bytes.length === 0) throw new Unreadable('the body: empty')
  if (bytes.includes(0)) throw new Unreadable('the body: not text')
  if (/^\ufeff?\s*[[{]/.test(bytes.toString('utf8', 0, 1024)))
    throw new Unreadable("the body: JSON, where a page's source was expected")
  return { bytes, type: 'txt' }
}

interface Picture {
  type: 'png' | 'jpg' | 'gif'
  width: number
  height: number
}

/** The layout of PNG: https://www.w3.org/TR/png-3/#11IHDR (read November 2026). */
function readPng(bytes: Buffer): Picture | undefined {
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG_SIGNATURE)
  if (!isPng || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return { type: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function readGif(bytes: Buffer): Picture | undefined {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined
  return { type: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

const MAX_SEGMENTS = 200

/** The frame headers SOF0 to SOF15 (ITU-T T.81, table B.1). The three excluded markers are other segments. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Walks the segments of a JPEG to the one with its size. */
function readJpeg(bytes: Buffer): Picture | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let offset = 2
  for (let segment = 0; segment < MAX_SEGMENTS && offset + 9 <= bytes.length; segment += 1) {
    if (bytes[offset] !== 0xff) return undefined
    if (isFrame(bytes[offset + 1] ?? 0))
      return { type: 'jpg', height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) }
    offset += 2 + bytes.readUInt16BE(offset + 2)
  }
  return undefined
}
