import { setImmediate } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import type { Audit } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/row.ts'
import { splitChunks } from '../database/batches.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { rowsIn, type Schema, type StepState } from '../database/schema.ts'
import type { TextSealer } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import {
  type Attempt,
  attemptOf,
  begunNow,
  createStopwatches,
  openAttempt,
  openBodies,
  sealedBody,
  stepId,
  stepRow,
  whileHeld,
  workspaceOf,
} from './step-ledger.ts'

/** One step of a job, named by the line of the file that it comes from. */
export interface JobStep {
  readonly line: number
  /** The JSON value that it was added with. */
  readonly body: unknown
}

/** A step that was begun: it may or may not have happened. */
export interface BegunStep extends JobStep {
  readonly attempt: Attempt
  /**
   * For how long this process has known of this beginning, by its own stopwatch: it began at least so long ago, whatever was done
   * to the clock of the database since.
   */
  readonly begunMsAgo: number
}

/** An outcome to store: that of one beginning, or of a step that is not begun. Its body takes the place of the former one. */
interface SettledOutcome extends JobStep {
  readonly state: Exclude<StepState, 'begun'>
  readonly attempt?: Attempt | undefined
  readonly auditEvent?: AuditEvent | undefined
}

/** A step with the body that was stored last; `opened` is absent where that does not open. */
export interface StoredStep {
  readonly line: number
  readonly opened: { readonly body: unknown } | undefined
}

export type StepCounts = Readonly<Record<StepState, number>>

export type WorkSteps = ReturnType<typeof workStepStore>

/** Sealed and written in one turn of the event loop. */
const AT_ONCE = 100

/** The rows of `work_step`: steps of jobs. */
export function workStepStore(
  { rows, relaxed }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  { appendWith: appendAudit, appendMissing }: Pick<Audit, 'appendMissing' | 'appendWith'>,
) {
  const known = createStopwatches()
  return {
    ...readings(rows, keys, known),

    /**
     * Adds steps to work that is not started yet, some at a time, so that others write in between. Done again after a crash, it adds
     * those that are missing: only then may the work be started.
     */
    add: (workId: string, steps: readonly JobStep[]) => addSteps({ rows, relaxed }, keys, workId, steps),

    /**
     * Marks steps as begun, or begun again where an attempt is named, with what they have become since they were added: on disk
     * before this returns. Returns those that were still ready, or still that attempt; none when the owner does not have the job
     * (any more).
     */
    async begin(
      workId: string,
      owner: string,
      steps: readonly (JobStep & { attempt?: Attempt | undefined })[],
    ): Promise<Attempt[]> {
      const begun = await whileHeld(rows, workId, owner, async (transaction) => {
        const sealer = await keys.sealerIn(transaction, await workspaceOf(transaction, workId))
        const attempts: Attempt[] = []
        for (const step of steps) {
          const at = { workId, line: step.line }
          const open = step.attempt
            ? openAttempt(transaction, step.attempt)
            : stepRow(transaction, at).where('state', '=', 'ready')
          const row = await open
            .set({ ...begunNow(owner, time), sealed_body: sealedBody(sealer, workId, step) })
            .returning(['begun_at', 'begun_by'])
            .executeTakeFirst()
          if (row) attempts.push(attemptOf(at, row))
        }
        return attempts
      })
      return known.add(workId, begun ?? [])
    },

    /** Stores what has become of begun steps, which stay begun, with their rows of the audit log: on disk before this returns. */
    async note(
      workId: string,
      owner: string,
      steps: readonly (JobStep & { attempt: Attempt; auditEvent?: AuditEvent | undefined })[],
    ): Promise<void> {
      if (steps.length === 0) return
      await whileHeld(rows, workId, owner, async (transaction) => {
        const sealer = await keys.sealerIn(transaction, await workspaceOf(transaction, workId))
        const events: AuditEvent[] = []
        for (const step of steps) {
          const { numUpdatedRows } = await openAttempt(transaction, step.attempt)
            .set({ sealed_body: sealedBody(sealer, workId, step) })
            .executeTakeFirstOrThrow()
          if (numUpdatedRows > 0n && step.auditEvent) events.push(step.auditEvent)
        }
        await appendAudit(transaction, events)
      })
    },

    /**
     * Stores the outcomes of steps together with their rows of the audit log: not that of a step that was begun again since, and
     * none when the owner does not have the job (any more): the process that has it finds them out itself, and must not be
     * contradicted. Where the job is gone because its workspace was forgotten, the audit log still gets them.
     */
    async settle(workId: string, owner: string, outcomes: readonly SettledOutcome[]): Promise<void> {
      if (outcomes.length === 0) return
      // What a power cut takes back is a step that was begun: it is then found out again.
      const written = await relaxed((own) =>
        whileHeld(own, workId, owner, async (transaction) => {
          const sealer = await keys.sealerIn(transaction, await workspaceOf(transaction, workId))
          const settled = await writeOutcomes(transaction, sealer, workId, outcomes)
          known.forget(
            workId,
            settled.flatMap(({ attempt }) => attempt ?? []),
          )
          await appendAudit(
            transaction,
            settled.flatMap(({ auditEvent }) => auditEvent ?? []),
          )
          return true
        }),
      )
      if (!written)
        await rows
          .transaction()
          .execute(async (transaction) =>
            appendMissing(transaction, await outcomesOfForgotten(transaction, workId, outcomes)),
          )
    },

    /** Makes steps of stopped work that are in this state ready again, with these bodies: somebody wants them tried again. */
    async retry(workId: string, from: SettledOutcome['state'], steps: readonly JobStep[]): Promise<void> {
      await rows.transaction().execute(async (transaction) => {
        // Whoever starts it meanwhile changes this row, too: one of the two waits for the other.
        const { numUpdatedRows } = await transaction
          .updateTable('work')
          .set({ touched_at: time() })
          .where('id', '=', workId)
          .where('state', '=', 'stopped')
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return
        const sealer = await keys.sealerIn(transaction, await workspaceOf(transaction, workId))
        for (const step of steps)
          await stepRow(transaction, { workId, line: step.line })
            .where('state', '=', from)
            .set({ state: 'ready', sealed_body: sealedBody(sealer, workId, step) })
            .execute()
      })
    },
  }
}

async function addSteps(
  { rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>,
  keys: WorkspaceKeys,
  workId: string,
  steps: readonly JobStep[],
): Promise<void> {
  const sealer = await keys.sealer(await workspaceOf(rows, workId))
  for (const some of splitChunks(steps, AT_ONCE)) {
    const added = some.map((step) => ({
      id: stepId({ workId, line: step.line }),
      work_id: workId,
      line: step.line,
      state: 'ready' as const,
      sealed_body: sealedBody(sealer, workId, step),
    }))
    // Whoever goes on after a crash may have added some of them already. A power cut takes nothing back once the job is started.
    await relaxed((own) =>
      own
        .insertInto('work_step')
        .values(added)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute(),
    )
    // SQLite waits for nothing: without this, nobody would be answered before the last row.
    await setImmediate()
  }
}

/** The audit rows of what was begun in a job that was deleted, or is being deleted, while nobody else has written the outcome. */
async function outcomesOfForgotten(
  transaction: Transaction<Schema>,
  workId: string,
  outcomes: readonly SettledOutcome[],
): Promise<AuditEvent[]> {
  const job = await rowsIn(transaction, 'work', { id: workId }).executeTakeFirst()
  if (job && job.state !== 'done') return []
  const events: AuditEvent[] = []
  for (const { line, attempt, auditEvent } of outcomes) {
    if (!attempt || !auditEvent) continue
    const step = await rowsIn(transaction, 'work_step', { work_id: workId, line }).executeTakeFirst()
    if (!step || (step.begun_at === attempt.begunAt && step.state === 'begun')) events.push(auditEvent)
  }
  return events
}

/** Those that were written: the others were begun again since, or have their outcome. */
async function writeOutcomes(
  rows: Kysely<Schema>,
  sealer: TextSealer,
  workId: string,
  outcomes: readonly SettledOutcome[],
): Promise<SettledOutcome[]> {
  const written: SettledOutcome[] = []
  for (const outcome of outcomes) {
    const { line, state, attempt } = outcome
    const open = attempt
      ? openAttempt(rows, attempt)
      : stepRow(rows, { workId, line }).where('state', '=', 'ready')
    const { numUpdatedRows } = await open
      .set({ state, sealed_body: sealedBody(sealer, workId, outcome) })
      .executeTakeFirstOrThrow()
    if (numUpdatedRows > 0n) written.push(outcome)
  }
  return written
}

/** What is told of the steps of a job. */
function readings(rows: Kysely<Schema>, keys: WorkspaceKeys, known: ReturnType<typeof createStopwatches>) {
  const stepsIn = (workId: string, state: StepState, afterLine = 0) =>
    rowsIn(rows, 'work_step', { work_id: workId, state }).where('line', '>', afterLine).orderBy('line')

  return {
    /** The steps after a line that have not begun, by line. One that does not open stays, and is passed over. */
    async ready(workId: string, afterLine: number, limit: number): Promise<JobStep[]> {
      for (let from = afterLine; ; ) {
        const found = await stepsIn(workId, 'ready', from).limit(limit).execute()
        const bodies = await openBodies(rows, keys, workId, found)
        const last = found.at(-1)
        if (bodies.size > 0 || !last) return [...bodies].map(([line, body]) => ({ line, body }))
        // Behind those that do not open there may be others.
        from = last.line
      }
    },

    /** The steps that were begun and have no outcome yet. */
    async begun(workId: string): Promise<BegunStep[]> {
      const found = await stepsIn(workId, 'begun').execute()
      const bodies = await openBodies(rows, keys, workId, found)
      const attempts = found.map((row) => attemptOf({ workId, line: row.line }, row))
      const ages = known.agesOf(workId, attempts)
      return attempts.map((attempt, index) => ({
        line: attempt.line,
        body: bodies.get(attempt.line),
        attempt,
        begunMsAgo: ages[index] ?? 0,
      }))
    },

    async counts(workId: string): Promise<StepCounts> {
      const found = await rows
        .selectFrom('work_step')
        .select(['state', (count) => count.fn.countAll().as('count')])
        .where('work_id', '=', workId)
        .groupBy('state')
        .execute()
      const counts = { ready: 0, begun: 0, done: 0, refused: 0, same: 0, skipped: 0, unclear: 0 }
      // PostgreSQL's driver gives a bigint as text.
      for (const { state, count } of found) counts[state] = Number(count)
      return counts
    },

    /** The steps of one state after a line, by line. */
    async inState(workId: string, state: StepState, afterLine: number, limit: number): Promise<StoredStep[]> {
      const found = await stepsIn(workId, state, afterLine).limit(limit).execute()
      const bodies = await openBodies(rows, keys, workId, found)
      return found.map(({ line }) => ({
        line,
        opened: bodies.has(line) ? { body: bodies.get(line) } : undefined,
      }))
    },
  }
}
