import { hash } from 'node:crypto'

/** A UUID of version 5 (RFC 9562, section 5.5): the same for the same name in the same namespace, everywhere. */
export function uuidOf(namespace: string, name: string): string {
  const bytes = Buffer.concat([Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(name)])
  const digest = Buffer.from(hash('sha1', bytes, 'hex'), 'hex').subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
