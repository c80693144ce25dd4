import { type Kysely, sql, type Transaction } from 'kysely'
import type { DatabaseTime } from '../database/clock.ts'
import { jsonText } from '../database/json.ts'
import { isPostgres } from '../database/migrating.ts'
import type { Schema } from '../database/schema.ts'
import { type Identity, type TextSealer, tryOpen } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'

// The rows of `work_step`: what acts and jobs have begun and done. Whatever is written of a step names the process that has the
// work, and which beginning of the step it is about: who has lost the work contradicts nobody.

/** One beginning of a step, by the process that began it. */
export interface Attempt {
  readonly workId: string
  readonly line: number
  readonly begunBy: string
  /** As the database has it. */
  readonly begunAt: string
}

type StepPlace = Pick<Attempt, 'workId' | 'line'>

export const stepId = ({ workId, line }: StepPlace): string => `${workId}.${line}`

/** It was begun, and nothing was done of it. */
export const UNDONE = 'ready'
const OPEN = ['begun', UNDONE] as const

export const stepRow = (rows: Kysely<Schema>, { workId, line }: StepPlace) =>
  rows.updateTable('work_step').where('work_id', '=', workId).where('line', '=', line)

/** An attempt that has no outcome, while its step was not begun again. */
export const openAttempt = (rows: Kysely<Schema>, attempt: Attempt) =>
  stepRow(rows, attempt)
    .where('state', 'in', OPEN)
    .where('begun_at', '=', attempt.begunAt)
    .where(sql<boolean>`coalesce(begun_by, '') = ${attempt.begunBy}`)

/** What a row says when this process begins it. */
export const begunNow = (owner: string, time: DatabaseTime) => ({
  state: 'begun' as const,
  begun_at: time(),
  begun_by: owner,
})

export const attemptOf = (
  { workId, line }: StepPlace,
  row: { begun_at: string | null; begun_by: string | null },
): Attempt => ({ workId, line, begunBy: row.begun_by ?? '', begunAt: row.begun_at ?? '' })

/** Makes changes for whoever has the work; undefined, and nothing is changed, when that is not the owner (any more). */
export const whileHeld = <T>(
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

/** Within a transaction, nobody takes the work over before its end; outside of one, the answer holds for this moment only. */
export async function hasLease(rows: Kysely<Schema>, workId: string, owner: string): Promise<boolean> {
  const held = rows
    .selectFrom('work')
    .select('id')
    .where('id', '=', workId)
    .where('owner', '=', owner)
    .where('state', '=', 'running')
  // A transaction of SQLite's shuts out every other writer.
  const isLocked = rows.isTransaction && isPostgres(rows)
  return (await (isLocked ? held.forShare() : held).executeTakeFirst()) !== undefined
}

/** Empty for work of no workspace, and for work that is gone. */
export async function workspaceOf(rows: Kysely<Schema>, workId: string): Promise<string> {
  const found = await rows
    .selectFrom('work')
    .select('workspace_id')
    .where('id', '=', workId)
    .executeTakeFirst()
  return found?.workspace_id ?? ''
}

/** Since when this process knows of each beginning that has no outcome yet. */
export function createStopwatches(clock: () => number = () => performance.now()) {
  const ofWork = new Map<string, Map<string, number>>()
  const attemptName = ({ line, begunBy, begunAt }: Attempt): string => `${line} ${begunBy} ${begunAt}`
  return {
    add(workId: string, begun: Attempt[]): Attempt[] {
      const since = ofWork.get(workId) ?? new Map()
      for (const attempt of begun) since.set(attemptName(attempt), clock())
      if (since.size > 0) ofWork.set(workId, since)
      return begun
    },
    /** Forgets attempts that have their outcome: a job has tens of thousands of them. */
    forget(workId: string, settled: readonly Attempt[]): void {
      const since = ofWork.get(workId)
      for (const attempt of settled) since?.delete(attemptName(attempt))
      if (since?.size === 0) ofWork.delete(workId)
    },
    /** For how long each is known; all others of this work are forgotten. */
    agesOf(workId: string, begun: readonly Attempt[]): number[] {
      const [before, now] = [ofWork.get(workId), clock()]
      const since = new Map(begun.map((one) => [attemptName(one), before?.get(attemptName(one)) ?? now]))
      if (since.size > 0) ofWork.set(workId, since)
      else ofWork.delete(workId)
      return [...since.values()].map((from) => now - from)
    },
  }
}

const bodyIdentity = (workId: string, line: number): Identity => ['work_step', stepId({ workId, line })]

/** What a step of a job is about. */
export const sealedBody = (
  sealer: TextSealer,
  workId: string,
  { line, body }: { line: number; body: unknown },
): string => sealer.seal(jsonText(body, 'A step'), bodyIdentity(workId, line))

/** The same opened, by line, without those that do not open. */
export async function openBodies(
  rows: Kysely<Schema>,
  keys: Pick<WorkspaceKeys, 'opener'>,
  workId: string,
  found: readonly { line: number; sealed_body: string | null }[],
): Promise<ReadonlyMap<number, unknown>> {
  const opener = await keys.opener(rows, found, 'sealed_body')
  return new Map(
    found.flatMap(({ line, sealed_body }) => {
      const opened = tryOpen(() =>
        sealed_body === null ? undefined : JSON.parse(opener.open(sealed_body, bodyIdentity(workId, line))),
      )
      return 'value' in opened ? [[line, opened.value] as const] : []
    }),
  )
}
