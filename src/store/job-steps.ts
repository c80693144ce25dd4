import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import { jsonText } from './json.ts'
import type { Schema, StepState } from './schema.ts'
import type { Identity, Sealer } from './seal.ts'

export type { StepState } from './schema.ts'

/** One step of a job, named by the line of the file that it comes from. */
export interface Step {
  readonly line: number
  /** The JSON value that it was added with. */
  readonly body: unknown
}

/** A step that was begun: whether it happened is to be found out. */
export interface BegunStep extends Step {
  readonly begunAt: Date
}

/** What came of a step; `result` is an id, or the sentence that says why not. */
export interface Outcome {
  readonly line: number
  readonly state: Exclude<StepState, 'begun'>
  readonly result?: string
}

export type StepCounts = Readonly<Record<StepState, number>>

export interface JobSteps {
  add(jobId: string, steps: readonly Step[]): Promise<void>
  /**
   * The next steps by line, marked as begun, on disk before this returns. Empty when none is left, or when the job is
   * not the owner's (any more).
   */
  begin(jobId: string, owner: string, limit: number, now: Date): Promise<Step[]>
  /** The steps behind a line that nobody has begun, by line. */
  ready(jobId: string, afterLine: number, limit: number): Promise<Step[]>
  /** The steps that were begun and of which nothing more is known. */
  begun(jobId: string): Promise<BegunStep[]>
  /**
   * Writes down what came of steps. Nothing when the job is not the owner's (any more): whoever has it by now finds out
   * by itself, and must not be contradicted.
   */
  settle(jobId: string, owner: string, outcomes: readonly Outcome[]): Promise<void>
  counts(jobId: string): Promise<StepCounts>
  /** The outcomes in one state behind a line, by line. */
  outcomes(jobId: string, state: Outcome['state'], afterLine: number, limit: number): Promise<Outcome[]>
}

/** Values of one statement; SQLite takes 32,766 parameters. */
const AT_ONCE = 500

/** The rows of `job_step`. */
export function jobStepStore({ rows, relaxed }: Database, sealer: Sealer): JobSteps {
  const open = (jobId: string, line: number, sealed: string): unknown =>
    JSON.parse(sealer.open(sealed, identityOf(jobId, line)))

  async function readyOnes(
    rows: Kysely<Schema>,
    jobId: string,
    afterLine: number,
    limit: number,
  ): Promise<Step[]> {
    const found = await rows
      .selectFrom('job_step')
      .select(['line', 'sealed_body'])
      .where('job_id', '=', jobId)
      .where('state', '=', 'ready')
      .where('line', '>', afterLine)
      .orderBy('line')
      .limit(limit)
      .execute()
    return found.map(({ line, sealed_body }) => ({ line, body: open(jobId, line, sealed_body) }))
  }

  return {
    async add(jobId, steps) {
      await rows.transaction().execute(async (transaction) => {
        for (let start = 0; start < steps.length; start += AT_ONCE) {
          const some = steps.slice(start, start + AT_ONCE).map(({ line, body }) => ({
            id: idOf(jobId, line),
            job_id: jobId,
            line,
            state: 'ready' as const,
            sealed_body: sealer.seal(jsonText(body, 'A step'), identityOf(jobId, line)),
          }))
          await transaction.insertInto('job_step').values(some).execute()
          // SQLite waits for nothing: without this, nobody would be answered before the last row.
          await setImmediate()
        }
      })
    },

    async begin(jobId, owner, limit, now) {
      return rows.transaction().execute(async (transaction) => {
        const held = await isHeld(transaction, jobId, owner)
        const steps = held ? await readyOnes(transaction, jobId, 0, limit) : []
        if (steps.length > 0)
          await transaction
            .updateTable('job_step')
            .set({ state: 'begun', begun_at: now.toISOString() })
            .where('job_id', '=', jobId)
            .where(
              'line',
              'in',
              steps.map(({ line }) => line),
            )
            .execute()
        return steps
      })
    },

    ready: (jobId, afterLine, limit) => readyOnes(rows, jobId, afterLine, limit),

    async begun(jobId) {
      const found = await rows
        .selectFrom('job_step')
        .select(['line', 'sealed_body', 'begun_at'])
        .where('job_id', '=', jobId)
        .where('state', '=', 'begun')
        .orderBy('line')
        .execute()
      return found.map(({ line, sealed_body, begun_at }) => ({
        line,
        body: open(jobId, line, sealed_body),
        begunAt: new Date(begun_at ?? 0),
      }))
    },

    async settle(jobId, owner, outcomes) {
      if (outcomes.length === 0) return
      // What a power cut takes back is a step that was begun: it is then found out again.
      await relaxed((rows) =>
        rows.transaction().execute(async (transaction) => {
          if (!(await isHeld(transaction, jobId, owner))) return
          for (const { line, state, result = null } of outcomes)
            await transaction
              .updateTable('job_step')
              .set({ state, result })
              .where('job_id', '=', jobId)
              .where('line', '=', line)
              .execute()
        }),
      )
    },

    async counts(jobId) {
      const found = await rows
        .selectFrom('job_step')
        .select(['state', (count) => count.fn.countAll().as('count')])
        .where('job_id', '=', jobId)
        .groupBy('state')
        .execute()
      const counts = { ready: 0, begun: 0, done: 0, found: 0, refused: 0 }
      // PostgreSQL's driver gives a bigint as text.
      for (const { state, count } of found) counts[state] = Number(count)
      return counts
    },

    async outcomes(jobId, state, afterLine, limit) {
      const found = await rows
        .selectFrom('job_step')
        .select(['line', 'result'])
        .where('job_id', '=', jobId)
        .where('state', '=', state)
        .where('line', '>', afterLine)
        .orderBy('line')
        .limit(limit)
        .execute()
      return found.map(({ line, result }) => ({ line, state, ...(result !== null && { result }) }))
    },
  }
}

const idOf = (jobId: string, line: number): string => `${jobId}.${line}`

const identityOf = (jobId: string, line: number): Identity => ['job_step', idOf(jobId, line)]

async function isHeld(rows: Kysely<Schema>, jobId: string, owner: string): Promise<boolean> {
  const job = await rows
    .selectFrom('job')
    .select('id')
    .where('id', '=', jobId)
    .where('owner', '=', owner)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return job !== undefined
}
