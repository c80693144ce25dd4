import { yieldWhenDue } from '@signalman/runtime'
import type { Transaction } from 'kysely'
import {
  type AnchoredHead,
  type FoundRecord,
  findRecords,
  formatRecord,
  HEADS_IN_RECORD,
  hashRecord,
  readKeyId,
} from '../audit/anchor-record.ts'
import { type Chains, REGISTER } from '../audit/chain.ts'
import { lastRestore, type Register } from '../audit/head.ts'
import type { Database } from '../database/database.ts'
import { type AuditChainRow, type Schema, selectRows } from '../database/schema.ts'
import type { LiveKeys } from '../secrets/keys.ts'
import { tryOpen } from '../secrets/seal.ts'
import { ownSetting, type Settings } from '../settings.ts'

/** An append-only place outside the database that database access alone can't change. */
export interface AnchorPlace {
  /** Names the place in the database and in records. Every replica must share it. */
  readonly name: string
  /** Reads its end, with at least one whole record if there is one. Undefined if it can't be read. */
  readEnd(): Promise<string | undefined>
  /** Adds a record at its end. Throws if it wasn't accepted whole. */
  append(text: string): Promise<void>
}

export type Anchoring = ReturnType<typeof createAnchoring>

/** The place of the process that started last. */
const PLACE = ownSetting<string>('audit.anchor-place')
const NO_WORKSPACE = ''
const PAGE_SIZE = 100

/**
 * Anchors the audit logs: writes signed records of their latest hashes to a place outside the database, so that a rollback of the
 * database is detected. Their order is their position there.
 */
export function createAnchoring(
  { reading, rows }: Pick<Database, 'reading' | 'rows'>,
  chains: Chains,
  settings: Settings,
  keys: LiveKeys,
) {
  /** The chains with rows that aren't anchored yet. Skips chains that can't be decrypted; verification reports those. */
  async function listUnanchored(): Promise<AnchoredHead[]> {
    const register = await chains.readRegister(reading)
    const heads: AnchoredHead[] = []
    if (!register) return heads
    for await (const page of readChainPages(reading)) {
      await yieldWhenDue()
      heads.push(...openHeads(page).filter(([id, , hash]) => register.heads[id]?.[1] !== hash))
    }
    return heads
  }

  const openHeads = (page: readonly AuditChainRow[]): AnchoredHead[] =>
    page.flatMap((row): AnchoredHead[] => {
      const opened = tryOpen(() => chains.openHead(row))
      if ('sealError' in opened || opened.value.sequence === 0) return []
      return [[row.workspace_id, opened.value.sequence, opened.value.hash]]
    })

  const withRegister = <T>(work: (transaction: Transaction<Schema>, register: Register) => Promise<T>) =>
    rows.transaction().execute(async (transaction) => {
      const register = await chains.lockRegister(transaction)
      return register && (await work(transaction, register))
    })

  /**
   * Stores the next record before it's written. If a process died while writing one, returns that same record. A restored database
   * owes a record of the restore, which comes first.
   */
  const beginRecord = (place: string, heads: readonly AnchoredHead[], now: Date) =>
    withRegister(async (transaction, register) => {
      const { begun, last, owed } = register
      if (begun?.place === place) return begun.text
      // A record begun for another place may exist there, so don't reuse its number.
      const n = (begun?.n ?? register.n) + 1
      const due = owed === undefined ? heads.filter(([id, , hash]) => register.heads[id]?.[1] !== hash) : []
      const key = keys.primary()
      // After a rotation, a record under the new key vouches for those before it.
      const isRotated = last !== undefined && last.key !== key.id
      if (due.length === 0 && owed === undefined && !isRotated) return undefined
      const text = formatRecord(key, {
        lineage: register.lineage,
        restore: lastRestore(register),
        n,
        at: now.toISOString(),
        ...(last && { prior: { n: last.n, hash: last.hash } }),
        ...(last && last.place !== place && { moved: last.place }),
        ...(owed !== undefined && { restored: owed }),
        heads: due.slice(0, HEADS_IN_RECORD),
      })
      await chains.save(transaction, REGISTER, { ...register, n: n - 1, begun: { place, n, text } })
      return text
    })

  const markAnchored = (text: string) =>
    withRegister(async (transaction, { begun, owed, ...register }) => {
      const [found] = findRecords(text)
      if (begun?.text !== text || !found) return
      const { n, at, restored, heads: anchored } = found.record
      const heads = anchored.map(([id, sequence, hash]) => [id, [sequence, hash] as const] as const)
      await chains.save(transaction, REGISTER, {
        ...register,
        ...(restored === undefined && { owed }),
        n,
        last: { place: begun.place, n, at, hash: hashRecord(text), key: readKeyId(text) },
        heads: { ...register.heads, ...Object.fromEntries(heads) },
      })
    })

  /** Compares the end of a place with what was written there last. `isWritten` if it's the record that was begun last. */
  async function examineEnd({
    name,
    readEnd,
  }: AnchorPlace): Promise<{ isWritten?: boolean; problem?: string | undefined }> {
    const text = await readEnd()
    if (text === undefined) return {}
    const register = await chains.readRegister(reading)
    const end = findRecords(text).at(-1)
    // A process that died after writing a record didn't get to count it.
    if (end && end.text === register?.begun?.text) return { isWritten: true }
    return { problem: describeOtherEnd(register, name, end) }
  }

  /** Describes a process that was started later with another place. */
  async function describeOtherPlace({ name }: AnchorPlace): Promise<string | undefined> {
    const place = await settings.get(NO_WORKSPACE, PLACE)
    return place === undefined || place === name
      ? undefined
      : `The app was last started with the anchor ${place}, not ${name}. All replicas must share one place: configure the same one for each of them, and restart them.`
  }

  return {
    listUnanchored,

    /** Makes this the place of the database. Processes that were started with another one no longer anchor. */
    usePlace: ({ name }: AnchorPlace): Promise<void> => settings.set(NO_WORKSPACE, PLACE, name),

    /**
     * Signs the latest hash of every chain that has grown, and adds each record at the end of the place. The database is updated
     * before and after each one. Throws if the place ends with something other than the last record, or if another one is in use.
     */
    async anchor(place: AnchorPlace, now: Date): Promise<void> {
      const otherPlace = await describeOtherPlace(place)
      if (otherPlace !== undefined) throw new Error(otherPlace)
      const heads = await listUnanchored()
      for (;;) {
        const text = await beginRecord(place.name, heads, now)
        if (text === undefined) break
        const { isWritten, problem } = await examineEnd(place)
        if (problem !== undefined) throw new Error(problem)
        if (!isWritten) await place.append(text)
        await markAnchored(text)
      }
    },

    /** Describes why this database can't anchor in the place. Undefined if it can, or if the place can't be read. */
    examinePlace: async (place: AnchorPlace): Promise<string | undefined> =>
      (await examineEnd(place)).problem ?? (await describeOtherPlace(place)),

    /** The last record, and when the backup was made of which a restore hasn't been recorded yet. */
    async readState() {
      const { last, owed } = (await chains.readRegister(reading)) ?? {}
      return { last, owed }
    },

    /** When the oldest unanchored row was written. Undefined if all rows are anchored. */
    async findOldestUnanchoredAt(): Promise<Date | undefined> {
      const register = await chains.readRegister(reading)
      const oldestDates: string[] = []
      for (const [workspaceId] of await listUnanchored()) {
        const first = await selectRows(reading, 'audit_entry', { workspace_id: workspaceId })
          .where('sequence', '>', register?.heads[workspaceId]?.[0] ?? 0)
          .orderBy('sequence')
          .limit(1)
          .executeTakeFirst()
        if (first) oldestDates.push(first.at)
      }
      const [since] = oldestDates.sort()
      return since === undefined ? undefined : new Date(since)
    },
  }
}

/** Describes how the end of a place differs from what this database wrote there last. Undefined if it doesn't. */
function describeOtherEnd(
  register: Register | undefined,
  place: string,
  end: FoundRecord | undefined,
): string | undefined {
  if (end && end.record.lineage !== register?.lineage)
    return `${place} has records of another database: either this database was wiped or replaced, or the place belongs to another deployment. Verify the audit log, then choose another place.`
  const { last, owed, n: count = 0 } = register ?? {}
  if (last?.place !== place || owed !== undefined) return undefined
  // A record with a higher number was begun for this place and given up when the place changed.
  const isExpected =
    end && (hashRecord(end.text) === last.hash || (end.record.n > last.n && end.record.n <= count))
  return isExpected
    ? undefined
    : `${place} doesn’t end with record ${last.n}, which was written there last. All replicas must share one place, and its end must not be cut or rotated away. Put the file back, or choose another place.`
}

async function* readChainPages(reading: Database['reading']): AsyncGenerator<AuditChainRow[]> {
  for (let after: string | undefined = REGISTER; after !== undefined; ) {
    const page: AuditChainRow[] = await selectRows(reading, 'audit_chain', {})
      .where('workspace_id', '>', after)
      .orderBy('workspace_id')
      .limit(PAGE_SIZE)
      .execute()
    yield page
    after = page.length === PAGE_SIZE ? page.at(-1)?.workspace_id : undefined
  }
}
