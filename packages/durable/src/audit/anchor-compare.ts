import { HOUR_MS, yieldWhenDue } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { splitChunks } from '../database/batches.ts'
import type { Schema } from '../database/schema.ts'
import type { Keyring } from '../secrets/keys.ts'
import { type AnchorRecord, readRecords } from './anchor-record.ts'
import type { Head, Register } from './head.ts'
import type { AuditFault } from './read-chain.ts'
import type { AuditVerdicts } from './verify.ts'

/** A text with anchor records from outside the database. */
export interface AnchorText {
  readonly text: string
  /** The target, such as `file:/var/audit`, if this is its complete text. Undefined for a copy, which may be incomplete. */
  readonly target?: string | undefined
}

export interface AnchorVerdict {
  /** The compared records, in order of their numbers. */
  readonly records: readonly AnchorRecord[]
  /** The number of records in the text. */
  readonly count: number
  /** Faults of records. `sequence` is the record's number. */
  readonly faults: readonly AuditFault[]
  /** Faults of logs, by workspace. */
  readonly faultsByWorkspace: ReadonlyMap<string, readonly AuditFault[]>
  readonly notes: readonly string[]
}

/**
 * How long after a restore the replaced database may still write records, because clocks differ and processes take time to stop.
 */
const RESTORE_OVERLAP_MS = HOUR_MS
const ROWS_PER_STATEMENT = 500

/** Compares the logs with every genuine record that this database must agree with. */
export async function compareWithAnchor(
  rows: Kysely<Schema>,
  { register, workspaces }: AuditVerdicts,
  ring: Keyring,
  { text, target }: AnchorText,
): Promise<AnchorVerdict> {
  const trustedHashes = Object.values(register?.last ?? {}).map(({ hash }) => hash)
  const { genuine, count, notes } = readRecords(text, ring, trustedHashes)
  const faults: AuditFault[] = []
  if (!register) {
    if (genuine.length > 0)
      faults.push({
        sequence: genuine[0]?.n ?? 0,
        description: 'exists, but the database has no register of chains: the log was wiped',
      })
    return { records: genuine, count, faults, faultsByWorkspace: new Map(), notes }
  }
  const records = listComparable(genuine, register)
  const compared = compareRecords(genuine, records, register, target)
  const heads = new Map([...workspaces].map(([id, { head }]) => [id, head]))
  const faultsByWorkspace = await compareHeads(rows, register, records, heads)
  return { records, count, faults: compared.faults, faultsByWorkspace, notes: [...notes, ...compared.notes] }
}

/**
 * The records that this database must agree with. From each of its lives, these are the records made before the backup that the
 * next life was restored from.
 */
export function listComparable(records: readonly AnchorRecord[], { lives }: Register): AnchorRecord[] {
  const lifeIndexes = new Map(lives.map(({ id }, index) => [id, index]))
  return records
    .filter(({ life, n }) => {
      const index = lifeIndexes.get(life)
      return index !== undefined && n <= (lives[index + 1]?.after ?? Number.POSITIVE_INFINITY)
    })
    .toSorted((a, b) => a.n - b.n)
}

function compareRecords(
  genuine: readonly AnchorRecord[],
  records: readonly AnchorRecord[],
  register: Register,
  target: string | undefined,
): Pick<AnchorVerdict, 'faults' | 'notes'> {
  const [first] = records
  const last = records.at(-1)?.n ?? 0
  const lastNumber = register.begun?.n ?? register.n
  const expectedLast = target === undefined ? 0 : (register.last[target]?.n ?? 0)
  const faults = [
    ...findUnknownLifeFaults(genuine, records, register),
    ...records.flatMap((record, index) => findRecordFaults(record, records[index - 1], lastNumber)),
    ...(last < expectedLast
      ? [
          {
            sequence: last + 1,
            description: `${describeRange(last + 1, expectedLast, 'is', 'are')} missing from the end of the anchor`,
          },
        ]
      : []),
  ]
  const notes = [
    ...(first?.prior ? [`The anchor begins at record ${first.n}.`] : []),
    ...(target === undefined && last < lastNumber
      ? [`The anchor ends at record ${last} of ${lastNumber}.`]
      : []),
  ]
  return { faults, notes }
}

/** Faults for records from unknown lives, made after this life began. */
function findUnknownLifeFaults(
  genuine: readonly AnchorRecord[],
  records: readonly AnchorRecord[],
  { lives }: Register,
): AuditFault[] {
  const began = Date.parse(lives.at(-1)?.at ?? '')
  return genuine
    .filter((record) => !records.includes(record) && Date.parse(record.at) > began + RESTORE_OVERLAP_MS)
    .map(({ n, at }) => ({
      sequence: n,
      description: `was written ${at} by another copy of the database: either that copy is still running, or this one has replaced it`,
    }))
}

/** Continues a sentence that starts with the first record's number: `was`, or `and all records up to 7 were`. */
const describeRange = (first: number, last: number, singularVerb: string, pluralVerb: string): string =>
  first === last ? singularVerb : `and all records up to ${last} ${pluralVerb}`

function findRecordFaults(
  { n, prior }: AnchorRecord,
  before: AnchorRecord | undefined,
  lastNumber: number,
): AuditFault[] {
  const faults: AuditFault[] = []
  if (before?.n === n)
    faults.push({
      sequence: n,
      description: 'exists twice with different contents: the register was rolled back',
    })
  if (before && prior && prior.n > before.n)
    faults.push({
      sequence: before.n + 1,
      description: `${describeRange(before.n + 1, prior.n, 'was', 'were')} changed or removed from the anchor`,
    })
  if (n > lastNumber)
    faults.push({
      sequence: n,
      description: `is newer than the last record in the database, ${lastNumber}: the register was rolled back`,
    })
  return faults
}

interface AnchoredPoint {
  readonly sequence: number
  readonly hash: string
  readonly life: string
  readonly at: string
}

async function compareHeads(
  rows: Kysely<Schema>,
  { lives }: Register,
  records: readonly AnchorRecord[],
  heads: ReadonlyMap<string, Head | undefined>,
): Promise<ReadonlyMap<string, readonly AuditFault[]>> {
  const lifeIndexes = new Map(lives.map(({ id }, index) => [id, index]))
  const points = new Map<string, AnchoredPoint[]>()
  for (const { life, at, heads: anchoredHeads } of records)
    for (const [id, sequence, hash] of anchoredHeads)
      points.set(id, [...(points.get(id) ?? []), { sequence, hash, life, at }])
  const found = new Map<string, readonly AuditFault[]>()
  for (const [id, chainPoints] of points) {
    const head = heads.get(id)
    const lifePoints = chainPoints.filter(
      ({ life }) => (lifeIndexes.get(life) ?? 0) >= (lifeIndexes.get(head?.began ?? '') ?? 0),
    )
    let faults: readonly AuditFault[] = []
    if (head) faults = await findPointFaults(rows, id, head, lifePoints)
    // If the head exists but doesn't open, the chain's verification reports it.
    else if (!heads.has(id)) faults = findMissingChainFaults(chainPoints)
    if (faults.length > 0) found.set(id, faults)
  }
  return found
}

const findMissingChainFaults = (points: readonly AnchoredPoint[]): AuditFault[] =>
  points.slice(-1).map(({ sequence, at }) => ({
    sequence,
    description: `was anchored ${at}, but its chain no longer exists: the log was wiped`,
  }))

async function findPointFaults(
  rows: Kysely<Schema>,
  workspaceId: string,
  head: Head,
  points: readonly AnchoredPoint[],
): Promise<AuditFault[]> {
  const faults: AuditFault[] = []
  for (const chunk of splitChunks(points, ROWS_PER_STATEMENT)) {
    const hashes = await readHashes(
      rows,
      workspaceId,
      chunk.map(({ sequence }) => sequence),
    )
    for (const { sequence, hash, at } of chunk) {
      const problem = findFault(head, hashes, sequence, hash)
      if (problem) faults.push({ sequence, description: `was anchored ${at}, but ${problem}` })
    }
    await yieldWhenDue()
  }
  return faults
}

/** Describes how the row with this number differs from its anchored hash. Undefined if it doesn't. */
function findFault(
  head: Head,
  currentHashes: ReadonlyMap<number, string>,
  sequence: number,
  anchoredHash: string,
): string | undefined {
  if (sequence > head.sequence) return 'is missing: the log was rolled back or truncated'
  // Removed by retention or an erasure, according to the sealed head.
  if (sequence < head.keptFrom - 1) return undefined
  const currentHash = sequence === head.keptFrom - 1 ? head.hashBefore : currentHashes.get(sequence)
  return currentHash === anchoredHash
    ? undefined
    : 'has different content now: the log was rolled back or rewritten'
}

async function readHashes(
  rows: Kysely<Schema>,
  workspaceId: string,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const found = await rows
    .selectFrom('audit_entry')
    .select(['sequence', 'hash'])
    .where('workspace_id', '=', workspaceId)
    .where('sequence', 'in', [...new Set(sequences)])
    .execute()
  return new Map(found.map(({ sequence, hash }) => [sequence, hash]))
}
