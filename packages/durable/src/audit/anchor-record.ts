import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { parseObject } from '../database/json.ts'
import { deriveBytes, type Key, type Keyring } from '../secrets/keys.ts'

/** The end of a workspace's chain at some point in time. */
export type AnchoredHead = readonly [workspaceId: string, sequence: number, hash: string]

/** A record of the ends of chains, kept outside the database. */
export interface AnchorRecord {
  /** The database's life (the time between two restores) in which the record was made. */
  readonly life: string
  /** The record's number, counted from 1 through all lives and targets. */
  readonly n: number
  readonly at: string
  /** The previous record in the same target. */
  readonly prior?: { readonly n: number; readonly hash: string } | undefined
  readonly heads: readonly AnchoredHead[]
}

/** As many heads as fit in one chat message. */
export const HEADS_IN_RECORD = 15
/** The maximum length of a record's content. A record with all its heads has about 3,000 characters. */
const MAX_CHARACTERS = 20_000
/** The largest number in any column of the databases. */
const MAX_INTEGER = 0x7fff_ffff

const RECORD_PATTERN =
  /audit-anchor\.v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})(?![A-Za-z0-9_-])/g

/** Formats a record as one word that can be copied out of a message: `audit-anchor.v1.KEY.CONTENT.SIGNATURE` (Ed25519). */
export function formatRecord(key: Key, record: AnchorRecord): string {
  const content = Buffer.from(JSON.stringify(record)).toString('base64url')
  const signed = `audit-anchor.v1.${key.id}.${content}`
  return `${signed}.${sign(null, Buffer.from(signed), signingKey(key)).toString('base64url')}`
}

export const hashRecord = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Parses the output of `formatRecord`. Undefined for any other text. Doesn't check the signature; `readRecords` does. */
export function parseRecord(text: string): AnchorRecord | undefined {
  const [, , content = ''] = [...text.matchAll(RECORD_PATTERN)][0] ?? []
  return parseContent(content)
}

/** The records found in a text, ignoring everything else. */
interface FoundRecords {
  /** The records that are signed with a key in the ring, or vouched for by a later genuine record or the register, by number. */
  readonly genuine: readonly AnchorRecord[]
  /** The number of records, genuine or not. */
  readonly count: number
  /** Records that can't be checked, for example because their key is gone. */
  readonly notes: readonly string[]
}

/** Finds the records in a text. Those with a hash in `trustedHashes` are genuine, whatever key signed them. */
export function readRecords(text: string, ring: Keyring, trustedHashes: Iterable<string>): FoundRecords {
  const notes: string[] = []
  const trusted = new Set(trustedHashes)
  const texts = new Map([...text.matchAll(RECORD_PATTERN)].map((match) => [match[0], match]))
  const found = [...texts.values()].flatMap(([whole, keyId = '', content = '', signature = '']) => {
    const record = parseContent(content)
    if (!record) notes.push('Skipped a record that can’t be parsed.')
    return record ? [{ record, whole, keyId, signature }] : []
  })
  const publicKeys = new Map([...ring.byId].map(([id, key]) => [id, createPublicKey(signingKey(key))]))
  const genuine: AnchorRecord[] = []
  for (const { record, whole, keyId, signature } of found.toSorted((a, b) => b.record.n - a.record.n)) {
    const key = publicKeys.get(keyId)
    const signed = Buffer.from(whole.slice(0, whole.lastIndexOf('.')))
    const isGenuine =
      trusted.has(hashRecord(whole)) ||
      (key !== undefined && verify(null, signed, key, Buffer.from(signature, 'base64url')))
    if (isGenuine) {
      if (record.prior) trusted.add(record.prior.hash)
      genuine.push(record)
    } else
      notes.push(
        `Skipped record ${record.n}: it was signed with a key that isn’t here. Either it was forged, or its key was dropped in a rotation.`,
      )
  }
  return { genuine: genuine.reverse(), count: texts.size, notes }
}

/** Undefined if the content isn't a record. Only its number is used before its signature is verified. */
function parseContent(content: string): AnchorRecord | undefined {
  if (content === '' || content.length > MAX_CHARACTERS) return undefined
  const value: unknown = parseObject(Buffer.from(content, 'base64url').toString('utf8'))
  return isRecord(value) ? value : undefined
}

const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_INTEGER

function isRecord(value: unknown): value is AnchorRecord {
  // Check every field before using it.
  const { life, n, at, prior, heads } = (value ?? {}) as Partial<Record<keyof AnchorRecord, unknown>>
  if (typeof life !== 'string' || !isCount(n) || !Array.isArray(heads)) return false
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return false
  const priorRecord = prior as Partial<NonNullable<AnchorRecord['prior']>> | null | undefined
  if (priorRecord !== undefined && (!isCount(priorRecord?.n) || typeof priorRecord?.hash !== 'string'))
    return false
  return heads.every(
    (head: unknown) =>
      Array.isArray(head) && typeof head[0] === 'string' && isCount(head[1]) && typeof head[2] === 'string',
  )
}

/** The bytes that precede the seed of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Derived from the encryption key, so there's no other secret to keep, and access to the database isn't enough to sign. */
function signingKey(key: Key): KeyObject {
  const seed = deriveBytes(key, 'audit head')
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
}
