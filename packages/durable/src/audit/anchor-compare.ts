import { yieldWhenDue } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { splitChunks } from '../database/batches.ts'
import type { Schema } from '../database/schema.ts'
import type { Keyring } from '../secrets/keys.ts'
import { type AnchorRecord, type FoundRecord, hashRecord, readKeyId, readRecords } from './anchor-record.ts'
import { type Head, lastRestore, type Register } from './head.ts'
import type { AuditFault } from './read-chain.ts'
import type { AuditVerdicts } from './verify.ts'

/** A text with anchor records from outside the database. */
export interface AnchorText {
  readonly text: string
  /** The place, such as `file:/var/audit`, if this is its complete text. Undefined for a copy, which may be incomplete. */
  readonly place?: string | undefined
}

export interface AnchorVerdict {
  /** The compared records, in the order of the place. */
  readonly records: readonly AnchorRecord[]
  /** The number of records in the text. */
  readonly count: number
  /** Faults of records. `sequence` is the record's number. */
  readonly faults: readonly AuditFault[]
  /** Faults of logs, by workspace. */
  readonly faultsByWorkspace: ReadonlyMap<string, readonly AuditFault[]>
  readonly notes: readonly string[]
}

const ROWS_PER_STATEMENT = 500

/**
 * Compares the logs with every genuine record that this database must agree with: those of its lineage, up to the backup of each
 * restore. What counts is the order of the place, never a date.
 */
export async function compareWithAnchor(
  rows: Kysely<Schema>,
  { register, workspaces }: AuditVerdicts,
  ring: Keyring,
  { text, place }: AnchorText,
): Promise<AnchorVerdict> {
  const trusted = [register?.last?.hash, register?.begun && hashRecord(register.begun.text)]
  const found = readRecords(
    text,
    ring,
    trusted.filter((hash) => hash !== undefined),
  )
  const { genuine, unchecked, unfinished } = found
  const count = genuine.length + unchecked.length
  const notes = [
    ...describeUnchecked(unchecked),
    ...(unfinished > 0
      ? [`${unfinished} ${unfinished === 1 ? 'record was' : 'records were'} cut off while being written.`]
      : []),
  ]
  if (!register)
    return {
      records: [],
      count,
      faults: found.genuine.slice(0, 1).map(({ record: { n } }) => ({
        sequence: n,
        description: 'exists, but the database has no register of chains: the log was wiped',
      })),
      faultsByWorkspace: new Map(),
      notes,
    }
  const own = sortRecords(register, genuine)
  const faults = [
    ...own.faults,
    ...findForeignFaults(register, own.records, unchecked),
    ...own.records.flatMap((record, index) => findRecordFaults(record, own.records[index - 1], register)),
  ]
  const end = compareEnd(register, own.records, place)
  const records = own.records.map(({ record }) => record)
  const heads = new Map([...workspaces].map(([id, { head }]) => [id, head]))
  return {
    records,
    count,
    faults: [...faults, ...end.faults],
    faultsByWorkspace: await compareHeads(rows, records, heads),
    notes: [...notes, ...own.notes, ...end.notes],
  }
}

/** Names the records that the keys here can't check. */
function describeUnchecked(unchecked: readonly FoundRecord[]): string[] {
  const byKey = Map.groupBy(unchecked, ({ text }) => readKeyId(text))
  return [...byKey].map(([keyId, records]) => {
    const numbers = records.map(({ record }) => record.n)
    const listed = numbers.slice(0, MAX_LISTED).join(', ') + (numbers.length > MAX_LISTED ? ', …' : '')
    return `${numbers.length} ${numbers.length === 1 ? 'record' : 'records'} (${listed}) can’t be checked, because the key “${keyId}” isn’t here. Either it was dropped in a rotation, or they were forged.`
  })
}

const MAX_LISTED = 10

/** Sorts genuine records into those that the database must agree with, those that restores replaced, and others. */
function sortRecords(register: Register, genuine: readonly FoundRecord[]) {
  const { lineage, restores, owed } = register
  const indexes = new Map(['', ...restores.map(({ id }) => id)].map((id, index) => [id, index]))
  const classify = ({ record }: FoundRecord): 'own' | 'replaced' | 'of a copy' | 'foreign' => {
    const index = indexes.get(record.restore)
    if (record.lineage !== lineage) return 'foreign'
    if (index === undefined) return 'of a copy'
    return record.n <= (restores[index]?.after ?? Number.POSITIVE_INFINITY) ? 'own' : 'replaced'
  }
  const { own = [], foreign = [] } = Object.groupBy(genuine, classify)
  // Before the first record since the last restore, records may be about what the restore replaced.
  const restore = lastRestore(register)
  const began =
    restore === ''
      ? 0
      : genuine.findIndex(({ record }) => record.lineage === lineage && record.restore === restore)
  const later = began === -1 ? [] : genuine.slice(began)
  const { replaced = [], 'of a copy': copied = [] } = Object.groupBy(later, classify)
  const notes = [
    ...own.flatMap(({ record: { n, at, restored } }) =>
      restored === undefined
        ? []
        : [`Record ${n}, written ${at}: the database was restored from the backup of ${restored}.`],
    ),
    ...replaced.map(
      ({ record: { n } }) =>
        `Record ${n} was written by the database that a restore had replaced, which was still running.`,
    ),
    ...(owed === undefined
      ? []
      : [`The database was restored from the backup of ${owed}. The app records this when it starts.`]),
  ]
  const describe =
    (description: string) =>
    ({ record: { n } }: FoundRecord): AuditFault => ({ sequence: n, description })
  return {
    records: own,
    faults: [...foreign.map(describe(ANOTHER_DATABASE)), ...copied.map(describe(ANOTHER_COPY))],
    notes,
  }
}

const ANOTHER_DATABASE =
  'is of another database: this one was wiped or replaced, or another deployment writes here too'
const ANOTHER_COPY =
  'was written by another copy of the database: either that copy is still running, or this one has replaced it'

/** Even if no key can check the records: if none is of this database, it isn't the one that was anchored. */
function findForeignFaults(
  { lineage }: Register,
  own: readonly FoundRecord[],
  unchecked: readonly FoundRecord[],
): AuditFault[] {
  const foreign = unchecked.find(({ record }) => record.lineage !== lineage)
  return own.length === 0 && foreign ? [{ sequence: foreign.record.n, description: ANOTHER_DATABASE }] : []
}

/** Compares a record with the one before it. The count rises, and each record names the one before by number and hash. */
function findRecordFaults(
  { record: { n, prior, moved } }: FoundRecord,
  before: FoundRecord | undefined,
  register: Register,
): AuditFault[] {
  const faults: AuditFault[] = []
  const previous = before?.record.n ?? 0
  const lastNumber = register.begun?.n ?? register.n
  if (before && n <= previous)
    faults.push({
      sequence: n,
      description: `comes after record ${previous} although nothing was restored: the register was rolled back`,
    })
  else if (before && prior && prior.n > previous && !moved)
    faults.push({
      sequence: previous + 1,
      description: `${describeRange(previous + 1, prior.n, 'was', 'were')} changed or removed from the anchor`,
    })
  else if (before && prior?.n === previous && prior.hash !== hashRecord(before.text))
    faults.push({
      sequence: n,
      description: `doesn’t follow the record ${previous} before it: the register was rolled back`,
    })
  if (n > lastNumber)
    faults.push({
      sequence: n,
      description: `is newer than the last record in the database, ${lastNumber}: the register was rolled back`,
    })
  return faults
}

/** Compares the end of the text with the last record that the database wrote. */
function compareEnd(
  { last, n: count, begun }: Register,
  records: readonly FoundRecord[],
  place: string | undefined,
): { faults: AuditFault[]; notes: string[] } {
  const first = records[0]?.record
  const notes = first?.prior ? [`The anchor begins at record ${first.n}${describeMove(first)}.`] : []
  if (!last || records.some(({ text }) => hashRecord(text) === last.hash)) return { faults: [], notes }
  const end = records.at(-1)?.record.n ?? 0
  if (place === last.place) {
    const description = `${describeRange(end + 1, last.n, 'is', 'are')} missing from the end of the anchor`
    return { faults: [{ sequence: end + 1, description }], notes }
  }
  const where = place === undefined ? '' : `, and the last one was written to ${last.place}`
  return {
    faults: [],
    notes: [...notes, `The anchor ends at record ${end} of ${begun?.n ?? count}${where}.`],
  }
}

const describeMove = ({ moved, prior }: AnchorRecord): string =>
  moved ? `; those up to ${prior?.n} are in ${moved}` : ''

/** Continues a sentence that starts with the first record's number: `was`, or `and all records up to 7 were`. */
const describeRange = (first: number, last: number, singularVerb: string, pluralVerb: string): string =>
  first >= last ? singularVerb : `and all records up to ${last} ${pluralVerb}`

interface AnchoredPoint {
  readonly n: number
  readonly sequence: number
  readonly hash: string
  readonly at: string
}

async function compareHeads(
  rows: Kysely<Schema>,
  records: readonly AnchorRecord[],
  heads: ReadonlyMap<string, Head | undefined>,
): Promise<ReadonlyMap<string, readonly AuditFault[]>> {
  const points = new Map<string, AnchoredPoint[]>()
  for (const { n, at, heads: anchoredHeads } of records)
    for (const [id, sequence, hash] of anchoredHeads)
      points.set(id, [...(points.get(id) ?? []), { n, sequence, hash, at }])
  const found = new Map<string, readonly AuditFault[]>()
  for (const [id, chainPoints] of points) {
    const head = heads.get(id)
    let faults: readonly AuditFault[] = []
    if (head)
      faults = await findPointFaults(
        rows,
        id,
        head,
        chainPoints.filter(({ n }) => n > head.began),
      )
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
