import { type Decode, Unreadable } from './decode.ts'

/** A screenshot or page source that the service stores, unchanged. */
export interface PageFile {
  readonly bytes: Buffer
  readonly type: 'png' | 'jpg' | 'gif' | 'txt'
}

/** Media types that say nothing about the content. With these, only the bytes decide. */
const UNKNOWN_TYPES = ['', 'application/octet-stream', 'binary/octet-stream']

const IMAGE_TYPES = { png: /^\x89PNG/, jpg: /^\xff\xd8\xff/, gif: /^GIF8[79]a/ } as const

/** Accepts a PNG, JPEG, or GIF, recognized by its first bytes. */
export const decodeImage: Decode<PageFile> = ({ bytes, mediaType }) => {
  if (!mediaType.startsWith('image/') && !UNKNOWN_TYPES.includes(mediaType))
    throw new Unreadable('the body: its media type isn’t an image')
  const start = bytes.toString('latin1', 0, 8)
  const type = (['png', 'jpg', 'gif'] as const).find((each) => IMAGE_TYPES[each].test(start))
  if (!type) throw new Unreadable('the body: not a PNG, JPEG or GIF image')
  const pixels = countPixels(bytes, type)
  if (!(pixels > 0 && pixels <= MAX_PIXELS))
    throw new Unreadable(`the body: an image of ${pixels} pixels, or cut off`)
  return { bytes, type }
}

/** A few bytes can be an image that needs gigabytes to show. A page of 1,280 pixels may be 78,000 pixels long. */
const MAX_PIXELS = 100_000_000

/** NaN if the image ends before its size. */
function countPixels(bytes: Buffer, type: keyof typeof IMAGE_TYPES): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (type === 'png') return view.getUint32(16) * view.getUint32(20)
    if (type === 'gif') return view.getUint16(6, true) * view.getUint16(8, true)
    // The frame header of a JPEG, one of the markers C0 to CF, is behind other segments with their lengths.
    for (let at = 2; ; at += 2 + view.getUint16(at + 2))
      if ((view.getUint8(at + 1) & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(view.getUint8(at + 1)))
        return view.getUint16(at + 5) * view.getUint16(at + 7)
  } catch {
    return Number.NaN
  }
}

const MARKUP_TYPES = ['application/xhtml+xml', 'application/xml']

/**
 * Accepts text, but nothing that begins like JSON: a URL on the service's own origin may be one of its operations, whose response (such as the list
 * of tokens) must never be shown as a page's source.
 */
export const decodePageSource: Decode<PageFile> = ({ bytes, mediaType, text }) => {
  const isText =
    mediaType.startsWith('text/') || MARKUP_TYPES.includes(mediaType) || UNKNOWN_TYPES.includes(mediaType)
  if (!isText) throw new Unreadable('the body: its media type isn’t text')
  if (bytes.length === 0) throw new Unreadable('the body: empty')
  if (bytes.includes(0)) throw new Unreadable('the body: not text')
  if (/^\ufeff?\s*[[{]/.test(bytes.toString('utf8', 0, 1024)))
    throw new Unreadable("the body: JSON, where a page's source was expected")
  // The text is without the caller's token, which the service may repeat.
  if (text() !== bytes.toString()) throw new Unreadable('the body: has the token')
  return { bytes, type: 'txt' }
}
