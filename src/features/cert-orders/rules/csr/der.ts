import { TEXT_LIMITS } from '@signalman/runtime'
import { formatCount } from '../../../../domain/wording.ts'

/** The ASN.1 tags in certificate requests (ITU-T X.680). */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const

/** Thrown if a request exceeds a limit. People see the message, which names the limit. */
export class RequestTooLarge extends RangeError {
  override readonly name = 'RequestTooLarge'
}

/** One DER element. Stores positions instead of copying bytes, because a list may have thousands of elements. */
export class Element {
  readonly tag: number
  readonly #source: Buffer
  readonly #offset: number
  readonly #start: number
  readonly #end: number

  constructor(source: Buffer, offset: number, start: number, end: number) {
    this.tag = source.readUInt8(offset)
    this.#source = source
    this.#offset = offset
    this.#start = start
    this.#end = end
  }

  /** All bytes of the element. */
  get bytes(): Buffer {
    return this.#source.subarray(this.#offset, this.#end)
  }

  /** The bytes without tag and length. */
  get content(): Buffer {
    return this.#source.subarray(this.#start, this.#end)
  }

  /** The content as text, one character per byte. */
  get latin1(): string {
    return this.content.toString('latin1')
  }

  /** The child elements. Throws RangeError if this element's tag isn't `tag`, and RequestTooLarge for more than `max` children. */
  children(tag: number = TAG.sequence, max?: number): Element[] {
    if (this.tag !== tag) throw new RangeError('Unexpected element.')
    return parseElements(this.content, max)
  }
}

/** The consecutive elements in `bytes`. Throws RangeError if one is cut off. */
export function parseElements(bytes: Buffer, max: number = TEXT_LIMITS.csrNames): Element[] {
  const elements: Element[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const { start, length } = readContentRange(bytes, offset)
    const end = start + length
    if (end > bytes.length) throw new RangeError('The element is truncated.')
    if (elements.length === max)
      throw new RequestTooLarge(
        `A list in this request has more than ${formatCount(max)} entries. No authority accepts that many.`,
      )
    elements.push(new Element(bytes, offset, start, end))
    offset = end
  }
  return elements
}

/** The first element in `bytes`, ignoring what follows. Throws RangeError if it is cut off. */
export function readFirstElement(bytes: Buffer): Element {
  const { start, length } = readContentRange(bytes, 0)
  if (start + length > bytes.length) throw new RangeError('The element is truncated.')
  return new Element(bytes, 0, start, start + length)
}

/** Where the content of the element at `offset` starts, and its length (ITU-T X.690, 8.1.3). */
function readContentRange(bytes: Buffer, offset: number): { start: number; length: number } {
  if ((bytes.readUInt8(offset) & 0x1f) === 0x1f) throw new RangeError('Unknown tag.')
  const first = bytes.readUInt8(offset + 1)
  if (first < 0x80) return { start: offset + 2, length: first }
  const size = first & 0x7f
  if (size === 0 || size > 4) throw new RangeError('Invalid DER length.')
  return { start: offset + 2 + size, length: bytes.readUIntBE(offset + 2, size) }
}

/**
 * `1.2.840.113549` (ITU-T X.690, 8.19). Throws RangeError if it isn't an object identifier, and RequestTooLarge if it's too long. `expected`:
 * its tag, where the context replaces it.
 */
export function readObjectId({ tag, content }: Element, expected: number = TAG.objectId): string {
  if (tag !== expected || content.length === 0 || (content.at(-1) ?? 0) >= 0x80)
    throw new RangeError('This isn’t an object identifier.')
  if (content.length > TEXT_LIMITS.objectIdBytes)
    throw new RequestTooLarge(
      `An object identifier in this request has ${formatCount(content.length)} bytes. The limit is ${TEXT_LIMITS.objectIdBytes}.`,
    )
  const arcs: bigint[] = []
  let arc = 0n
  for (const byte of content) {
    arc = arc * 128n + BigInt(byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(arc)
    arc = 0n
  }
  const [first = 0n, ...rest] = arcs
  const root = first < 80n ? first / 40n : 2n
  return [root, first - root * 40n, ...rest].join('.')
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const UTF16 = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true })

/** Decoders for ASN.1's string types, by tag (ITU-T X.680, 41). */
const STRING_READERS: Readonly<Record<number, (element: Element) => string | undefined>> = {
  12: ({ content }) => decodeText(UTF8, content),
  // Numeric, Printable, IA5, and Visible strings are ASCII. Teletex strings (20) are Latin-1 in practice.
  18: decodeLatin1,
  19: decodeLatin1,
  20: decodeLatin1,
  22: decodeLatin1,
  // Times are ASCII, too.
  23: decodeLatin1,
  24: decodeLatin1,
  26: decodeLatin1,
  28: decodeUtf32,
  30: ({ content }) => decodeText(UTF16, content),
}

/** The text of any kind of ASN.1 string; undefined if it isn't a string or isn't validly encoded. */
export const readString = (element: Element): string | undefined => STRING_READERS[element.tag]?.(element)

/** For strings that should be ASCII. Some software writes UTF-8 there, so valid UTF-8 is decoded; otherwise Latin-1. */
export function decodeUtf8OrLatin1(element: Element): string {
  const text = element.latin1
  return /^[\0-\x7f]*$/.test(text) ? text : (decodeText(UTF8, element.content) ?? text)
}

function decodeLatin1(element: Element): string {
  return element.latin1
}

function decodeUtf32({ content }: Element): string | undefined {
  if (content.length % 4 !== 0) return undefined
  const points = Array.from({ length: content.length / 4 }, (_, index) => content.readUInt32BE(4 * index))
  const isText = points.every((point) => point <= 0x10ffff && (point < 0xd800 || point > 0xdfff))
  return isText ? points.map((point) => String.fromCodePoint(point)).join('') : undefined
}

function decodeText(decoder: typeof UTF8, content: Buffer): string | undefined {
  try {
    return decoder.decode(content)
  } catch {
    return undefined
  }
}
