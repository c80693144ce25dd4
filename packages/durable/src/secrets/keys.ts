import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { StoreError } from '../database/errors.ts'

/** A 256-bit key. Its ID is part of every text sealed with it. */
export interface Key {
  readonly id: string
  readonly secret: KeyObject
}

/** The primary key seals. All keys open. */
export interface Keyring {
  readonly primary: Key
  readonly byId: ReadonlyMap<string, Key>
}

const KEY_BYTES = 32
const ID = /^[A-Za-z0-9_-]{1,32}$/
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/
const HOW_TO_MAKE_ONE = 'make one with: echo "k1:$(openssl rand -base64 32)"'

/**
 * Parses `id:base64key[,id:base64key…]`, also with line breaks between them, with keys of 32 bytes and IDs of up to 32 letters, digits, `_`, or `-`. Throws
 * StoreError `bad-keys`, naming the entry by its position, never by its content.
 */
export function parseKeys(text: string): Keyring {
  const entries = text.trim().split(/\s*(?:,|\n)\s*/)
  const keys = entries.map((entry, index) => parseEntry(entry, index + 1))
  const byId = new Map<string, Key>()
  for (const [index, key] of keys.entries()) {
    if (byId.has(key.id))
      throw badEntry(index + 1, 'has the same ID as an earlier one: give each key its own ID')
    if ([...byId.values()].some((earlier) => earlier.secret.equals(key.secret))) {
      throw badEntry(index + 1, `has the same key as an earlier one: ${HOW_TO_MAKE_ONE}`)
    }
    byId.set(key.id, key)
  }
  const [primary] = keys
  if (primary === undefined) throw badEntry(1, `is empty: ${HOW_TO_MAKE_ONE}`)
  return { primary, byId }
}

function parseEntry(entry: string, position: number): Key {
  if (entry === '') throw badEntry(position, 'is empty: remove the comma beside it, or write id:base64key')
  const colon = entry.indexOf(':')
  if (colon === -1) throw badEntry(position, `has no colon: write id:base64key, or ${HOW_TO_MAKE_ONE}`)
  const id = entry.slice(0, colon)
  const encoded = entry.slice(colon + 1)
  if (!ID.test(id)) {
    throw badEntry(position, 'has an ID that isn’t 1 to 32 letters, digits, "_", or "-": write id:base64key')
  }
  if (!BASE64.test(encoded))
    throw badEntry(position, `has a key that isn’t 32 bytes in base64: ${HOW_TO_MAKE_ONE}`)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.every((byte) => byte === 0)) throw badEntry(position, `is all zeros: ${HOW_TO_MAKE_ONE}`)
  return { id, secret: createSecretKey(bytes) }
}

function badEntry(position: number, fault: string): StoreError {
  return new StoreError('bad-keys', `Entry ${position} of the encryption keys ${fault}.`)
}

/** Creates a random key with a random ID, in the form that `parseKeys` reads. */
export function makeKeyText(): string {
  return `k${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}`
}
