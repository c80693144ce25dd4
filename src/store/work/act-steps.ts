import { deserialize, serialize } from 'node:v8'
import type { Kysely, Transaction } from 'kysely'
import type { AppendAudit, AuditEvent } from '../audit/row.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Identity, TextOpener, TextSealer } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'

/** The record of one step of an act. */
export interface RecordedStep {
  readonly line: number
  readonly name: string
  /** Begun: it may or may not have happened. Refused: it certainly did not happen. */
  readonly state: 'begun' | 'done' | 'refused'
  /** Set for a step that was marked as begun, and then certainly not done. */
  readonly isUndone?: true
  /** When it was last begun, as the database has it. */
  readonly begunAt: string
  /** How long ago that was by the database's clock, which may have been set since; never negative. */
  readonly begunMsAgo: number
  /** The result, or the error; anything that `structuredClone` takes. */
  readonly result: unknown
  /** The intent in the audit log, for a step that has begun and not ended. */
  readonly intent: AuditEvent | undefined
}

/** The outcome of a step, kept until the act is over. */
export interface SettledStep {
  readonly workId: string
  readonly line: number
  readonly state: 'done' | 'refused'
  readonly result: unknown
}

/** The steps of an act so far, so that it can continue after a crash without doing one twice. */
export interface RecordedSteps {
  /** In the order in which they were begun. */
  list(workId: string): Promise<RecordedStep[]>
  /**
   * Marks a step as begun and writes its intent into the audit log; both are on disk before this returns. False, with nothing
   * written, when the owner does not have the act (any more).
   */
  begin(
    owner: string,
    step: { workId: string; line: number; name: string },
    intent?: AuditEvent,
  ): Promise<boolean>
  /** Records the outcome of a step, also in the audit log, unless it is known already. On disk before this returns. */
  settle(step: SettledStep, outcome?: AuditEvent): Promise<void>
  isHeld(workId: string, owner: string): Promise<boolean>
  /** Notes of a step that was marked as begun that nothing was done of it. False as with `begin`. */
  leaveUndone(owner: string, step: { workId: string; line: number }): Promise<boolean>
  /**
   * Marks a step that had begun then and did not happen as begun now. False, with nothing written, as with `begin`, and when
   * somebody has ended it or begun it again since.
   */
  beginAgain(owner: string, step: { workId: string; line: number; begunAt: string }): Promise<boolean>
  /** Stores what was read before anything was done, on disk before this returns. False as with `begin`. */
  keep(owner: string, step: { workId: string; line: number; name: string; result: unknown }): Promise<boolean>
}

/** A version before this one takes it for begun. */
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
        await transaction
          .insertInto('work_step')
          .values({
            id: idOf(workId, line),
            work_id: workId,
            line,
            name,
            state: 'begun',
            begun_at: time(),
            sealed_result: await sealedIn(transaction, workId, line, intent),
          })
          .execute()
        if (intent) await appendAudit(transaction, [intent])
      }),

    settle: ({ workId, line, state, result }, outcome) =>
      rows.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('work_step')
          .set({ state, sealed_result: await sealedIn(transaction, workId, line, result) })
          .where('work_id', '=', workId)
          .where('line', '=', line)
          .where('state', 'in', BEGUN)
          .executeTakeFirstOrThrow()
        if (outcome && numUpdatedRows > 0n) await appendAudit(transaction, [outcome])
      }),

    isHeld: (workId, owner) => isHeld(rows, workId, owner),

    ...undoneSteps(rows, time),

    keep: (owner, { workId, line, name, result }) =>
      whileHeld(workId, owner, async (transaction) => {
        const kept = { id: idOf(workId, line), work_id: workId, line, name, state: 'done' as const }
        await transaction
          .insertInto('work_step')
          .values({
            ...kept,
            begun_at: time(),
            sealed_result: await sealedIn(transaction, workId, line, result),
          })
          .execute()
      }),
  }
}

function undoneSteps(
  rows: Kysely<Schema>,
  time: DatabaseTime,
): Pick<RecordedSteps, 'leaveUndone' | 'beginAgain'> {
  const whileHeld = holder(rows)
  return {
    leaveUndone: (owner, { workId, line }) =>
      whileHeld(workId, owner, async (transaction) => {
        await transaction
          .updateTable('work_step')
          .set({ state: UNDONE })
          .where('work_id', '=', workId)
          .where('line', '=', line)
          .where('state', '=', 'begun')
          .execute()
      }),

    beginAgain: (owner, { workId, line, begunAt }) =>
      rows.transaction().execute(async (transaction) => {
        if (!(await isHeld(transaction, workId, owner))) return false
        const { numUpdatedRows } = await transaction
          .updateTable('work_step')
          .set({ state: 'begun', begun_at: time() })
          .where('work_id', '=', workId)
          .where('line', '=', line)
          .where('state', 'in', BEGUN)
          // On PostgreSQL another process may have taken the act over, and have come here, after `isHeld` was asked.
          .where('begun_at', '=', begunAt)
          .executeTakeFirstOrThrow()
        return numUpdatedRows > 0n
      }),
  }
}

function stepList(rows: Kysely<Schema>, time: DatabaseTime, keys: WorkspaceKeys): RecordedSteps['list'] {
  return async (workId) => {
    const found = await rows
      .selectFrom('work_step')
      .select(['line', 'name', 'state', 'begun_at', 'sealed_result'])
      .select(time().as('now'))
      .where('work_id', '=', workId)
      .orderBy('line')
      .execute()
    const opener = await keys.opener(
      rows,
      found.map(({ sealed_result }) => sealed_result),
    )
    return found.map(({ line, name, state, begun_at, now, sealed_result }) => ({
      line,
      name: name ?? '',
      state: state === 'done' || state === 'refused' ? state : ('begun' as const),
      ...(state === UNDONE && { isUndone: true as const }),
      begunAt: begun_at ?? now,
      begunMsAgo: Math.max(0, Date.parse(now) - Date.parse(begun_at ?? now)),
      ...kept(state === UNDONE ? 'begun' : state, openedResult(opener, workId, line, sealed_result)),
    }))
  }
}

/** Makes changes for whoever has the act; false, and nothing is changed, when that is not the owner (any more). */
function holder(rows: Kysely<Schema>) {
  return (
    workId: string,
    owner: string,
    change: (transaction: Transaction<Schema>) => Promise<void>,
  ): Promise<boolean> =>
    rows.transaction().execute(async (transaction) => {
      if (!(await isHeld(transaction, workId, owner))) return false
      await change(transaction)
      return true
    })
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

/** Of this moment: nothing keeps another process from taking the work over right after it. */
export async function isHeld(rows: Kysely<Schema>, workId: string, owner: string): Promise<boolean> {
  const held = await rows
    .selectFrom('work')
    .select('id')
    .where('id', '=', workId)
    .where('owner', '=', owner)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return held !== undefined
}
