import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Audit } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/row.ts'
import { splitChunks } from '../database/batches.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { type Schema, type StepState, selectRows } from '../database/schema.ts'
import type { Sealer } from '../secrets/seal.ts'
import {
  type Attempt,
  beginColumns,
  createBodySealer,
  createSettle,
  encodeJson,
  openBodies,
  type SettledOutcome,
  stepId,
  toAttempt,
  updateUnsettled,
  whileOwned,
} from './step-ledger.ts'

/** One step of a job, identified by its line in the file. */
export interface JobStep {
  readonly line: number
  /** A JSON value. */
  readonly body: unknown
}

/** A step that has begun: it may or may not have happened. */
export interface BegunStep extends JobStep {
  readonly attempt: Attempt
}

/** A step with its latest stored body. `opened` is missing if the body doesn't open. */
export interface StoredStep {
  readonly line: number
  readonly opened: { readonly body: unknown } | undefined
}

export type StepCounts = Readonly<Record<StepState, number>>

export type WorkSteps = ReturnType<typeof createWorkSteps>

/** How many steps to seal and write per turn of the event loop. */
const STEPS_PER_BATCH = 100

/** Stores the steps of jobs in `work_step`. */
export function createWorkSteps(
  database: Database,
  time: DatabaseTime,
  keys: Sealer,
  audit: Pick<Audit, 'appendMissing' | 'appendInTransaction'>,
) {
  const { rows, relaxed } = database
  const settle = createSettle(database, keys, audit, encodeJson)
  return {
    ...createStepQueries(rows, keys),

    /**
     * Adds steps to work that hasn't started, in batches, so that other writes can run in between. After a crash, calling it
     * again adds the missing ones. Only start the work after that.
     */
    add: (workId: string, steps: readonly JobStep[]) => addSteps({ relaxed }, keys, workId, steps),

    /**
     * Marks ready and partly done steps as begun, or steps as begun again if an attempt is given, with their latest bodies, and audits their intents. On disk
     * when this returns.
     * Returns the steps that were still in that state or attempt. Returns none if the owner no longer has the job.
     */
    async begin(
      workId: string,
      owner: string,
      steps: readonly (JobStep & {
        attempt?: Attempt | undefined
        intent?: AuditEvent | undefined
      })[],
    ): Promise<Attempt[]> {
      const begun = await whileOwned(rows, workId, owner, async (transaction) => {
        const seal = createBodySealer(keys, workId, encodeJson)
        const attempts: Attempt[] = []
        for (const step of steps) {
          const position = { workId, line: step.line }
          const row = await updateUnsettled(transaction, workId, step)
            .set({ ...beginColumns(owner, time), sealed_body: seal(step) })
            .returning(['begun_at', 'begun_by'])
            .executeTakeFirst()
          if (row) attempts.push(toAttempt(position, row))
        }
        const begunLines = new Set(attempts.map(({ line }) => line))
        const intents = steps.flatMap(({ line, intent }) => (intent && begunLines.has(line) ? [intent] : []))
        await audit.appendInTransaction(transaction, intents)
        return attempts
      })
      return begun ?? []
    },

    /**
     * Stores and audits the outcomes of steps (`createSettle`). If a power failure loses them, the steps are still begun, and
     * their outcomes are looked up again.
     */
    async settle(workId: string, owner: string, outcomes: readonly SettledOutcome[]): Promise<void> {
      if (outcomes.length === 0) return
      await settle(workId, outcomes, { owner, isRelaxed: true })
    },
  }
}

async function addSteps(
  { relaxed }: Pick<Database, 'relaxed'>,
  keys: Sealer,
  workId: string,
  steps: readonly JobStep[],
): Promise<void> {
  const seal = createBodySealer(keys, workId, encodeJson)
  for (const chunk of splitChunks(steps, STEPS_PER_BATCH)) {
    const added = chunk.map((step) => ({
      id: stepId({ workId, line: step.line }),
      work_id: workId,
      line: step.line,
      state: 'ready' as const,
      sealed_body: seal(step),
    }))
    // After a crash, some steps may have been added already. Once the job starts, a power failure loses none of them.
    await relaxed((relaxedRows) =>
      relaxedRows
        .insertInto('work_step')
        .values(added)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute(),
    )
    // SQLite runs synchronously. Without this, no request would be answered until the last row is written.
    await setImmediate()
  }
}

/** Queries for the steps of a job. */
function createStepQueries(rows: Kysely<Schema>, keys: Sealer) {
  const selectSteps = (workId: string, state: StepState, afterLine = 0) =>
    selectRows(rows, 'work_step', { work_id: workId, state }).where('line', '>', afterLine).orderBy('line')

  return {
    /** The ready steps after a line, by line. Steps that can't be decrypted are skipped and stay ready. */
    async listReady(workId: string, afterLine: number, limit: number): Promise<JobStep[]> {
      for (let from = afterLine; ; ) {
        const found = await selectSteps(workId, 'ready', from).limit(limit).execute()
        const bodies = openBodies(keys, workId, found)
        const last = found.at(-1)
        if (bodies.size > 0 || !last) return [...bodies].map(([line, body]) => ({ line, body }))
        // Steps behind unreadable ones may still open.
        from = last.line
      }
    },

    /** The begun steps without an outcome. */
    async listBegun(workId: string): Promise<BegunStep[]> {
      const found = await selectSteps(workId, 'begun').execute()
      const bodies = openBodies(keys, workId, found)
      return found.map((row) => ({
        line: row.line,
        body: bodies.get(row.line),
        attempt: toAttempt({ workId, line: row.line }, row),
      }))
    },

    async countByState(workId: string): Promise<StepCounts> {
      const found = await rows
        .selectFrom('work_step')
        .select(['state', (count) => count.fn.countAll().as('count')])
        .where('work_id', '=', workId)
        .groupBy('state')
        .execute()
      const counts = {
        ready: 0,
        begun: 0,
        done: 0,
        partial: 0,
        refused: 0,
        same: 0,
        skipped: 0,
        unclear: 0,
        unknown: 0,
      }
      // PostgreSQL's driver returns bigint as text.
      for (const { state, count } of found) counts[state] = Number(count)
      return counts
    },

    /** The steps in one state after a line, by line. */
    async listInState(
      workId: string,
      state: StepState,
      afterLine: number,
      limit: number,
    ): Promise<StoredStep[]> {
      const found = await selectSteps(workId, state, afterLine).limit(limit).execute()
      const bodies = openBodies(keys, workId, found)
      return found.map(({ line }) => ({
        line,
        opened: bodies.has(line) ? { body: bodies.get(line) } : undefined,
      }))
    },
  }
}
