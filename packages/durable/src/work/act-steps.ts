import { deserialize, serialize } from 'node:v8'
import type { Kysely, Transaction } from 'kysely'
import type { Audit } from '../audit/audit.ts'
import type { Decisions } from '../audit/decisions.ts'
import type { AuditEvent } from '../audit/row.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { rowsIn, type Schema } from '../database/schema.ts'
import { type Identity, type TextOpener, tryOpen } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import {
  type Attempt,
  attemptOf,
  begunNow,
  hasLease,
  openAttempt,
  stepId,
  UNDONE,
  whileHeld,
  workspaceOf,
} from './step-ledger.ts'

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

/** The outcome of one attempt at a step, kept until the act is over. */
export interface SettledStep extends Attempt {
  readonly state: 'done' | 'refused'
  readonly result: unknown
}

type NamedPlace = Pick<RecordedStep, 'workId' | 'line' | 'name'>

/** The steps of an act so far, so that it can continue after a crash without doing one twice. */
export type RecordedSteps = ReturnType<typeof recordedSteps>

/** The rows of `work_step`: steps of acts. */
export function recordedSteps(
  { rows }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  {
    appendWith: appendAudit,
    appendMissing,
    decideWithin,
  }: Pick<Audit, 'appendMissing' | 'appendWith' | 'decideWithin'>,
) {
  const sealedIn = sealing(keys)
  return {
    /** In the order in which they were begun. */
    list: stepList(rows, time, keys),

    /**
     * Marks a step as begun and writes its intent into the audit log; both are on disk before this returns. Undefined, with nothing
     * written, when the owner does not have the act (any more).
     */
    begin: (owner: string, { name, ...at }: NamedPlace, intent?: AuditEvent) =>
      whileHeld(rows, at.workId, owner, async (transaction) => {
        const begun = await transaction
          .insertInto('work_step')
          .values({
            ...rowAt(at, name),
            ...begunNow(owner, time),
            sealed_result: await sealedIn(transaction, at.workId, at.line, intent),
          })
          .returning(['begun_at', 'begun_by'])
          .executeTakeFirstOrThrow()
        if (intent) await appendAudit(transaction, [intent])
        return attemptOf(at, begun)
      }),

    /**
     * Records the outcome of an attempt, also in the audit log, unless the step has its outcome already or was begun again since. Of a
     * step that is gone because its workspace was forgotten, the audit log still gets it. On disk before this returns.
     */
    settle: ({ state, result, ...attempt }: SettledStep, outcome?: AuditEvent): Promise<void> =>
      rows.transaction().execute(async (transaction) => {
        const { workId, line } = attempt
        const sealed_result = await sealedIn(transaction, workId, line, result)
        const { numUpdatedRows } = await openAttempt(transaction, attempt)
          .set({ state, sealed_result })
          .executeTakeFirstOrThrow()
        if (!outcome) return
        if (numUpdatedRows > 0n) await appendAudit(transaction, [outcome])
        else if (!(await isThere(transaction, attempt))) await appendMissing(transaction, [outcome])
      }),

    /**
     * Does a step that changes nothing but settings and roles: they, its audit row and its outcome are one transaction. Undefined, with
     * nothing written, when the owner does not have the act (any more).
     */
    decide: <T>(
      owner: string,
      { name, ...at }: NamedPlace,
      workspaceId: string,
      work: (decisions: Decisions) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
    ): Promise<{ outcome: T } | undefined> =>
      decideWithin(workspaceId, (decide) =>
        whileHeld(rows, at.workId, owner, async (transaction) => {
          const outcome = await decide(transaction, workspaceId, work)
          const sealed_result = await sealedIn(transaction, at.workId, at.line, outcome)
          const ended = {
            ...rowAt(at, name),
            ...begunNow(owner, time),
            state: 'done',
            sealed_result,
          } as const
          await transaction.insertInto('work_step').values(ended).execute()
          return { outcome }
        }),
      ),

    /** Records a step that was refused before anything was done of it, also in the audit log. */
    refuse: (
      owner: string,
      { name, result, ...at }: NamedPlace & { result: unknown },
      auditEvent: AuditEvent,
    ): Promise<true | undefined> =>
      whileHeld(rows, at.workId, owner, async (transaction) => {
        const sealed_result = await sealedIn(transaction, at.workId, at.line, result)
        const ended = {
          ...rowAt(at, name),
          ...begunNow(owner, time),
          state: 'refused',
          sealed_result,
        } as const
        await transaction.insertInto('work_step').values(ended).execute()
        await appendAudit(transaction, [auditEvent])
        return true as const
      }),

    /**
     * Notes in the audit log that nobody knows the outcome of the steps that these acts have begun: they are about to be deleted. Done
     * again, it notes nothing twice.
     */
    async giveUp(transaction: Transaction<Schema>, workIds: readonly string[]): Promise<void> {
      if (workIds.length === 0) return
      const begun = await transaction
        .selectFrom('work_step')
        .selectAll()
        .where('work_id', 'in', workIds)
        .where('state', '=', 'begun')
        .where('name', 'is not', null)
        .execute()
      const opener = await keys.opener(transaction, begun, 'sealed_result')
      for (const { work_id, line, sealed_result } of begun) {
        const opened = tryOpen(() => openedResult(opener, work_id, line, sealed_result))
        // Written by `begin`, hence of this type.
        const intent = 'value' in opened ? (opened.value as AuditEvent | undefined) : undefined
        if (intent) await appendMissing(transaction, [{ ...intent, at: new Date(), outcome: 'unknown' }])
      }
    },

    hasLease: (workId: string, owner: string) => hasLease(rows, workId, owner),

    /** Notes of an attempt that nothing was done of it, where its owner still has the act. */
    async leaveUndone(attempt: Attempt): Promise<void> {
      await whileHeld(rows, attempt.workId, attempt.begunBy, (transaction) =>
        openAttempt(transaction, attempt).set({ state: UNDONE }).execute(),
      )
    },

    /**
     * Begins a step again of which this attempt did not happen. Undefined, with nothing written, as with `begin`, and when somebody
     * has ended it or begun it again since.
     */
    beginAgain: (owner: string, attempt: Attempt) =>
      whileHeld(rows, attempt.workId, owner, async (transaction) => {
        const begun = await openAttempt(transaction, attempt)
          .set(begunNow(owner, time))
          .returning(['begun_at', 'begun_by'])
          .executeTakeFirst()
        return begun && attemptOf(attempt, begun)
      }),

    /** Stores what was read before anything was done, on disk before this returns. False when the owner does not have the act. */
    async keep(owner: string, { name, result, ...at }: NamedPlace & { result: unknown }): Promise<boolean> {
      const kept = await whileHeld(rows, at.workId, owner, async (transaction) => {
        const sealed_result = await sealedIn(transaction, at.workId, at.line, result)
        return transaction
          .insertInto('work_step')
          .values({ ...rowAt(at, name), ...begunNow(owner, time), state: 'done', sealed_result })
          .execute()
      })
      return kept !== undefined
    },
  }
}

const isThere = async (rows: Kysely<Schema>, { workId, line }: Pick<Attempt, 'workId' | 'line'>) =>
  (await rowsIn(rows, 'work_step', { work_id: workId, line }).executeTakeFirst()) !== undefined

const rowAt = ({ workId, line }: Pick<Attempt, 'workId' | 'line'>, name: string) => ({
  id: stepId({ workId, line }),
  work_id: workId,
  line,
  name,
})

function stepList(rows: Kysely<Schema>, time: DatabaseTime, keys: WorkspaceKeys) {
  return async (workId: string): Promise<RecordedStep[]> => {
    const found = await rows
      .selectFrom('work_step')
      .select(['line', 'name', 'state', 'begun_at', 'begun_by', 'sealed_result'])
      .select(time().as('now'))
      .where('work_id', '=', workId)
      .orderBy('line')
      .execute()
    const opener = await keys.opener(rows, found, 'sealed_result')
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

const sealing =
  (keys: WorkspaceKeys) =>
  async (rows: Kysely<Schema>, workId: string, line: number, result: unknown): Promise<string | null> => {
    if (result === undefined) return null
    const sealer = await keys.sealerIn(rows, await workspaceOf(rows, workId))
    return sealer.seal(serialize(result).toString('base64'), resultIdentity(stepId({ workId, line })))
  }

const openedResult = (opener: TextOpener, workId: string, line: number, text: string | null): unknown =>
  text === null
    ? undefined
    : deserialize(Buffer.from(opener.open(text, resultIdentity(stepId({ workId, line }))), 'base64'))

/** The column of the outcome holds the intent until there is an outcome. */
const kept = (state: string, held: unknown): Pick<RecordedStep, 'result' | 'intent'> =>
  // Written by `begin`, hence of this type.
  state === 'begun'
    ? { result: undefined, intent: held as AuditEvent | undefined }
    : { result: held, intent: undefined }

const resultIdentity = (id: string): Identity => ['work_step_result', id]
