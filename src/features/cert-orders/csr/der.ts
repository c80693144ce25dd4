export const SEQUENCE = 0x30
export const BIT_STRING = 0x03

/** One DER element: all its bytes, and what its length covers. */
export interface Element {
  tag: number
  bytes: Buffer
  content: Buffer
}

/** The elements that stand one behind the other in `bytes`. Throws RangeError when they are not whole. */
export function elementsIn(bytes: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const { start, length } = extent(bytes, at)
    const end = start + length
    if (end > bytes.length) throw new RangeError('The element is cut off.')
    elements.push({
      tag: bytes.readUInt8(at),
      bytes: bytes.subarray(at, end),
      content: bytes.subarray(start, end),
    })
    at = end
  }
  return elements
}

/** Where the content of the element at `at` starts and how long it is (ITU-T X.690, 8.1.3). */
function extent(bytes: Buffer, at: number): { start: number; length: number } {
  const first = bytes.readUInt8(at + 1)
  if (first < 0x80) return { start: at + 2, length: first }
  const size = first & 0x7f
  if (size === 0 || size > 4) throw new RangeError('DER has no such length.')
  return { start: at + 2 + size, length: bytes.readUIntBE(at + 2, size) }
}
