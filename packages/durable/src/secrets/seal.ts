// This folder encrypts columns, and rotates keys.

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { jsonText } from '../database/json.ts'
import type { Keyring } from './keys.ts'

/** Why a sealed text can't be opened. */
type SealErrorKind = 'malformed' | 'unknown-key' | 'rejected'

/** A sealed text can't be opened. The message names the key's ID, never the content. */
export class SealError extends Error {
  override readonly name = 'SealError'
  readonly kind: SealErrorKind
  constructor(kind: SealErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Returns the result of `open`, or why the text can't be opened. */
export function tryOpen<T>(open: () => T): { readonly value: T } | { readonly sealError: SealError } {
  try {
    return { value: open() }
  } catch (error) {
    if (error instanceof SealError) return { sealError: error }
    throw error
  }
}

/** The table and the row. A text sealed for one row can't be opened for another. */
export type Identity = readonly [table: string, ...row: string[]]

/** Called for every text that can't be opened, even if the caller handles the error. */
export type OnDecryptError = (identity: Identity, reason: SealError) => void

/** Seals and opens short texts with a keyring. */
export interface Sealer {
  /** Returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`, sealed with the ring's primary key. */
  seal(text: string, identity: Identity): string
  /** Returns the text, or throws SealError if it's malformed, altered, sealed with an unknown key, or sealed for another row. */
  open(sealed: string, identity: Identity): string
  /** A keyed digest (HMAC) of 32 bytes. With the same key, equal texts have equal digests. Without the key, it reveals nothing. */
  digest(text: string, identity: Identity): Buffer
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Explicit, because Node otherwise accepts tags as short as 4 bytes. */
const TAG_OPTIONS = { authTagLength: TAG_BYTES }
const SEALED_TEXT = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/

/** AES-256-GCM with a random nonce per text. The row's identity is the associated data. */
export function createSealer(keys: Keyring, onDecryptError: OnDecryptError = () => undefined): Sealer {
  return {
    seal(text, identity) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, keys.primary.secret, nonce, TAG_OPTIONS)
      cipher.setAAD(associatedData(identity))
      const sealed = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
      return `v1.${keys.primary.id}.${sealed.toString('base64url')}`
    },
    open(sealed, identity) {
      try {
        return decrypt(keys, sealed, identity)
      } catch (error) {
        if (error instanceof SealError) onDecryptError(identity, error)
        throw error
      }
    },
    digest: (text, identity) =>
      createHmac('sha256', keys.primary.secret).update(associatedData(identity)).update(text).digest(),
  }
}

function decrypt(keys: Keyring, text: string, identity: Identity): string {
  const [, keyId, body] = SEALED_TEXT.exec(text) ?? []
  if (keyId === undefined || body === undefined)
    throw new SealError('malformed', 'An encrypted text isn’t in the form that this program writes.')
  const key = keys.byId.get(keyId)
  if (key === undefined)
    throw new SealError(
      'unknown-key',
      `A text is encrypted with the key "${keyId}", which isn’t among the keys.`,
    )
  const sealed = Buffer.from(body, 'base64url')
  if (sealed.length < NONCE_BYTES + TAG_BYTES)
    throw new SealError('malformed', 'An encrypted text is truncated.')
  const decipher = createDecipheriv(CIPHER, key.secret, sealed.subarray(0, NONCE_BYTES), TAG_OPTIONS)
  decipher.setAAD(associatedData(identity))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const start = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([start, decipher.final()]).toString('utf8')
  } catch {
    throw new SealError(
      'rejected',
      `A text encrypted with the key "${key.id}" can’t be decrypted. Either another key has that ID now, or the text was altered or moved.`,
    )
  }
}

/** JSON, so that two identities never produce the same bytes. */
const associatedData = (identity: Identity): Buffer => Buffer.from(JSON.stringify(['v1', ...identity]))

export type SealedState = ReturnType<typeof createSealedState>

/** JSON that leaves the app and comes back, such as in a button's value. It opens only with the same `boundTo`, and only until it expires. */
export function createSealedState(sealer: Sealer) {
  return {
    /** Returns text made of `A–Z a–z 0–9 _ - .`. Throws StoreError `bad-value` if the body isn't JSON. */
    seal: (body: unknown, boundTo: readonly string[], expiresAt: Date): string =>
      sealer.seal(jsonText([expiresAt.getTime(), body], 'Sealed state'), ['sealed-state', ...boundTo]),

    /** Returns the body, or undefined if it isn't ours, was altered, is bound to something else, or has expired. */
    open(sealed: string, boundTo: readonly string[], now: Date): unknown | undefined {
      const opened = tryOpen(() => sealer.open(sealed, ['sealed-state', ...boundTo]))
      if ('sealError' in opened) return undefined
      // `seal` above wrote it, so the cast is safe.
      const [until, body] = JSON.parse(opened.value) as [number, unknown]
      return now.getTime() < until ? body : undefined
    },
  }
}
