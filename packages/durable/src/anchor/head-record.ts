import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { objectIn } from '../database/json.ts'
import { derived, type Key, type Keyring } from '../secrets/keys.ts'

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

/** The records in a text. */
export interface FoundRecords {
  /** Signed with a key of the ring, or named by a later genuine record; by number. */
  readonly genuine: readonly HeadRecord[]
  /** Those that were passed over, by their number, or by their place in the text where they have none. */
  readonly faults: readonly { readonly sequence: number; readonly what: string }[]
}

/** As many as fit in one message of Slack. */
export const HEADS_IN_RECORD = 15
/** The most characters of a record's content; one with all its heads has some 3,000. */
const MOST_CHARACTERS = 20_000
/** The largest number in a column of the databases. */
const LARGEST = 0x7fff_ffff

const FORM =
  /signalman-audit\.v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})(?![A-Za-z0-9_-])/g

/** One word that survives copying out of a message: `signalman-audit.v1.KEY.CONTENT.SIGNATURE` (Ed25519). */
export function recordText(key: Key, record: HeadRecord): string {
  const content = Buffer.from(JSON.stringify(record)).toString('base64url')
  const signed = `signalman-audit.v1.${key.id}.${content}`
  return `${signed}.${sign(null, Buffer.from(signed), signingKey(key)).toString('base64url')}`
}

export const hashOfRecord = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Every record in a text; other text between them is ignored. A record names the one before it, so of an unbroken row only the last
 * signature is verified.
 */
export function recordsIn(text: string, ring: Keyring): FoundRecords {
  const faults: { sequence: number; what: string }[] = []
  const found = [...text.matchAll(FORM)].flatMap(
    ([whole, keyId = '', content = '', signature = ''], index) => {
      const record = contentOf(content)
      if (record) return [{ record, whole, keyId, signature }]
      faults.push({
        sequence: index + 1,
        what: '(counted from the top) cannot be read or counts out of range: it was forged, and is passed over',
      })
      return []
    },
  )
  const publicKeys = new Map([...ring.byId].map(([id, key]) => [id, createPublicKey(signingKey(key))]))
  const vouchedFor = new Set<string>()
  const genuine: HeadRecord[] = []
  for (const { record, whole, keyId, signature } of found.toSorted(
    (left, right) => right.record.n - left.record.n,
  )) {
    const key = publicKeys.get(keyId)
    const signed = Buffer.from(whole.slice(0, whole.lastIndexOf('.')))
    const isGenuine =
      vouchedFor.has(hashOfRecord(whole)) ||
      (key !== undefined && verify(null, signed, key, Buffer.from(signature, 'base64url')))
    if (isGenuine) {
      vouchedFor.add(record.previous)
      genuine.push(record)
    } else
      faults.push({
        sequence: record.n,
        what: 'was signed with no key that is here: it was forged, or its key was given up',
      })
  }
  return { genuine: genuine.reverse(), faults }
}

/** Undefined for what is no record. Nothing of it but its number is used before its signature is verified. */
function contentOf(content: string): HeadRecord | undefined {
  if (content.length > MOST_CHARACTERS) return undefined
  const read: unknown = objectIn(Buffer.from(content, 'base64url').toString('utf8'))
  return isRecord(read) ? read : undefined
}

const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LARGEST

function isRecord(read: unknown): read is HeadRecord {
  // Each member is looked at before it is used.
  const { n, at, previous, heads } = (read ?? {}) as Partial<Record<keyof HeadRecord, unknown>>
  if (!isCount(n) || typeof previous !== 'string' || !Array.isArray(heads)) return false
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return false
  return heads.every(
    (head: Partial<AnchoredHead> | null) =>
      typeof head?.workspaceId === 'string' && typeof head.hash === 'string' && isCount(head.sequence),
  )
}

/** The bytes before the seed of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Derived from the encryption key: no other secret to keep, and the database alone is not enough to sign. */
function signingKey(key: Key): KeyObject {
  const seed = derived(key, 'audit head')
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
}
