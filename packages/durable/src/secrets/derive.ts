import { hkdfSync } from 'node:crypto'
import type { Key } from './keys.ts'

/** Derives 32 bytes from a key for one purpose. They reveal neither the key nor the bytes for another purpose. */
export function derived({ secret }: Key, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `signalman ${purpose}`, 32))
}

/** 16 hex digits that distinguish keys of one id and reveal nothing of them: they may be shown and kept anywhere. */
export function fingerprintOf(key: Key): string {
  return derived(key, 'fingerprint').toString('hex').slice(0, 16)
}
