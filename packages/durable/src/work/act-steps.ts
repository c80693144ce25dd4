import { deserialize, serialize } from 'node:v8'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { AppendAudit, AuditEvent } from '../audit/row.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { isPostgres } from '../database/migrating.ts'
import type { Schema } from '../database/schema.ts'
import type { Identity, TextOpener, TextSealer } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'

/** The record of one step of an act. */
export interface RecordedStep extends Attempt {
  readonly name: string
  /** Begun: it may or may not have happened. Refused: it certainly did not happen. */
  readonly state: 'begun' | 'done' | 'refused'
  /** Set for a step that was marked as begun, and then certainly not done. */
  readonly isUndone?: true
  /** How long ago it was last begun by the database's clock, which may have been set since; never negative. */
  readonly begunMsAgo: number
  /** The result, or the error; anything that `structuredClone` takes. */
  readonly result: unknown
  /** The intent in the audit log, for a step that has begun and not ended. */
  readonly intent: AuditEvent | undefined
}

/** One beginning of a step, by the process that began it. */
export interface Attempt {
  readonly workId: string
  readonly line: number
  readonly begunBy: string
  /** As the database has it. */
  readonly begunAt: string
}

/** The outcome of one attempt at a step, kept until the act is over. */
export interface SettledStep extends Attempt {
  readonly state: 'done' | 'refused'
  readonly result: unknown
}

/** The steps of an act so far, so that it can continue after a crash without doing one twice. */
export interface RecordedSteps {
  /** In the order in which they were begun. */
  list(workId: string): Promise<RecordedStep[]>
  /**
   * Marks a step as begun and writes its intent into the audit log; both are on disk before this returns. Undefined, with nothing
   * written, when the owner does not have the act (any more).
   */
  begin(
    owner: string,
    step: { workId: string; line: number; name: string },
    intent?: AuditEvent,
  ): Promise<Attempt | undefined>
  /**
   * Records the outcome of an attempt, also in the audit log, unless the step has its outcome already or was begun again since. On
   * disk before this returns.
   */
  settle(step: SettledStep, outcome?: AuditEvent): Promise<void>
  isHeld(workId: string, owner: string): Promise<boolean>
  /** Notes of an attempt that nothing was done of it, where its owner still has the act. */
  leaveUndone(attempt: Attempt): Promise<void>
  /**
   * Begins a step again of which this attempt did not happen. Undefined, with nothing written, as with `begin`, and when somebody
   * has ended it or begun it again since.
   */
  beginAgain(owner: string, attempt: Attempt): Promise<Attempt | undefined>
  /** Stores what was read before anything was done, on disk before this returns. False when the owner does not have the act. */
  keep(owner: string, step: { workId: string; line: number; name: string; result: unknown }): Promise<boolean>
}

/** It was begun, and nothing was done of it. */
const UNDONE = 'ready'
const BEGUN = ['begun', UNDONE] as const

/** The rows of `work_step`: steps of acts. */
export function recordedSteps(
  { rows }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  appendAudit: AppendAudit,
): RecordedSteps {
  const sealedIn = async (transaction: Transaction<Schema>, workId: string, line: number, result: unknown) =>
    result === undefined
      ? null
      : sealedResult(
          await keys.sealerIn(transaction, await workspaceOf(transaction, workId)),
          workId,
          line,
          result,
        )
  const whileHeld = holder(rows)

  return {
    list: stepList(rows, time, keys),

    begin: (owner, { workId, line, name }, intent) =>
      whileHeld(workId, owner, async (transaction) => {
        const begun = await transaction
          .insertInto('work_step')
          .values({
            id: idOf(workId, line),
            work_id: workId,
            line,
            name,
            state: 'begun',
            begun_at: time(),
            begun_by: owner,
            sealed_result: await sealedIn(transaction, workId, line, intent),
          })
          .returning('begun_at')
          .executeTakeFirstOrThrow()
        if (intent) await appendAudit(transaction, [intent])
        return { workId, line, begunBy: owner, begunAt: begun.begun_at ?? '' }
      }),

    settle: ({ state, result, ...attempt }, outcome) =>
      rows.transaction().execute(async (transaction) => {
        const { workId, line } = attempt
        const sealed_result = await sealedIn(transaction, workId, line, result)
        const { numUpdatedRows } = await openAttempt(transaction, attempt)
          .set({ state, sealed_result })
          .executeTakeFirstOrThrow()
        if (outcome && numUpdatedRows > 0n) await appendAudit(transaction, [outcome])
      }),

    isHeld: (workId, owner) => isHeld(rows, workId, owner),

    async leaveUndone(attempt) {
      await whileHeld(attempt.workId, attempt.begunBy, (transaction) =>
        openAttempt(transaction, attempt).set({ state: UNDONE }).execute(),
      )
    },

    beginAgain: (owner, attempt) =>
      whileHeld(attempt.workId, owner, async (transaction) => {
        const begun = await openAttempt(transaction, attempt)
          .set({ state: 'begun', begun_at: time(), begun_by: owner })
          .returning('begun_at')
          .executeTakeFirst()
        return begun && { ...attempt, begunBy: owner, begunAt: begun.begun_at ?? '' }
      }),

    async keep(owner, { workId, line, name, result }) {
      const kept = await whileHeld(workId, owner, async (transaction) => {
        const row = { id: idOf(workId, line), work_id: workId, line, name, state: 'done' as const }
        const sealed_result = await sealedIn(transaction, workId, line, result)
        return transaction
          .insertInto('work_step')
          .values({ ...row, begun_at: time(), begun_by: owner, sealed_result })
          .execute()
      })
      return kept !== undefined
    },
  }
}

/** An attempt that has no outcome, while its step was not begun again. */
const openAttempt = (rows: Kysely<Schema>, { workId, line, begunBy, begunAt }: Attempt) =>
  rows
    .updateTable('work_step')
    .where('work_id', '=', workId)
    .where('line', '=', line)
    .where('state', 'in', BEGUN)
    .where('begun_at', '=', begunAt)
    .where(sql<boolean>`coalesce(begun_by, '') = ${begunBy}`)

function stepList(rows: Kysely<Schema>, time: DatabaseTime, keys: WorkspaceKeys): RecordedSteps['list'] {
  return async (workId) => {
    const found = await rows
      .selectFrom('work_step')
      .select(['line', 'name', 'state', 'begun_at', 'begun_by', 'sealed_result'])
      .select(time().as('now'))
      .where('work_id', '=', workId)
      .orderBy('line')
      .execute()
    const opener = await keys.opener(
      rows,
      found.map(({ sealed_result }) => sealed_result),
    )
    return found.map(({ line, name, state, begun_at, begun_by, now, sealed_result }) => ({
      workId,
      line,
      begunBy: begun_by ?? '',
      name: name ?? '',
      state: state === 'done' || state === 'refused' ? state : ('begun' as const),
      ...(state === UNDONE && { isUndone: true as const }),
      begunAt: begun_at ?? now,
      begunMsAgo: Math.max(0, Date.parse(now) - Date.parse(begun_at ?? now)),
      ...kept(state === UNDONE ? 'begun' : state, openedResult(opener, workId, line, sealed_result)),
    }))
  }
}

/** Makes changes for whoever has the act; undefined, and nothing is changed, when that is not the owner (any more). */
function holder(rows: Kysely<Schema>) {
  return <T>(
    workId: string,
    owner: string,
    change: (transaction: Transaction<Schema>) => Promise<T>,
  ): Promise<T | undefined> =>
    rows
      .transaction()
      .execute(async (transaction) =>
        (await isHeld(transaction, workId, owner)) ? await change(transaction) : undefined,
      )
}

const sealedResult = (sealer: TextSealer, workId: string, line: number, result: unknown): string =>
  sealer.seal(serialize(result).toString('base64'), resultIdentity(idOf(workId, line)))

const openedResult = (opener: TextOpener, workId: string, line: number, text: string | null): unknown =>
  text === null
    ? undefined
    : deserialize(Buffer.from(opener.open(text, resultIdentity(idOf(workId, line))), 'base64'))

/** The column of the outcome holds the intent until there is an outcome. */
const kept = (state: string, held: unknown): Pick<RecordedStep, 'result' | 'intent'> =>
  // Written by `begin`, hence of this type.
  state === 'begun'
    ? { result: undefined, intent: held as AuditEvent | undefined }
    : { result: held, intent: undefined }

const idOf = (workId: string, line: number): string => `${workId}.${line}`

const resultIdentity = (id: string): Identity => ['work_step_result', id]

/** Empty for work of no workspace, and for work that is gone. */
export async function workspaceOf(rows: Kysely<Schema>, workId: string): Promise<string> {
  const found = await rows
    .selectFrom('work')
    .select('workspace_id')
    .where('id', '=', workId)
    .executeTakeFirst()
  return found?.workspace_id ?? ''
}

/** In a transaction nobody takes the work over before its end; else the answer is of this moment. */
export async function isHeld(rows: Kysely<Schema>, workId: string, owner: string): Promise<boolean> {
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
