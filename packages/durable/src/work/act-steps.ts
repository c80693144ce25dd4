import { deserialize, serialize } from 'node:v8'
import type { Kysely, Transaction } from 'kysely'
import type { Audit } from '../audit/audit.ts'
import type { Decisions } from '../audit/decisions.ts'
import type { AuditEvent } from '../audit/row.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { type Schema, selectRows } from '../database/schema.ts'
import { type Identity, type TextOpener, tryOpen } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import {
  type Attempt,
  beginColumns,
  findWorkspace,
  hasLease,
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
  readonly state: 'done' | 'refused'
  readonly result: unknown
}

type NamedStep = Pick<RecordedStep, 'workId' | 'line' | 'name'>

/** The steps of an act so far. After a crash, it resumes without running a step twice. */
export type RecordedSteps = ReturnType<typeof createRecordedSteps>

/** Stores the steps of acts in `work_step`. */
export function createRecordedSteps(
  { rows }: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
  {
    appendInTransaction: appendAudit,
    appendMissing,
    decideInTransaction,
  }: Pick<Audit, 'appendMissing' | 'appendInTransaction' | 'decideInTransaction'>,
) {
  const sealResult = createResultSealer(keys)
  return {
    /** Lists the steps in the order in which they began. */
    list: createStepLister(rows, time, keys),

    /**
     * Marks a step as begun and audits its intent. Both are on disk when this returns. If the owner no longer has the act,
     * it writes nothing and returns undefined.
     */
    begin: (owner: string, { name, ...position }: NamedStep, intent?: AuditEvent) =>
      whileOwned(rows, position.workId, owner, async (transaction) => {
        const begun = await transaction
          .insertInto('work_step')
          .values({
            ...stepColumns(position, name),
            ...beginColumns(owner, time),
            sealed_result: await sealResult(transaction, position.workId, position.line, intent),
          })
          .returning(['begun_at', 'begun_by'])
          .executeTakeFirstOrThrow()
        if (intent) await appendAudit(transaction, [intent])
        return toAttempt(position, begun)
      }),

    /**
     * Records and audits the outcome of an attempt, unless the step already has an outcome or was begun again since. If the step
     * is gone because its workspace was forgotten, the outcome is still audited. On disk when this returns.
     */
    settle: ({ state, result, ...attempt }: SettledStep, auditEvent?: AuditEvent): Promise<void> =>
      rows.transaction().execute(async (transaction) => {
        const { workId, line } = attempt
        const sealed_result = await sealResult(transaction, workId, line, result)
        const { numUpdatedRows } = await updateOpenAttempt(transaction, attempt)
          .set({ state, sealed_result })
          .executeTakeFirstOrThrow()
        if (!auditEvent) return
        if (numUpdatedRows > 0n) await appendAudit(transaction, [auditEvent])
        else if (!(await stepExists(transaction, attempt))) await appendMissing(transaction, [auditEvent])
      }),

    /**
     * Runs a step that only changes settings and roles. The changes, the audit row, and the outcome are one transaction. If the
     * owner no longer has the act, it writes nothing and returns undefined.
     */
    decide: <T>(
      owner: string,
      { name, ...position }: NamedStep,
      workspaceId: string,
      work: (decisions: Decisions) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
    ): Promise<{ outcome: T } | undefined> =>
      decideInTransaction(workspaceId, (decide) =>
        whileOwned(rows, position.workId, owner, async (transaction) => {
          const outcome = await decide(transaction, workspaceId, work)
          const sealed_result = await sealResult(transaction, position.workId, position.line, outcome)
          const ended = {
            ...stepColumns(position, name),
            ...beginColumns(owner, time),
            state: 'done',
            sealed_result,
          } as const
          await transaction.insertInto('work_step').values(ended).execute()
          return { outcome }
        }),
      ),

    /** Records and audits a step that was refused before any part of it ran. */
    refuse: (
      owner: string,
      { name, result, ...position }: NamedStep & { result: unknown },
      auditEvent: AuditEvent,
    ): Promise<true | undefined> =>
      whileOwned(rows, position.workId, owner, async (transaction) => {
        const sealed_result = await sealResult(transaction, position.workId, position.line, result)
        const ended = {
          ...stepColumns(position, name),
          ...beginColumns(owner, time),
          state: 'refused',
          sealed_result,
        } as const
        await transaction.insertInto('work_step').values(ended).execute()
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
      const opener = await keys.createOpener(transaction, begun, 'sealed_result')
      for (const { work_id, line, sealed_result } of begun) {
        const opened = tryOpen(() => openResult(opener, work_id, line, sealed_result))
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
    async storeValue(
      owner: string,
      { name, result, ...position }: NamedStep & { result: unknown },
    ): Promise<boolean> {
      const stored = await whileOwned(rows, position.workId, owner, async (transaction) => {
        const sealed_result = await sealResult(transaction, position.workId, position.line, result)
        return transaction
          .insertInto('work_step')
          .values({
            ...stepColumns(position, name),
            ...beginColumns(owner, time),
            state: 'done',
            sealed_result,
          })
          .execute()
      })
      return stored !== undefined
    },
  }
}

const stepExists = async (rows: Kysely<Schema>, { workId, line }: Pick<Attempt, 'workId' | 'line'>) =>
  (await selectRows(rows, 'work_step', { work_id: workId, line }).executeTakeFirst()) !== undefined

const stepColumns = ({ workId, line }: Pick<Attempt, 'workId' | 'line'>, name: string) => ({
  id: stepId({ workId, line }),
  work_id: workId,
  line,
  name,
})

function createStepLister(rows: Kysely<Schema>, time: DatabaseTime, keys: WorkspaceKeys) {
  return async (workId: string): Promise<RecordedStep[]> => {
    const found = await rows
      .selectFrom('work_step')
      .select(['line', 'name', 'state', 'begun_at', 'begun_by', 'sealed_result'])
      .select(time().as('now'))
      .where('work_id', '=', workId)
      .orderBy('line')
      .execute()
    const opener = await keys.createOpener(rows, found, 'sealed_result')
    return found.map(({ line, name, state, begun_at, begun_by, now, sealed_result }) => ({
      workId,
      line,
      begunBy: begun_by ?? '',
      name: name ?? '',
      state: state === 'done' || state === 'refused' ? state : ('begun' as const),
      ...(state === UNDONE && { isUndone: true as const }),
      begunAt: begun_at ?? now,
      begunMsAgo: Math.max(0, Date.parse(now) - Date.parse(begun_at ?? now)),
      ...splitResult(state === UNDONE ? 'begun' : state, openResult(opener, workId, line, sealed_result)),
    }))
  }
}

const createResultSealer =
  (keys: WorkspaceKeys) =>
  async (rows: Kysely<Schema>, workId: string, line: number, result: unknown): Promise<string | null> => {
    if (result === undefined) return null
    const sealer = await keys.findSealerOrRoot(rows, await findWorkspace(rows, workId))
    return sealer.seal(serialize(result).toString('base64'), resultIdentity(stepId({ workId, line })))
  }

const openResult = (opener: TextOpener, workId: string, line: number, text: string | null): unknown =>
  text === null
    ? undefined
    : deserialize(Buffer.from(opener.open(text, resultIdentity(stepId({ workId, line }))), 'base64'))

/** Until a step has an outcome, `sealed_result` contains its audited intent. */
const splitResult = (state: string, stored: unknown): Pick<RecordedStep, 'result' | 'intent'> =>
  // `begin` wrote it, so the cast is safe.
  state === 'begun'
    ? { result: undefined, intent: stored as AuditEvent | undefined }
    : { result: stored, intent: undefined }

const resultIdentity = (id: string): Identity => ['work_step_result', id]
