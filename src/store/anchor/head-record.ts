import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { derived } from '../secrets/derive.ts'
import type { Key, Keyring } from '../secrets/keys.ts'

/** The end of a workspace's chain at some time. */
export interface AnchoredHead {
  readonly workspaceId: string
  readonly sequence: number
  readonly hash: string
}

/** A record of the chains that is kept outside of the database. */
export interface HeadRecord {
  /** Counts the records, from 1. */
  readonly n: number
  readonly at: string
  /** SHA-256 of the record before, hexadecimal; '' before the first. */
  readonly previous: string
  readonly heads: readonly AnchoredHead[]
}

/** A record that was found; `isGenuine` when a key of the ring signed it, or a later genuine record names it. */
export interface FoundRecord extends HeadRecord {
  readonly isGenuine: boolean
}

const FORM =
  /signalman-audit\.v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})(?![A-Za-z0-9_-])/g

/** One word that survives copying out of a message: `signalman-audit.v1.KEY.CONTENT.SIGNATURE` (Ed25519). */
export function recordText(key: Key, record: HeadRecord): string {
  const content = Buffer.from(JSON.stringify(record)).toString('base64url')
  const signed = `signalman-audit.v1.${key.id}.${content}`
  return `${signed}.${sign(null, Buffer.from(signed), signingKey(key)).toString('base64url')}`
}

export const hashOfRecord = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Every record in a text, by number; other text between them is ignored. */
export function recordsIn(text: string, ring: Keyring): FoundRecord[] {
  const found = [...text.matchAll(FORM)].flatMap(([whole, keyId = '', content = '', signature = '']) => {
    const record = contentOf(content)
    const key = ring.byId.get(keyId)
    const signed = Buffer.from(whole.slice(0, whole.lastIndexOf('.')))
    const isSigned =
      key !== undefined &&
      verify(null, signed, createPublicKey(signingKey(key)), Buffer.from(signature, 'base64url'))
    return record ? [{ record, hash: hashOfRecord(whole), isSigned }] : []
  })
  const vouchedFor = new Set<string>()
  return found
    .toSorted((left, right) => right.record.n - left.record.n)
    .map(({ record, hash, isSigned }) => {
      const isGenuine = isSigned || vouchedFor.has(hash)
      if (isGenuine) vouchedFor.add(record.previous)
      return { ...record, isGenuine }
    })
    .reverse()
}

function contentOf(content: string): HeadRecord | undefined {
  try {
    // Nothing of it is used before its signature is verified.
    return JSON.parse(Buffer.from(content, 'base64url').toString('utf8')) as HeadRecord
  } catch {
    return undefined
  }
}

/** The bytes before the seed of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Derived from the encryption key: no other secret to keep, and the database alone is not enough to sign. */
function signingKey(key: Key): KeyObject {
  const seed = derived(key, 'audit head')
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
}
