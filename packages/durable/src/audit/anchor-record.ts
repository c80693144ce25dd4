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
  /** In the first record of a place: the place before it, and the count of the last record there. */
  readonly moved?: { readonly place: string; readonly n: number } | undefined
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

/** Parses the output of `formatRecord`. Undefined for any other text. Doesn't check the signature; `readRecords` does. */
export function parseRecord(text: string): AnchorRecord | undefined {
  const [, , content = ''] = [...text.matchAll(RECORD_PATTERN)][0] ?? []
  return parseContent(content)
}

/** A record in its signed form. */
export interface FoundRecord {
  readonly record: AnchorRecord
  readonly text: string
}

/** The records found in a text, in its order. Everything else is ignored. */
interface FoundRecords {
  /** The records that are signed with a key in the ring, or vouched for by a later genuine record or the register. */
  readonly genuine: readonly FoundRecord[]
  /** The records that can't be checked, because they're signed with a key that isn't here. */
  readonly unchecked: readonly (FoundRecord & { readonly keyId: string })[]
  /** The number of records that end early, because the disk was full or the process was killed. */
  readonly unfinished: number
}

/** Finds the records in a text. Those with a hash in `trustedHashes` are genuine, whatever key signed them. */
export function readRecords(text: string, ring: Keyring, trustedHashes: Iterable<string>): FoundRecords {
  const trusted = new Set(trustedHashes)
  // A record may be there twice, if a process died over it or a response was lost.
  const matches = new Map([...text.matchAll(RECORD_PATTERN)].map((match) => [match[0], match]))
  const publicKeys = new Map([...ring.byId].map(([id, key]) => [id, createPublicKey(signingKey(key))]))
  const genuine: FoundRecord[] = []
  const unchecked: (FoundRecord & { keyId: string })[] = []
  // From the end, because each record vouches for the one before it.
  for (const [whole, keyId = '', content = '', signature = ''] of [...matches.values()].reverse()) {
    const record = parseContent(content)
    if (!record) continue
    const key = publicKeys.get(keyId)
    const signed = Buffer.from(whole.slice(0, whole.lastIndexOf('.')))
    const isGenuine =
      trusted.has(hashRecord(whole)) ||
      (key !== undefined && verify(null, signed, key, Buffer.from(signature, 'base64url')))
    if (isGenuine && record.prior) trusted.add(record.prior.hash)
    if (isGenuine) genuine.push({ record, text: whole })
    else unchecked.push({ record, text: whole, keyId })
  }
  const wholeCount = [...text.matchAll(RECORD_PATTERN)].length
  return {
    genuine: genuine.reverse(),
    unchecked: unchecked.reverse(),
    unfinished: text.split(RECORD_START).length - 1 - wholeCount,
  }
}

/** Finds the last record in the text of a place, genuine or not. */
export function findLastText(text: string): string | undefined {
  return [...text.matchAll(RECORD_PATTERN)].findLast(([, , content = '']) => parseContent(content))?.[0]
}

/** Undefined if the content isn't a record. Only its number is used before its signature is verified. */
function parseContent(content: string): AnchorRecord | undefined {
  if (content === '' || content.length > MAX_CHARACTERS) return undefined
  const value: unknown = parseObject(Buffer.from(content, 'base64url').toString('utf8'))
  return isRecord(value) ? value : undefined
}

const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_INTEGER

/** True for a count with a text under this name, and for undefined. */
function hasCount(value: unknown, name: string): boolean {
  if (value === undefined) return true
  const fields = Object(value) as Record<string, unknown>
  return isCount(fields.n) && typeof fields[name] === 'string'
}

function isRecord(value: unknown): value is AnchorRecord {
  // Check every field before using it.
  const { lineage, restore, n, at, prior, moved, restored, heads } = (value ?? {}) as Partial<
    Record<keyof AnchorRecord, unknown>
  >
  if (typeof lineage !== 'string' || typeof restore !== 'string' || !isCount(n)) return false
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at)) || !Array.isArray(heads)) return false
  if (restored !== undefined && typeof restored !== 'string') return false
  if (!hasCount(prior, 'hash') || !hasCount(moved, 'place')) return false
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
