import { setImmediate } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { mapInSlices, newId } from '@signalman/runtime'
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import type { Audit, DecisionTransaction } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/row.ts'
import { splitChunks } from '../database/batches.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import {
  deleteRows,
  isPostgres,
  type Schema,
  type StepState,
  selectRows,
  type WorkStepRow,
} from '../database/schema.ts'
import { type Sealer, tryOpen } from '../secrets/seal.ts'

// Stores the progress of acts and jobs in `work_step`. Every write names the process that has the work and the attempt it's
// about, so that a process that lost the work can't overwrite newer results.

/** Identifies a step by its work, and by its line in a job's file or its number in an act. */
interface StepKey {
  readonly workId: string
  readonly line: number
}

export interface Attempt extends StepKey {
  /** The process that began it, and a random ID. */
  readonly begunBy: string
  /** The timestamp as stored in the database. */
  readonly begunAt: string
}

/** A step to add, begin, or record. */
export interface NewStep extends StepKey {
  /** For a step of an act: the name by which a later run recognizes it. */
  readonly name?: string | undefined
  /** Anything that `structuredClone` accepts. Encrypted at rest. */
  readonly body?: unknown
}

interface StepToRecord extends Omit<NewStep, 'line'> {
  /** Absent for a named step that isn't one of the numbered ones: it may happen again and again, and is removed when it's over. */
  readonly line?: number | undefined
  /** The attempt that didn't happen. */
  readonly attempt?: Attempt | undefined
  /** By default, begun. */
  readonly state?: 'begun' | 'done' | 'refused'
}

/** A stored step. */
export interface Step extends Attempt {
  readonly name: string
  /** Ready: it wasn't begun, or definitely didn't happen. Begun: it may or may not have happened. */
  readonly state: StepState
  /** How long ago it was last begun, by the database's clock. Never negative, even if that clock was set back. */
  readonly begunMsAgo: number
  /** When it was read, by the database's clock. */
  readonly readAt: string
  /** A job's record. For an act: the audited intent until there is an outcome, then the result or the error. Throws SealError. */
  readonly body: unknown
}

/** The outcome of an attempt, or of a step that hasn't begun. */
export type StepOutcome = (Attempt | (StepKey & { readonly owner: string })) & {
  /** Ready: it didn't happen, and its body stays. Unknown: a late answer still replaces it. */
  readonly state: Exclude<StepState, 'begun'>
  readonly body?: unknown
}

type StepCounts = Readonly<Record<StepState, number>>

export type Steps = ReturnType<typeof createSteps>

/** How many steps to seal and write per turn of the event loop. */
const STEPS_PER_BATCH = 100

/** Identifies an attempt at another system: 22 characters of `A–Z a–z 0–9 _ -`. */
export const attemptId = ({ begunBy }: Pick<Attempt, 'begunBy'>): string =>
  begunBy.slice(begunBy.lastIndexOf(' ') + 1)

const stepId = ({ workId, line }: StepKey): string => `${workId}.${line}`

/** Matches an attempt without a final outcome, unless the step was begun again since; or a step that hasn't begun. */
const isUnsettled = (attempt: Attempt | undefined): RawBuilder<boolean> =>
  attempt
    ? sql`work_step.state in ('begun', 'unknown', 'ready') and work_step.begun_at = ${attempt.begunAt}
        and coalesce(work_step.begun_by, '') = ${attempt.begunBy}`
    : sql`work_step.state = 'ready'`

export function createSteps(
  { rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>,
  time: DatabaseTime,
  keys: Sealer,
  audit: Pick<Audit, 'appendMissing' | 'appendInTransaction' | 'decide'>,
) {
  const seal = (id: string, body: unknown): string | null =>
    body === undefined ? null : keys.seal(serialize(body).toString('base64'), ['work_step', id])
  const open = (id: string, sealed: string | null): unknown =>
    sealed === null ? undefined : deserialize(Buffer.from(keys.open(sealed, ['work_step', id]), 'base64'))

  function newRow({ workId, line, name, body }: NewStep, state: StepState) {
    const id = stepId({ workId, line })
    return { id, work_id: workId, line, name: name ?? null, state, sealed_body: seal(id, body) }
  }

  /** Attempts that may be stored as begun, although this process knows that they didn't happen. */
  const unsent = new Set<string>()
  async function unlessUnsent<T>(begunBy: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      for (const attempt of begunBy) unsent.add(attempt)
      throw error
    }
  }

  async function begin(
    transaction: Transaction<Schema>,
    begunBy: string,
    { attempt, state = 'begun', line: numbered, ...step }: StepToRecord,
    auditEvent?: AuditEvent,
  ): Promise<Attempt | undefined> {
    const line = numbered ?? (await findLine(transaction, step))
    if (line === undefined) return undefined
    const row = newRow({ body: auditEvent, ...step, line }, state)
    const begun = { state, begun_at: time(), begun_by: begunBy }
    const written = await transaction
      .insertInto('work_step')
      .values({ ...row, ...begun })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ ...begun, ...(row.sealed_body !== null && { sealed_body: row.sealed_body }) })
          .where(isUnsettled(attempt)),
      )
      .returning('begun_at')
      .executeTakeFirst()
    if (!written) return undefined
    if (auditEvent) await audit.appendInTransaction(transaction, auditEvent)
    return { workId: step.workId, line, begunBy, begunAt: written.begun_at ?? '' }
  }

  async function end(
    transaction: Transaction<Schema>,
    outcome: StepOutcome,
    auditEvent?: AuditEvent,
  ): Promise<void> {
    const { workId, line, state, body } = outcome
    const id = stepId(outcome)
    if ('owner' in outcome && !(await hasLease(transaction, workId, outcome.owner))) return
    const { numUpdatedRows } = await transaction
      .updateTable('work_step')
      .set({ state, ...(state !== 'ready' && { sealed_body: seal(id, body) }) })
      .where('id', '=', id)
      .where(isUnsettled('begunAt' in outcome ? outcome : undefined))
      // Two processes may find out nothing about the same attempt. Only the first one says so.
      .$if(state === 'unknown', (update) => update.where('state', '!=', 'unknown'))
      .executeTakeFirstOrThrow()
    if (!auditEvent) return
    if (numUpdatedRows > 0n) return void (await audit.appendInTransaction(transaction, auditEvent))
    const step = await selectRows(transaction, 'work_step', { work_id: workId, line }).executeTakeFirst()
    if (!step) await audit.appendMissing(transaction, auditEvent)
  }

  /** The line of a named step that isn't one of the numbered ones. Undefined if there is one with this name. */
  async function findLine(
    transaction: Transaction<Schema>,
    { workId, name }: Pick<NewStep, 'workId' | 'name'>,
  ): Promise<number | undefined> {
    const query = selectRows(transaction, 'work_step', { work_id: workId }).where('line', '<', 0)
    const named = await query.execute()
    if (named.some((other) => other.name === name)) return undefined
    return Math.min(0, ...named.map(({ line }) => line)) - 1
  }

  const toStep = ({
    id,
    work_id,
    line,
    name,
    state,
    begun_at,
    begun_by,
    sealed_body,
    now,
  }: FoundStep): Step => ({
    workId: work_id,
    line,
    name: name ?? '',
    state: state === 'begun' && unsent.has(begun_by ?? '') ? 'ready' : state,
    begunBy: begun_by ?? '',
    begunAt: begun_at ?? now,
    begunMsAgo: Math.max(0, Date.parse(now) - Date.parse(begun_at ?? now)),
    readAt: now,
    get body() {
      return open(id, sealed_body)
    },
  })

  type Transact = <T>(work: (transaction: Transaction<Schema>) => Promise<T>) => Promise<T>

  const createRecords = (transact: Transact, lost: string[] = []) => ({
    /**
     * Records that a step begins, or begins again after `attempt`, or that it has ended at once, and audits that. On disk when this returns.
     * By default, its body is the audited intent, and one that begins again keeps its body. Writes nothing and returns undefined if the
     * owner no longer has the work, or if the step has ended or was begun again since. If it throws, send nothing.
     */
    async record(owner: string, step: StepToRecord, auditEvent?: AuditEvent): Promise<Attempt | undefined> {
      const begunBy = `${owner} ${newId()}`
      lost.push(begunBy)
      return unlessUnsent([begunBy], () =>
        transact(async (transaction) =>
          (await hasLease(transaction, step.workId, owner))
            ? begin(transaction, begunBy, step, auditEvent)
            : undefined,
        ),
      )
    },

    /**
     * Stores and audits an outcome, on disk when this returns. Ignores that of a step that was begun again since or already has
     * one. What the process knows that sent the request counts, even if it no longer has the work. But only the owner settles a
     * step that hasn't begun. If a step is gone because its workspace was forgotten, its outcome is still audited.
     */
    recordOutcome(outcome: StepOutcome, auditEvent?: AuditEvent): Promise<void> {
      const notDone = outcome.state === 'ready' && 'begunBy' in outcome ? [outcome.begunBy] : []
      lost.push(...notDone)
      return unlessUnsent(notDone, () => transact((transaction) => end(transaction, outcome, auditEvent)))
    },
  })
  type Records = ReturnType<typeof createRecords>

  return {
    /**
     * Adds steps to work that hasn't started, in batches, so that other writes can run in between. After a crash, calling it
     * again adds the missing ones. Only start the work after that.
     */
    async add(
      workId: string,
      steps: readonly (Omit<NewStep, 'workId'> & { readonly state?: 'ready' | 'left-out' })[],
    ): Promise<void> {
      for (const chunk of splitChunks(steps, STEPS_PER_BATCH)) {
        // One step may be a row of a file with thousands of addresses.
        const added = await mapInSlices(chunk, ({ state = 'ready', ...step }) =>
          newRow({ workId, ...step }, state),
        )
        // Once the work starts, a power failure loses none of them.
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
    },

    ...createRecords((work) => rows.transaction().execute(work)),

    /** Writes the records of several steps in one transaction. */
    async together<T>(work: (records: Records) => Promise<T>): Promise<T> {
      const begun: string[] = []
      return unlessUnsent(begun, () =>
        rows
          .transaction()
          .execute((transaction) => work(createRecords((write) => write(transaction), begun))),
      )
    },

    /**
     * Runs a step that only changes the database. The changes, the audit row, and the outcome are one transaction. Throws LeaseLost, and
     * writes nothing, if the owner no longer has the act.
     */
    decide: <T>(
      owner: string,
      step: NewStep,
      workspaceId: string,
      work: (decisions: DecisionTransaction) => Promise<{ auditEvent: AuditEvent; outcome: T }>,
    ): Promise<T> =>
      audit.decide(workspaceId, async (decisions) => {
        const decided = await work(decisions)
        const records = createRecords((write) => write(decisions.transaction))
        const done = { ...step, state: 'done', body: decided.outcome } as const
        if (!(await records.record(owner, done))) throw new LeaseLost()
        return decided
      }),

    /**
     * The steps of a piece of work by line: all, or those in one state, after a line, up to a limit; or else the named ones that aren't
     * numbered, until they're over.
     */
    async list(
      workId: string,
      {
        state,
        afterLine = 0,
        limit,
        isNumbered = true,
      }: { state?: StepState; afterLine?: number; limit?: number; isNumbered?: boolean } = {},
    ): Promise<Step[]> {
      const found = await rows
        .selectFrom('work_step')
        .selectAll()
        .select(time().as('now'))
        .where('work_id', '=', workId)
        .where('line', isNumbered ? '>' : '<', afterLine)
        .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'ready'))
        .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
        .orderBy('line')
        .execute()
      return found.map(toStep)
    },

    /** A named step is over. Ignores one that was begun again since. */
    async remove({ workId, line, begunBy }: Attempt): Promise<void> {
      // If a power failure brings the row back, the step is looked up.
      await relaxed((db) => deleteRows(db, 'work_step', { work_id: workId, line, begun_by: begunBy }))
    },

    async countByState(workId: string): Promise<StepCounts> {
      const found = await rows
        .selectFrom('work_step')
        .select(['state', (count) => count.fn.countAll().as('count')])
        .where('work_id', '=', workId)
        .where('line', '>', 0)
        .groupBy('state')
        .execute()
      const counts = { ...NO_STEPS }
      // PostgreSQL's driver returns bigint as text.
      for (const { state, count } of found) counts[state] = Number(count)
      return counts
    },

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
        .where('line', '>', 0)
        .execute()
      for (const { id, begun_by, sealed_body } of begun) {
        if (unsent.has(begun_by ?? '')) continue
        const opened = tryOpen(() => open(id, sealed_body))
        // `begin` wrote it, so the cast is safe.
        const intent = 'value' in opened ? (opened.value as AuditEvent | undefined) : undefined
        if (intent) await audit.appendMissing(transaction, { ...intent, at: new Date(), outcome: 'unknown' })
      }
    },

    hasLease: (workId: string, owner: string) => hasLease(rows, workId, owner),
  }
}

type FoundStep = Selectable<WorkStepRow> & { readonly now: string }

const NO_STEPS: StepCounts = {
  ready: 0,
  begun: 0,
  done: 0,
  refused: 0,
  'left-out': 0,
  skipped: 0,
  unclear: 0,
  unknown: 0,
}

/** This process lost the lease on a piece of work, which continues in another process, or later. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor() {
    super('The lease was lost; another process continues the work.')
  }
}

/**
 * Whether this owner still has the work: only running work has an owner. In a transaction, nobody can take the work over before the
 * transaction ends. Otherwise, the answer may be outdated right away.
 */
export async function hasLease(rows: Kysely<Schema>, workId: string, owner: string): Promise<boolean> {
  const lease = rows.selectFrom('work').select('id').where('id', '=', workId).where('owner', '=', owner)
  // A SQLite transaction already excludes other writers.
  const isLocked = rows.isTransaction && isPostgres(rows)
  return (await (isLocked ? lease.forShare() : lease).executeTakeFirst()) !== undefined
}
