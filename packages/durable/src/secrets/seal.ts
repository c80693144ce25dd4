import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { jsonText } from '../database/json.ts'
import { fixedKeys, type Key, type Keyring, type LiveKeys } from './keys.ts'

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

/** Seals and opens short texts with a keyring. */
export interface Sealer {
  /** Returns `v1.<key id>.<base64url of nonce, ciphertext and tag>`, sealed with the ring's primary key. */
  seal(text: string, identity: Identity): string
  /** Returns the text, or throws SealError if it's malformed, altered, sealed with an unknown key, or sealed for another row. */
  open(sealed: string, identity: Identity): string
  /** A keyed digest (HMAC) of 32 bytes. With the same key, equal texts have equal digests. Without the key, it reveals nothing. */
  digest(text: string, identity: Identity): Buffer
}

export type TextSealer = Pick<Sealer, 'seal' | 'digest'>
export type TextOpener = Pick<Sealer, 'open'>

/** `v1` is sealed with an encryption key, `v2` with a workspace key (see workspace-keys.ts). */
type Version = 'v1' | 'v2'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Explicit, because Node otherwise accepts tags as short as 4 bytes. */
const TAG_OPTIONS = { authTagLength: TAG_BYTES }
const SEALED_TEXT = /^(v[12])\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/

/** AES-256-GCM with a random nonce per text. The row's identity is the associated data. */
export function createSealer(keys: Keyring | LiveKeys): Sealer {
  const liveKeys = 'ring' in keys ? keys : fixedKeys(keys)
  return {
    seal: (text, identity) => sealText('v1', liveKeys.primary(), text, identity),
    open(sealed, identity) {
      const { version, keyId, body } = parseSealed(sealed)
      const opens = ({ byId }: Keyring): boolean => {
        const key = byId.get(keyId)
        return key !== undefined && 'value' in tryOpen(() => openText(version, key, body, identity))
      }
      // New keys from the key file count as verified if one of them opens this text.
      if (version === 'v1' && !liveKeys.ring().byId.has(keyId)) liveKeys.adopt(opens)
      const key = version === 'v1' ? liveKeys.ring().byId.get(keyId) : undefined
      if (key === undefined) {
        throw new SealError(
          'unknown-key',
          `A text is encrypted with the key "${keyId}", which isn’t among the keys.`,
        )
      }
      return openText(version, key, body, identity)
    },
    digest: (text, identity) => digestText('v1', liveKeys.ring().primary, text, identity),
  }
}

/** Seals with a workspace key. */
export function createWorkspaceSealer(key: Key): TextSealer {
  return {
    seal: (text, identity) => sealText('v2', key, text, identity),
    digest: (text, identity) => digestText('v2', key, text, identity),
  }
}

/** Opens texts sealed with these workspace keys, by ID. `fallback` opens the rest. */
export function createWorkspaceOpener(
  byId: Pick<ReadonlyMap<string, Key | SealError>, 'get'>,
  fallback: TextOpener,
): TextOpener {
  return {
    open(sealed, identity) {
      const { version, keyId, body } = parseSealed(sealed)
      if (version === 'v1') return fallback.open(sealed, identity)
      const key = byId.get(keyId)
      if (key === undefined) {
        throw new SealError(
          'unknown-key',
          `A text is encrypted with the workspace key "${keyId}", which was destroyed when the workspace’s data was deleted.`,
        )
      }
      if (key instanceof SealError) throw key
      return openText(version, key, body, identity)
    },
  }
}

/** The ID of the workspace key that sealed a text. Undefined if an encryption key sealed it. */
export function parseWorkspaceKeyId(sealed: string): string | undefined {
  const [, version, keyId] = SEALED_TEXT.exec(sealed) ?? []
  return version === 'v2' ? keyId : undefined
}

/** The ID of the encryption key that sealed a text. Undefined if a workspace key sealed it. */
export function parseRootKeyId(sealed: string): string | undefined {
  const [, version, keyId] = SEALED_TEXT.exec(sealed.trim()) ?? []
  return version === 'v1' ? keyId : undefined
}

function parseSealed(sealed: string): { version: Version; keyId: string; body: Buffer } {
  const [, version, keyId, body] = SEALED_TEXT.exec(sealed) ?? []
  if (keyId === undefined || body === undefined) {
    throw new SealError('malformed', 'An encrypted text isn’t in the form that this program writes.')
  }
  return { version: version === 'v2' ? 'v2' : 'v1', keyId, body: Buffer.from(body, 'base64url') }
}

/** Seals bytes with a workspace key. */
export const sealBytes = (key: Key, bytes: Buffer, identity: Identity): string =>
  sealText('v2', key, bytes, identity)

/** Opens what `sealBytes` sealed with this key. Throws SealError. */
export function openBytes(key: Key, sealed: string, identity: Identity): Buffer {
  const { version, body } = parseSealed(sealed)
  return decrypt(version, key, body, identity)
}

function sealText(version: Version, key: Key, text: string | Buffer, identity: Identity): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key.secret, nonce, TAG_OPTIONS)
  cipher.setAAD(associatedData(version, identity))
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const sealed = Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  return `${version}.${key.id}.${sealed.toString('base64url')}`
}

const openText = (version: Version, key: Key, sealed: Buffer, identity: Identity): string =>
  decrypt(version, key, sealed, identity).toString('utf8')

function decrypt(version: Version, key: Key, sealed: Buffer, identity: Identity): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) {
    throw new SealError('malformed', 'An encrypted text is truncated.')
  }
  const decipher = createDecipheriv(CIPHER, key.secret, sealed.subarray(0, NONCE_BYTES), TAG_OPTIONS)
  decipher.setAAD(associatedData(version, identity))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const start = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([start, decipher.final()])
  } catch {
    throw new SealError(
      'rejected',
      `A text encrypted with the key "${key.id}" can’t be decrypted. Either another key has that ID now, or the text was altered or moved.`,
    )
  }
}

const digestText = (version: Version, key: Key, text: string, identity: Identity): Buffer =>
  createHmac('sha256', key.secret).update(associatedData(version, identity)).update(text).digest()

/** JSON, so that two identities never produce the same bytes. */
function associatedData(version: Version, identity: Identity): Buffer {
  return Buffer.from(JSON.stringify([version, ...identity]))
}

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

/** Called for every text that can't be opened, even if the caller handles the error. */
export type OnDecryptError = (identity: Identity, reason: SealError) => void
