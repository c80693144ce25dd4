import { hkdfSync } from 'node:crypto'
import type { Key } from './keys.ts'

/** 32 bytes for one purpose, made of a key: who knows them knows neither the key nor what is made for another purpose. */
export function derived({ secret }: Key, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `signalman ${purpose}`, 32))
}

/** Tells a key from another one of the same id, and nothing of the key: 16 hex digits that may be shown and kept anywhere. */
export function fingerprintOf(key: Key): string {
  return derived(key, 'fingerprint').toString('hex').slice(0, 16)
}
