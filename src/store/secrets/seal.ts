import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Key, Keyring } from './keys.ts'

/** Why a sealed text does not open. */
export type SealErrorKind = 'malformed' | 'unknown-key' | 'rejected'

/** A sealed text does not open here. The message names the key's id, never content. */
export class SealError extends Error {
  override readonly name = 'SealError'
  readonly kind: SealErrorKind
  constructor(kind: SealErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Table, then what names the row in it: a text sealed for one row opens for no other. */
export type Identity = readonly [table: string, ...row: string[]]

/** Seals and opens short texts under a keyring. */
export interface Sealer {
  /** `v1.<key id>.<base64url of nonce, ciphertext and tag>`, sealed with the ring's first key. */
  seal(text: string, identity: Identity): string
  /** The text, or SealError: not in this form, by a key not in the ring, altered, or sealed for another row. */
  open(sealed: string, identity: Identity): string
  /** 32 bytes that tell equal texts, and nothing of a text to who lacks the key. Another key gives other ones. */
  digest(text: string, identity: Identity): Buffer
}

const CIPHER = 'aes-256-gcm'
const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Said aloud, because without it Node accepts tags as short as 4 bytes. */
const TAG = { authTagLength: TAG_BYTES }
const FORM = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/

/** AES-256-GCM with a random nonce for each text; the row's identity is the associated data. The ring may change. */
export function createSealer(keys: Keyring | (() => Keyring)): Sealer {
  const ring = typeof keys === 'function' ? keys : () => keys
  return {
    seal: (text, identity) => seal(ring().primary, text, identity),
    open(sealed, identity) {
      const [, keyId, body] = FORM.exec(sealed) ?? []
      if (keyId === undefined || body === undefined) {
        throw new SealError('malformed', 'A sealed text is not in the form that Signalman writes.')
      }
      const key = ring().byId.get(keyId)
      if (key === undefined) {
        throw new SealError(
          'unknown-key',
          `A text is sealed with the key "${keyId}", which is not among the keys.`,
        )
      }
      return open(key, Buffer.from(body, 'base64url'), identity)
    },
    digest: (text, identity) =>
      createHmac('sha256', ring().primary.secret).update(associatedData(identity)).update(text).digest(),
  }
}

function seal(key: Key, text: string, identity: Identity): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key.secret, nonce, TAG)
  cipher.setAAD(associatedData(identity))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${VERSION}.${key.id}.${sealed.toString('base64url')}`
}

function open(key: Key, sealed: Buffer, identity: Identity): string {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) {
    throw new SealError('malformed', 'A sealed text is cut short.')
  }
  const decipher = createDecipheriv(CIPHER, key.secret, sealed.subarray(0, NONCE_BYTES), TAG)
  decipher.setAAD(associatedData(identity))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  const start = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8')
  try {
    return start + decipher.final('utf8')
  } catch {
    throw new SealError(
      'rejected',
      `A text sealed with the key "${key.id}" does not open: the key is another one of that id, or the text was altered or moved.`,
    )
  }
}

/** JSON, so that no two identities run together to the same bytes. */
function associatedData(identity: Identity): Buffer {
  return Buffer.from(JSON.stringify([VERSION, ...identity]))
}
