import { type Kysely, sql, type Transaction } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import { jsonText } from '../database/json.ts'
import { isPostgres } from '../database/make-tables.ts'
import type { Schema } from '../database/schema.ts'
import { type Identity, type TextSealer, tryOpen } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'

// Stores the progress of acts and jobs in `work_step`. Every write names the process that has the work and the attempt it's
// about, so that a process that lost the work can't overwrite newer results.

/** One attempt at a step, by the process that began it. */
export interface Attempt {
  readonly workId: string
  /** The line in a job's file, or the number of an act's step. */
  readonly line: number
  readonly begunBy: string
  /** The timestamp as stored in the database. */
  readonly begunAt: string
}

type StepKey = Pick<Attempt, 'workId' | 'line'>

export const stepId = ({ workId, line }: StepKey): string => `${workId}.${line}`

/** The state of a step that was begun, but definitely didn't happen. */
export const UNDONE = 'ready'
const OPEN = ['begun', UNDONE] as const

export const updateStep = (rows: Kysely<Schema>, { workId, line }: StepKey) =>
  rows.updateTable('work_step').where('work_id', '=', workId).where('line', '=', line)

/** Matches an attempt without an outcome, unless the step was begun again since. */
export const updateOpenAttempt = (rows: Kysely<Schema>, attempt: Attempt) =>
  updateStep(rows, attempt)
    .where('state', 'in', OPEN)
    .where('begun_at', '=', attempt.begunAt)
    .where(sql<boolean>`coalesce(begun_by, '') = ${attempt.begunBy}`)

/** The columns of a step that this process begins now. */
export const beginColumns = (owner: string, time: DatabaseTime) => ({
  state: 'begun' as const,
  begun_at: time(),
  begun_by: owner,
})

export const toAttempt = (
  { workId, line }: StepKey,
  row: { begun_at: string | null; begun_by: string | null },
): Attempt => ({ workId, line, begunBy: row.begun_by ?? '', begunAt: row.begun_at ?? '' })

/** Makes changes on behalf of the work's owner. If the owner no longer has the work, it changes nothing and returns undefined. */
export const whileOwned = <T>(
  rows: Kysely<Schema>,
  workId: string,
  owner: string,
  change: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T | undefined> =>
  rows
    .transaction()
    .execute(async (transaction) =>
      (await hasLease(transaction, workId, owner)) ? await change(transaction) : undefined,
    )

/**
 * Whether this owner still has the work. In a transaction, nobody can take the work over before the transaction ends. Otherwise,
 * the answer may be outdated right away.
 */
export async function hasLease(rows: Kysely<Schema>, workId: string, owner: string): Promise<boolean> {
  const lease = rows
    .selectFrom('work')
    .select('id')
    .where('id', '=', workId)
    .where('owner', '=', owner)
    .where('state', '=', 'running')
  // A SQLite transaction already excludes other writers.
  const isLocked = rows.isTransaction && isPostgres(rows)
  return (await (isLocked ? lease.forShare() : lease).executeTakeFirst()) !== undefined
}

/** Finds the workspace of the work. Empty if the work belongs to no workspace or is gone. */
export async function findWorkspace(rows: Kysely<Schema>, workId: string): Promise<string> {
  const found = await rows
    .selectFrom('work')
    .select('workspace_id')
    .where('id', '=', workId)
    .executeTakeFirst()
  return found?.workspace_id ?? ''
}

/** Measures how long this process has known about each attempt without an outcome. */
export function createStopwatches(clock: () => number = () => performance.now()) {
  const byWork = new Map<string, Map<string, number>>()
  const attemptName = ({ line, begunBy, begunAt }: Attempt): string => `${line} ${begunBy} ${begunAt}`
  return {
    add(workId: string, begun: Attempt[]): Attempt[] {
      const since = byWork.get(workId) ?? new Map()
      for (const attempt of begun) since.set(attemptName(attempt), clock())
      if (since.size > 0) byWork.set(workId, since)
      return begun
    },
    /** Drops attempts that have an outcome, because a job has tens of thousands of them. */
    drop(workId: string, settled: readonly Attempt[]): void {
      const since = byWork.get(workId)
      for (const attempt of settled) since?.delete(attemptName(attempt))
      if (since?.size === 0) byWork.delete(workId)
    },
    /** How long each attempt has been known. Drops all other attempts of this work. */
    measureAges(workId: string, begun: readonly Attempt[]): number[] {
      const [before, now] = [byWork.get(workId), clock()]
      const names = begun.map(attemptName)
      const since = new Map(names.map((name) => [name, before?.get(name) ?? now]))
      if (since.size > 0) byWork.set(workId, since)
      else byWork.delete(workId)
      return [...since.values()].map((from) => now - from)
    },
  }
}

const bodyIdentity = (workId: string, line: number): Identity => ['work_step', stepId({ workId, line })]

/** Seals the body of a job's step. */
export const sealStepBody = (
  sealer: TextSealer,
  workId: string,
  { line, body }: { line: number; body: unknown },
): string => sealer.seal(jsonText(body, 'A step'), bodyIdentity(workId, line))

/** Opens the bodies by line. Bodies that don't open are left out. */
export async function openBodies(
  rows: Kysely<Schema>,
  keys: Pick<WorkspaceKeys, 'createOpener'>,
  workId: string,
  found: readonly { line: number; sealed_body: string | null }[],
): Promise<ReadonlyMap<number, unknown>> {
  const opener = await keys.createOpener(rows, found, 'sealed_body')
  return new Map(
    found.flatMap(({ line, sealed_body }) => {
      const opened = tryOpen(() =>
        sealed_body === null ? undefined : JSON.parse(opener.open(sealed_body, bodyIdentity(workId, line))),
      )
      return 'value' in opened ? [[line, opened.value] as const] : []
    }),
  )
}
