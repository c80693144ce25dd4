import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { parseObject } from '../database/json.ts'
import { deriveBytes, type Key, type Keyring } from '../secrets/keys.ts'

/** The end of a workspace's chain at some point in time. */
export type AnchoredHead = readonly [workspaceId: string, sequence: number, hash: string]

/** A record of the ends of chains, kept in one append-only place outside the database. */
export interface AnchorRecord {
  /** The database that wrote it: the lineage in its register. */
  readonly lineage: string
  /** The last restore of the database before the record; '' if there was none. */
  readonly restore: string
  /** The count. In the order of the place it rises, except that a restore record continues from its backup. */
  readonly n: number
  /** For people. Nothing compares it, because clocks of hosts differ. */
  readonly at: string
  /** The previous record of this database. */
  readonly prior?: { readonly n: number; readonly hash: string } | undefined
  /** In the first record of a place: the place of the previous record. */
  readonly moved?: string | undefined
  /** In the record of a restore: when its backup was made. */
  readonly restored?: string | undefined
  readonly heads: readonly AnchoredHead[]
}

/** As many heads as fit in one chat message. */
export const HEADS_IN_RECORD = 15
/** The maximum length of a record's content. A record with all its heads has about 3,000 characters. */
const MAX_CHARACTERS = 20_000
const RECORD_START = 'audit-anchor.v1.'
/** The largest number in any column of the databases. */
const MAX_INTEGER = 0x7fff_ffff

const RECORD_PATTERN =
  /audit-anchor\.v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})(?![A-Za-z0-9_-])/g

/** Formats a record as one word that can be copied out of a message: `audit-anchor.v1.KEY.CONTENT.SIGNATURE` (Ed25519). */
export function formatRecord(key: Key, record: AnchorRecord): string {
  const content = Buffer.from(JSON.stringify(record)).toString('base64url')
  const signed = `${RECORD_START}${key.id}.${content}`
  return `${signed}.${sign(null, Buffer.from(signed), signingKey(key)).toString('base64url')}`
}

/** The ID of the key that signed a record. */
export const readKeyId = (text: string): string => text.split('.')[2] ?? ''

export const hashRecord = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A record in its signed form. */
export interface FoundRecord {
  readonly record: AnchorRecord
  readonly text: string
}

/** Finds the records in a text, genuine or not, in its order. Ignores everything else. */
export const findRecords = (text: string): FoundRecord[] =>
  [...text.matchAll(RECORD_PATTERN)].flatMap(([whole, , content = '']) => {
    const record = parseContent(content)
    return record ? [{ record, text: whole }] : []
  })

/** The records found in a text, in its order. Everything else is ignored. */
interface FoundRecords {
  /** The records that are signed with a key in the ring, or vouched for by a later genuine record or the register. */
  readonly genuine: readonly FoundRecord[]
  /** The records that can't be checked, because they're signed with a key that isn't here. */
  readonly unchecked: readonly FoundRecord[]
  /** The number of records that end early, because the disk was full or the process was killed. */
  readonly unfinished: number
}

/** Checks the records in a text. Those with a hash in `trustedHashes` are genuine, whatever key signed them. */
export function readRecords(text: string, ring: Keyring, trustedHashes: Iterable<string>): FoundRecords {
  const trusted = new Set(trustedHashes)
  // A record may be there twice, if a process died over it or a response was lost.
  const once = new Map(findRecords(text).map((found) => [found.text, found]))
  const publicKeys = new Map([...ring.byId].map(([id, key]) => [id, createPublicKey(signingKey(key))]))
  const genuine: FoundRecord[] = []
  const unchecked: FoundRecord[] = []
  // From the end, because each record vouches for the one before it.
  for (const found of [...once.values()].reverse()) {
    const isGenuine = trusted.has(hashRecord(found.text)) || isSigned(found.text, publicKeys)
    if (isGenuine && found.record.prior) trusted.add(found.record.prior.hash)
    ;(isGenuine ? genuine : unchecked).push(found)
  }
  return {
    genuine: genuine.reverse(),
    unchecked: unchecked.reverse(),
    unfinished: text.split(RECORD_START).length - 1 - [...text.matchAll(RECORD_PATTERN)].length,
  }
}

function isSigned(text: string, publicKeys: ReadonlyMap<string, KeyObject>): boolean {
  const key = publicKeys.get(readKeyId(text))
  const end = text.lastIndexOf('.')
  const signature = Buffer.from(text.slice(end + 1), 'base64url')
  return key !== undefined && verify(null, Buffer.from(text.slice(0, end)), key, signature)
}

/** Undefined if the content isn't a record. */
function parseContent(content: string): AnchorRecord | undefined {
  if (content.length > MAX_CHARACTERS) return undefined
  const value: unknown = parseObject(Buffer.from(content, 'base64url').toString('utf8'))
  return isRecord(value) ? value : undefined
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_INTEGER

function isRecord(value: unknown): value is AnchorRecord {
  // Check every field before using it.
  const { lineage, restore, n, at, prior, moved, restored, heads } = (value ?? {}) as Partial<
    Record<keyof AnchorRecord, unknown>
  >
  const { n: priorNumber, hash } = Object(prior) as Record<string, unknown>
  return (
    [lineage, restore, at].every(isText) &&
    [moved, restored].every((text) => text === undefined || isText(text)) &&
    !Number.isNaN(Date.parse(String(at))) &&
    isCount(n) &&
    (prior === undefined || (isCount(priorNumber) && isText(hash))) &&
    Array.isArray(heads) &&
    heads.every((head) => isText(head?.[0]) && isCount(head?.[1]) && isText(head?.[2]))
  )
}

/** The bytes that precede the seed of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Derived from the encryption key, so there's no other secret to keep, and access to the database isn't enough to sign. */
function signingKey(key: Key): KeyObject {
  const seed = deriveBytes(key, 'audit head')
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
}
