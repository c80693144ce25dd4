import type { Kysely, Transaction } from 'kysely'
import type { Audit, Decisions } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/row.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema, StepState } from '../database/schema.ts'
import { type Sealer, tryOpen } from '../secrets/seal.ts'
import {
  type Attempt,
  beginColumns,
  createBodySealer,
  createSettle,
  encodeClone,
  hasLease,
  openBody,
  stepId,
  toAttempt,
  UNDONE,
  updateOpenAttempt,
  whileOwned,
} from './step-ledger.ts'

/** The record of one step of an act. */
export interface RecordedStep extends Attempt {
  readonly name: string
  /** Begun: it may or may not have happened. Refused: it definitely didn't happen. */
  readonly state: 'begun' | 'done' | 'refused'
  /** Set if the step was marked as begun but definitely didn't happen. */
  readonly isUndone?: true
  /** How long ago it was last begun, by the database's clock. Never negative, even if that clock was set back. */
  readonly begunMsAgo: number
  /** The result or the error. Anything that `structuredClone` accepts. */
  readonly result: unknown
  /** The audited intent of a step that has begun and not ended. */
  readonly intent: AuditEvent | undefined
}

/** The outcome of one attempt at a step, stored until the act is over. */
export interface SettledStep extends Attempt {
  /** Unknown: a late answer still replaces it. */
  readonly state: 'done' | 'refused' | 'unknown'
  readonly result: unknown
}

type NamedStep = Pick<RecordedStep, 'workId' | 'line' | 'name'>

/** The steps of an act so far. After a crash, it resumes without running a step twice. */
export type RecordedSteps = ReturnType<typeof createRecordedSteps>

/** Stores the steps of acts in `work_step`. */
export function createRecordedSteps(
  database: Database,
  time: DatabaseTime,
  keys: Sealer,
  {
    appendInTransaction: appendAudit,
    appendMissing,
    decideInTransaction,
  }: Pick<Audit, 'appendMissing' | 'appendInTransaction' | 'decideInTransaction'>,
) {
  const { rows } = database
  const settle = createSettle(
    database,
    keys,
    { appendInTransaction: appendAudit, appendMissing },
    encodeClone,
  )
  async function insert(
    transaction: Transaction<Schema>,
    owner: string,
    { workId, line, name }: NamedStep,
    state: 'begun' | 'done' | 'refused',
    body: unknown,
  ) {
    const seal = createBodySealer(keys, workId, encodeClone)
    return await transaction
      .insertInto('work_step')
      .values({
        id: stepId({ workId, line }),
        work_id: workId,
        line,
        name,
        ...beginColumns(owner, time),
        state,
        sealed_body: seal({ line, body }),
      })
      .returning(['begun_at', 'begun_by'])
      .executeTakeFirstOrThrow()
  }
  return {
    /** Lists the steps in the order in which they began. */
    list: createStepLister(rows, time, keys),

    /**
     * Marks a step as begun and audits its intent. Both are on disk when this returns. If the owner no longer has the act,
     * it writes nothing and returns undefined.
     */
    begin: (owner: string, step: NamedStep, intent?: AuditEvent) =>
      whileOwned(rows, step.workId, owner, async (transaction) => {
        const begun = await insert(transaction, owner, step, 'begun', intent)
        if (intent) await appendAudit(transaction, [intent])
        return toAttempt(step, begun)
      }),

    /** Records and audits the outcome of an attempt (`createSettle`). On disk when this returns. */
    async settle({ state, result, ...attempt }: SettledStep, auditEvent?: AuditEvent): Promise<void> {
      const { workId, line } = attempt
      await settle(workId, [{ line, body: result, state, attempt, auditEvent }])
    },

    /**
     * Runs a step that only changes settings and roles. The changes, the audit row, and the outcome are one transaction. If the
     * owner no longer has the act, it writes nothing and returns undefined.
     */
    decide: <T>(
      owner: string,
      step: NamedStep,
      workspaceId: string,
      work: (decisions: Decisions) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
    ): Promise<{ outcome: T } | undefined> =>
      decideInTransaction(workspaceId, (decide) =>
        whileOwned(rows, step.workId, owner, async (transaction) => {
          const outcome = await decide(transaction, workspaceId, work)
          await insert(transaction, owner, step, 'done', outcome)
          return { outcome }
        }),
      ),

    /** Records and audits a step that was refused before any part of it ran. */
    refuse: (
      owner: string,
      { result, ...step }: NamedStep & { result: unknown },
      auditEvent: AuditEvent,
    ): Promise<true | undefined> =>
      whileOwned(rows, step.workId, owner, async (transaction) => {
        await insert(transaction, owner, step, 'refused', result)
        await appendAudit(transaction, [auditEvent])
        return true as const
      }),

    /**
     * Audits that the outcome of these acts' open steps is unknown, because the steps are about to be deleted. Calling it
     * again doesn't add duplicates.
     */
    async auditUnknownOutcomes(transaction: Transaction<Schema>, workIds: readonly string[]): Promise<void> {
      if (workIds.length === 0) return
      const begun = await transaction
        .selectFrom('work_step')
        .selectAll()
        .where('work_id', 'in', workIds)
        .where('state', '=', 'begun')
        .where('name', 'is not', null)
        .execute()
      for (const row of begun) {
        const opened = tryOpen(() => openBody(keys, row.work_id, row))
        // `begin` wrote it, so the cast is safe.
        const intent = 'value' in opened ? (opened.value as AuditEvent | undefined) : undefined
        if (intent) await appendMissing(transaction, [{ ...intent, at: new Date(), outcome: 'unknown' }])
      }
    },

    hasLease: (workId: string, owner: string) => hasLease(rows, workId, owner),

    /** Records that an attempt didn't happen, if its owner still has the act. */
    async markUndone(attempt: Attempt): Promise<void> {
      await whileOwned(rows, attempt.workId, attempt.begunBy, (transaction) =>
        updateOpenAttempt(transaction, attempt).set({ state: UNDONE }).execute(),
      )
    },

    /**
     * Begins a step again after an attempt that didn't happen. Writes nothing and returns undefined if the owner no longer has the
     * act, or if the step has ended or was begun again since.
     */
    beginAgain: (owner: string, attempt: Attempt) =>
      whileOwned(rows, attempt.workId, owner, async (transaction) => {
        const begun = await updateOpenAttempt(transaction, attempt)
          .set(beginColumns(owner, time))
          .returning(['begun_at', 'begun_by'])
          .executeTakeFirst()
        return begun && toAttempt(attempt, begun)
      }),

    /**
     * Stores a value that was read before anything changed. On disk when this returns. False if the owner no longer has the
     * act.
     */
    async storeValue(owner: string, { result, ...step }: NamedStep & { result: unknown }): Promise<boolean> {
      const stored = await whileOwned(rows, step.workId, owner, (transaction) =>
        insert(transaction, owner, step, 'done', result),
      )
      return stored !== undefined
    },
  }
}

function createStepLister(rows: Kysely<Schema>, time: DatabaseTime, keys: Sealer) {
  return async (workId: string): Promise<RecordedStep[]> => {
    const found = await rows
      .selectFrom('work_step')
      .select(['line', 'name', 'state', 'begun_at', 'begun_by', 'sealed_body'])
      .select(time().as('now'))
      .where('work_id', '=', workId)
      .orderBy('line')
      .execute()
    return found.map(({ now, ...row }) => {
      const { line, name, state, begun_at, begun_by } = row
      return {
        workId,
        line,
        begunBy: begun_by ?? '',
        name: name ?? '',
        ...(state === UNDONE && { isUndone: true as const }),
        begunAt: begun_at ?? now,
        begunMsAgo: Math.max(0, Date.parse(now) - Date.parse(begun_at ?? now)),
        ...toRecordedState(state, openBody(keys, workId, row)),
      }
    })
  }
}

function toRecordedState(state: StepState, body: unknown): Pick<RecordedStep, 'state' | 'result' | 'intent'> {
  // Until a step has an outcome, its body contains its audited intent. `begin` wrote it, so the cast is safe.
  if (state === 'begun' || state === UNDONE)
    return { state: 'begun', result: undefined, intent: body as AuditEvent | undefined }
  return { state: state === 'done' ? state : 'refused', result: body, intent: undefined }
}
