import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { AppendAudit, AuditEvent } from '../audit/row.ts'
import { chunksOf } from '../database/chunks.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { jsonText } from '../database/json.ts'
import type { Schema, StepState } from '../database/schema.ts'
import { type Identity, openedOrWhyNot, type TextOpener } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { isHeld, workspaceOf } from './act-steps.ts'
import { stepReadings } from './step-readings.ts'

export type { StepState } from '../database/schema.ts'

/** One step of a job, named by the line of the file that it comes from. */
export interface JobStep {
  readonly line: number
  /** The JSON value that it was added with. */
  readonly body: unknown
}

/** A step that was begun: it may or may not have happened. */
export interface BegunStep extends JobStep {
  /** How long ago, by the database's clock. */
  readonly begunMsAgo: number
}

/** The outcome of a step; `result` is an id, or the sentence that says why not. */
export interface StepOutcome {
  readonly line: number
  readonly state: Exclude<StepState, 'begun'>
  readonly result?: string
}

/** A step that has its outcome, as it was last begun where that opens. */
export interface EndedStep {
  readonly line: number
  readonly result: string | undefined
  readonly opened: { readonly body: unknown } | undefined
}

export type StepCounts = Readonly<Record<StepState, number>>

export interface WorkSteps {
  /**
   * Adds steps to work that is not started yet, some at a time, so that others write in between. Done again after a crash, it adds
   * those that are missing: only then may the work be started.
   */
  add(workId: string, steps: readonly JobStep[]): Promise<void>
  /**
   * Marks the next steps as begun, on disk before this returns, and returns them by line. Empty when none is left, or when
   * the owner does not have the job (any more).
   */
  begin(workId: string, owner: string, limit: number): Promise<JobStep[]>
  /**
   * Marks these of the steps as begun, with what they have become since they were added: on disk before this returns. Returns
   * the lines that were still ready; none when the owner does not have the job (any more).
   */
  beginAs(workId: string, owner: string, steps: readonly JobStep[]): Promise<number[]>
  /** The steps after a line that have not begun, by line. One that does not open stays, and is passed over. */
  ready(workId: string, afterLine: number, limit: number): Promise<JobStep[]>
  /** The steps that were begun and have no outcome yet. */
  begun(workId: string): Promise<BegunStep[]>
  /**
   * Records the outcomes of steps together with their rows of the audit log. Writes nothing when the owner does not have the
   * job (any more): the process that has it finds the outcomes itself, and must not be contradicted. What is done or found
   * takes back the step of the same line of another job, where one is named: that step is deleted with it.
   */
  settle(
    workId: string,
    owner: string,
    outcomes: readonly StepOutcome[],
    auditEvents?: readonly AuditEvent[],
    takenBack?: string,
  ): Promise<void>
  counts(workId: string): Promise<StepCounts>
  /** Deletes the steps that have their outcome, of a job that neither waits nor runs. */
  clear(workId: string): Promise<void>
  /** The steps of one state after a line, by line; those that do not open among them. */
  settled(workId: string, state: StepOutcome['state'], afterLine: number, limit: number): Promise<EndedStep[]>
  /** The outcomes of one state after a line, by line. */
  outcomes(
    workId: string,
    state: StepOutcome['state'],
    afterLine: number,
    limit: number,
  ): Promise<StepOutcome[]>
}

/** What was added with steps of one piece of work, by line, without those that do not open. */
export type BodiesOf = (
  rows: Kysely<Schema>,
  workId: string,
  found: readonly { line: number; sealed_body: string | null }[],
) => Promise<ReadonlyMap<number, unknown>>

const bodyOf = (
  opener: TextOpener,
  workId: string,
  { line, sealed_body }: { line: number; sealed_body: string | null },
): unknown =>
  sealed_body === null ? undefined : JSON.parse(opener.open(sealed_body, identityOf(workId, line)))

/** Sealed and written in one turn of the event loop. */
const AT_ONCE = 100

/** The rows of `work_step`: steps of jobs. */
export function workStepStore(
  database: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  appendAudit: AppendAudit,
): WorkSteps {
  const bodiesOf: BodiesOf = async (rows, workId, found) => {
    const opener = await keys.opener(
      rows,
      found.map(({ sealed_body }) => sealed_body),
    )
    return new Map(
      found.flatMap((row) => {
        const opened = openedOrWhyNot(() => bodyOf(opener, workId, row))
        return 'value' in opened ? [[row.line, opened.value] as const] : []
      }),
    )
  }

  return {
    ...stepReadings(database.rows, time, bodiesOf),
    ...beginnings(database, time, bodiesOf),
    ...writings(database, time, keys, appendAudit),
  }
}

function beginnings(
  { rows }: Database,
  time: DatabaseTime,
  bodiesOf: BodiesOf,
): Pick<WorkSteps, 'begin' | 'ready'> {
  async function readyOnes(
    rows: Kysely<Schema>,
    workId: string,
    afterLine: number,
    limit: number,
  ): Promise<JobStep[]> {
    const found = await rows
      .selectFrom('work_step')
      .select(['line', 'sealed_body'])
      .where('work_id', '=', workId)
      .where('state', '=', 'ready')
      .where('line', '>', afterLine)
      .orderBy('line')
      .limit(limit)
      .execute()
    const bodies = await bodiesOf(rows, workId, found)
    const last = found.at(-1)
    if (bodies.size > 0 || !last) return [...bodies].map(([line, body]) => ({ line, body }))
    // Behind those that do not open there may be others.
    return readyOnes(rows, workId, last.line, limit)
  }

  return {
    async begin(workId, owner, limit) {
      return rows.transaction().execute(async (transaction) => {
        const held = await isHeld(transaction, workId, owner)
        const steps = held ? await readyOnes(transaction, workId, 0, limit) : []
        if (steps.length > 0)
          await transaction
            .updateTable('work_step')
            .set({ state: 'begun', begun_at: time() })
            .where('work_id', '=', workId)
            .where(
              'line',
              'in',
              steps.map(({ line }) => line),
            )
            .execute()
        return steps
      })
    },

    ready: (workId, afterLine, limit) => readyOnes(rows, workId, afterLine, limit),
  }
}

function writings(
  { rows, relaxed }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  appendAudit: AppendAudit,
): Pick<WorkSteps, 'add' | 'beginAs' | 'clear' | 'settle'> {
  return {
    clear: (workId) =>
      rows.transaction().execute(async (transaction) => {
        // Whoever starts it meanwhile changes this row, too: one of the two waits for the other.
        const { numUpdatedRows } = await transaction
          .updateTable('work')
          .set({ touched_at: time() })
          .where('id', '=', workId)
          .where('state', 'in', ['prepared', 'stopped'])
          .executeTakeFirstOrThrow()
        if (numUpdatedRows > 0n)
          await transaction
            .deleteFrom('work_step')
            .where('work_id', '=', workId)
            .where('state', 'in', ['done', 'found', 'refused'])
            .execute()
      }),

    add: (workId, steps) => addSteps({ rows, relaxed }, keys, workId, steps),

    beginAs: (workId, owner, steps) =>
      rows.transaction().execute(async (transaction) => {
        if (!(await isHeld(transaction, workId, owner))) return []
        const sealer = await keys.sealerIn(transaction, await workspaceOf(transaction, workId))
        const begun: number[] = []
        for (const { line, body } of steps) {
          const sealed_body = sealer.seal(jsonText(body, 'A step'), identityOf(workId, line))
          const { numUpdatedRows } = await transaction
            .updateTable('work_step')
            .set({ state: 'begun', begun_at: time(), sealed_body })
            .where('work_id', '=', workId)
            .where('line', '=', line)
            .where('state', '=', 'ready')
            .executeTakeFirstOrThrow()
          if (numUpdatedRows > 0n) begun.push(line)
        }
        return begun
      }),

    async settle(workId, owner, outcomes, auditEvents = [], takenBack) {
      if (outcomes.length === 0 && auditEvents.length === 0) return
      // What a power cut takes back is a step that was begun: it is then found out again.
      await relaxed((rows) =>
        rows.transaction().execute(async (transaction) => {
          if (!(await isHeld(transaction, workId, owner))) return
          for (const { line, state, result = null } of outcomes)
            await transaction
              .updateTable('work_step')
              .set({ state, result })
              .where('work_id', '=', workId)
              .where('line', '=', line)
              .execute()
          const lines = outcomes.flatMap(({ line, state }) => (OVER.has(state) ? [line] : []))
          if (takenBack !== undefined && lines.length > 0)
            await transaction
              .deleteFrom('work_step')
              .where('work_id', '=', takenBack)
              .where('line', 'in', lines)
              .execute()
          await appendAudit(transaction, auditEvents)
        }),
      )
    },
  }
}

const OVER: ReadonlySet<StepState> = new Set(['done', 'found'])

const idOf = (workId: string, line: number): string => `${workId}.${line}`

const identityOf = (workId: string, line: number): Identity => ['work_step', idOf(workId, line)]

async function addSteps(
  { rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>,
  keys: WorkspaceKeys,
  workId: string,
  steps: Parameters<WorkSteps['add']>[1],
): Promise<void> {
  const sealer = await keys.sealer(await workspaceOf(rows, workId))
  for (const some of chunksOf(steps, AT_ONCE)) {
    const added = some.map(({ line, body }) => ({
      id: idOf(workId, line),
      work_id: workId,
      line,
      state: 'ready' as const,
      sealed_body: sealer.seal(jsonText(body, 'A step'), identityOf(workId, line)),
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
