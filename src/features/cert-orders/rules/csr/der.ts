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

/** One DER element. */
export class Element {
  readonly tag: number
  readonly bytes: Buffer
  /** The bytes without tag and length. */
  readonly content: Buffer

  /** The element at the start of `source`. Throws RangeError if it's cut off. */
  constructor(source: Buffer) {
    this.tag = source.readUInt8(0)
    if ((this.tag & 0x1f) === 0x1f) throw new RangeError('Unknown tag.')
    // The length is the second byte, or the number of bytes that it takes (ITU-T X.690, 8.1.3).
    const first = source.readUInt8(1)
    const size = first < 0x80 ? 0 : first & 0x7f
    if (first >= 0x80 && (size === 0 || size > 4)) throw new RangeError('Invalid DER length.')
    const start = 2 + size
    const end = start + (size === 0 ? first : source.readUIntBE(2, size))
    if (end > source.length) throw new RangeError('The element is truncated.')
    this.bytes = source.subarray(0, end)
    this.content = source.subarray(start, end)
  }

  /** All bytes, as `#0c0161`. */
  get hexadecimal(): string {
    return `#${this.bytes.toString('hex')}`
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
function parseElements(bytes: Buffer, max: number = TEXT_LIMITS.csrNames): Element[] {
  const elements: Element[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const element = new Element(rest)
    if (elements.length === max)
      throw new RequestTooLarge(
        `A list in this request has more than ${formatCount(max)} entries. No authority accepts that many.`,
      )
    elements.push(element)
    rest = rest.subarray(element.bytes.length)
  }
  return elements
}

/** The element that these bytes are. Throws RangeError if they aren't exactly one. */
export function parseOnlyElement(bytes: Buffer): Element {
  const [element, ...more] = parseElements(bytes)
  if (!element || more.length > 0) throw new RangeError('Expected one element.')
  return element
}

/** What `read` returns; undefined if it throws, as for what's malformed. */
export function tryToRead<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
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

/** Decoders for ASN.1's string types, by tag (ITU-T X.680, 41). Each throws for what isn't validly encoded. */
const DECODERS: Readonly<Record<number, (content: Buffer) => string>> = {
  12: (content) => UTF8.decode(content),
  28: decodeUtf32,
  30: (content) => UTF16.decode(content),
}
/** Numeric, Printable, IA5, and Visible strings, and times, are ASCII. Teletex strings (20) are Latin-1 in practice. */
const LATIN1_TAGS: readonly number[] = [18, 19, 20, 22, 23, 24, 26]

/** The text of any kind of ASN.1 string; undefined if it isn't a string or isn't validly encoded. */
export const readString = (element: Element): string | undefined =>
  LATIN1_TAGS.includes(element.tag)
    ? element.latin1
    : tryToRead(() => DECODERS[element.tag]?.(element.content))

/** For strings that should be ASCII. Some software writes UTF-8 there, so valid UTF-8 is decoded; otherwise Latin-1. */
export const decodeUtf8OrLatin1 = ({ content, latin1 }: Element): string =>
  tryToRead(() => UTF8.decode(content)) ?? latin1

function decodeUtf32(content: Buffer): string {
  const letters = Array.from({ length: Math.ceil(content.length / 4) }, (_, index) =>
    String.fromCodePoint(content.readUInt32BE(4 * index)),
  )
  if (!letters.every((letter) => letter.isWellFormed())) throw new RangeError('Half of a pair.')
  return letters.join('')
}
