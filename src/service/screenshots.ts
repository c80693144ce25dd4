import { type Decode, Unreadable } from './decode.ts'

/** A screenshot or page source that the service stores, unchanged. */
export interface PageFile {
  readonly bytes: Buffer
  readonly type: 'png' | 'jpg' | 'gif' | 'txt'
}

/** Media types that say nothing about the content. With these, only the bytes decide. */
const UNKNOWN_TYPES = ['', 'application/octet-stream', 'binary/octet-stream']

/** The first bytes of each format. */
const IMAGE_TYPES = { png: /^\x89PNG/, jpg: /^\xff\xd8\xff/, gif: /^GIF8[79]a/ } as const

/** Accepts a PNG, JPEG, or GIF, recognized by its first bytes. */
export const decodeImage: Decode<PageFile> = ({ bytes, mediaType }) => {
  if (!mediaType.startsWith('image/') && !UNKNOWN_TYPES.includes(mediaType))
    throw new Unreadable('the body: its media type isn’t an image')
  const start = bytes.toString('latin1', 0, 8)
  const type = (['png', 'jpg', 'gif'] as const).find((each) => IMAGE_TYPES[each].test(start))
  if (!type) throw new Unreadable('the body: not a PNG, JPEG or GIF image')
  return { bytes, type }
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
