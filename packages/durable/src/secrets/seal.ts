import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { jsonText } from '../database/json.ts'
import { fixedKeys, type Key, type Keyring, type LivingKeys } from './keys.ts'

/** Why a sealed text does not open. */
type SealErrorKind = 'malformed' | 'unknown-key' | 'rejected'

/** A sealed text does not open here. The message names the key's id, never content. */
export class SealError extends Error {
  override readonly name = 'SealError'
  readonly kind: SealErrorKind
  constructor(kind: SealErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** The result of `open`, or why the text does not open. */
export function tryOpen<T>(open: () => T): { readonly value: T } | { readonly unopened: SealError } {
  try {
    return { value: open() }
  } catch (error) {
    if (error instanceof SealError) return { unopened: error }
    throw error
  }
}

/** The table, then what names the row: a text sealed for one row opens for no other. */
export type Identity = readonly [table: string, ...row: string[]]

/** Seals and opens short texts under a keyring. */
export interface Sealer {
  /** `v1.<key id>.<base64url of nonce, ciphertext and tag>`, sealed with the ring's first key. */
  seal(text: string, identity: Identity): string
  /** The text, or SealError: not in this form, by a key not in the ring, altered, or sealed for another row. */
  open(sealed: string, identity: Identity): string
  /** 32 bytes that are equal for equal texts, and reveal nothing of a text without the key. Another key gives other bytes. */
  digest(text: string, identity: Identity): Buffer
}

export type TextSealer = Pick<Sealer, 'seal' | 'digest'>
export type TextOpener = Pick<Sealer, 'open'>

/** Sealed by an encryption key itself, or by a workspace's own key (see workspace-keys.ts). */
type Version = 'v1' | 'v2'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Explicit, because Node otherwise accepts tags as short as 4 bytes. */
const TAG = { authTagLength: TAG_BYTES }
const FORM = /^(v[12])\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/

/** AES-256-GCM with a random nonce for each text; the row's identity is the associated data. */
export function createSealer(keys: Keyring | LivingKeys): Sealer {
  const living = 'ring' in keys ? keys : fixedKeys(keys)
  return {
    seal: (text, identity) => sealText('v1', living.primary(), text, identity),
    open(sealed, identity) {
      const { version, keyId, body } = openParts(sealed)
      const opens = ({ byId }: Keyring): boolean => {
        const key = byId.get(keyId)
        return key !== undefined && 'value' in tryOpen(() => openText(version, key, body, identity))
      }
      if (version === 'v1' && !living.ring().byId.has(keyId)) living.adopt(opens)
      const key = version === 'v1' ? living.ring().byId.get(keyId) : undefined
      if (key === undefined) {
        throw new SealError(
          'unknown-key',
          `A text is sealed with the key "${keyId}", which is not among the keys.`,
        )
      }
      return openText(version, key, body, identity)
    },
    digest: (text, identity) => digestText('v1', living.ring().primary, text, identity),
  }
}

/** Seals with a workspace's own key. */
export function createWorkspaceSealer(key: Key): TextSealer {
  return {
    seal: (text, identity) => sealText('v2', key, text, identity),
    digest: (text, identity) => digestText('v2', key, text, identity),
  }
}

/** Opens texts sealed with these keys of workspaces, by id; `others` opens the rest. */
export function createWorkspaceOpener(
  byId: Pick<ReadonlyMap<string, Key | SealError>, 'get'>,
  others: TextOpener,
): TextOpener {
  return {
    open(sealed, identity) {
      const { version, keyId, body } = openParts(sealed)
      if (version === 'v1') return others.open(sealed, identity)
      const key = byId.get(keyId)
      if (key === undefined) {
        throw new SealError(
          'unknown-key',
          `A text is sealed with a key of its workspace ("${keyId}") that is gone: the workspace was forgotten since.`,
        )
      }
      if (key instanceof SealError) throw key
      return openText(version, key, body, identity)
    },
  }
}

/** The id of the workspace's key that sealed a text; undefined for a text of an encryption key. */
export function parseWorkspaceKeyId(sealed: string): string | undefined {
  const [, version, keyId] = FORM.exec(sealed) ?? []
  return version === 'v2' ? keyId : undefined
}

/** The id of the encryption key that a text is sealed with, if it is sealed with one itself. */
export function parseRootKeyId(sealed: string): string | undefined {
  const [, version, keyId] = FORM.exec(sealed.trim()) ?? []
  return version === 'v1' ? keyId : undefined
}

function openParts(sealed: string): { version: Version; keyId: string; body: Buffer } {
  const [, version, keyId, body] = FORM.exec(sealed) ?? []
  if (keyId === undefined || body === undefined) {
    throw new SealError('malformed', 'A sealed text isn’t in the form that this program writes.')
  }
  return { version: version === 'v2' ? 'v2' : 'v1', keyId, body: Buffer.from(body, 'base64url') }
}

/** `seal` with a workspace's own key, for bytes. */
export const sealBytes = (key: Key, bytes: Buffer, identity: Identity): string =>
  sealText('v2', key, bytes, identity)

/** Opens what `sealBytes` has sealed with this key. Throws SealError. */
export function openBytes(key: Key, sealed: string, identity: Identity): Buffer {
  const { version, body } = openParts(sealed)
  return opened(version, key, body, identity)
}

function sealText(version: Version, key: Key, text: string | Buffer, identity: Identity): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key.secret, nonce, TAG)
  cipher.setAAD(associatedData(version, identity))
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const sealed = Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  return `${version}.${key.id}.${sealed.toString('base64url')}`
}

const openText = (version: Version, key: Key, sealed: Buffer, identity: Identity): string =>
  opened(version, key, sealed, identity).toString('utf8')

function opened(version: Version, key: Key, sealed: Buffer, identity: Identity): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) {
    throw new SealError('malformed', 'A sealed text is cut short.')
  }
  const decipher = createDecipheriv(CIPHER, key.secret, sealed.subarray(0, NONCE_BYTES), TAG)
  decipher.setAAD(associatedData(version, identity))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const start = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([start, decipher.final()])
  } catch {
    throw new SealError(
      'rejected',
      `A text sealed with the key "${key.id}" does not open: the key is another one of that id, or the text was altered or moved.`,
    )
  }
}

const digestText = (version: Version, key: Key, text: string, identity: Identity): Buffer =>
  createHmac('sha256', key.secret).update(associatedData(version, identity)).update(text).digest()

/** JSON, so that two identities never give the same bytes. */
function associatedData(version: Version, identity: Identity): Buffer {
  return Buffer.from(JSON.stringify([version, ...identity]))
}

export type SealedState = ReturnType<typeof sealedState>

/** JSON that leaves the program and comes back: sealed for one place, until a time. */
export function sealedState(sealer: Sealer) {
  return {
    /** Text of the letters `A–Z a–z 0–9 _ - .`. Throws StoreError `bad-value` for what JSON cannot hold. */
    seal: (body: unknown, boundTo: readonly string[], expiresAt: Date): string =>
      sealer.seal(jsonText([expiresAt.getTime(), body], 'Sealed state'), ['sealed-state', ...boundTo]),

    /** The body; undefined when it is not ours, was altered, is for another place, or has expired. */
    open(sealed: string, boundTo: readonly string[], now: Date): unknown | undefined {
      const opened = tryOpen(() => sealer.open(sealed, ['sealed-state', ...boundTo]))
      if ('unopened' in opened) return undefined
      // Sealed above, so it has this form.
      const [until, body] = JSON.parse(opened.value) as [number, unknown]
      return now.getTime() < until ? body : undefined
    },
  }
}

/** Called for every text that does not open, also where the caller handles the error. */
export type OnUnopened = (identity: Identity, why: SealError) => void
