export function der(tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const size = length < 0x100 ? 1 : length < 0x10000 ? 2 : 3
  const head = Buffer.alloc(2 + size)
  head.writeUInt8(tag, 0)
  head.writeUInt8(0x80 | size, 1)
  head.writeUIntBE(length, 2, size)
  return Buffer.concat([head, content])
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)

export const set = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts)

/** `1.2.840.113549`. Every arc after the second must be below 2^31. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(arc: number): number[] {
  const septets = [arc & 0x7f]
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
    septets.unshift((left & 0x7f) | 0x80)
  return septets
}
