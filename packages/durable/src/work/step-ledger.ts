import { deserialize, serialize } from 'node:v8'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Audit } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/row.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { jsonText } from '../database/json.ts'
import { isPostgres } from '../database/make-tables.ts'
import { type Schema, type StepState, selectRows } from '../database/schema.ts'
import { type Identity, type Sealer, tryOpen } from '../secrets/seal.ts'

// Stores the progress of acts and jobs in `work_step`. Every write names the process that has the work and the attempt it's
// about, so that a process that lost the work can't overwrite newer results.

/** One attempt at a step, by the process that began it. */
export interface Attempt {
  readonly workId: string
  /** The line in a job's file, or the number of an act's step. */
  readonly line: number
  readonly begunBy: string
  /** The timestamp as stored in the database. */
  readonly begunAt: string
}

type StepKey = Pick<Attempt, 'workId' | 'line'>

export const stepId = ({ workId, line }: StepKey): string => `${workId}.${line}`

/** The state of a step that was begun, but definitely didn't happen. */
export const UNDONE = 'ready'
/** Without a final outcome. A late answer still settles an attempt whose outcome counts as unknown. */
const OPEN = ['begun', 'unknown', UNDONE] as const

export const updateStep = (rows: Kysely<Schema>, { workId, line }: StepKey) =>
  rows.updateTable('work_step').where('work_id', '=', workId).where('line', '=', line)

/** Matches an attempt without an outcome, unless the step was begun again since. */
export const updateOpenAttempt = (rows: Kysely<Schema>, attempt: Attempt) =>
  updateStep(rows, attempt)
    .where('state', 'in', OPEN)
    .where('begun_at', '=', attempt.begunAt)
    .where(sql<boolean>`coalesce(begun_by, '') = ${attempt.begunBy}`)

/** The columns of a step that this process begins now. */
export const beginColumns = (owner: string, time: DatabaseTime) => ({
  state: 'begun' as const,
  begun_at: time(),
  begun_by: owner,
})

export const toAttempt = (
  { workId, line }: StepKey,
  row: { begun_at: string | null; begun_by: string | null },
): Attempt => ({ workId, line, begunBy: row.begun_by ?? '', begunAt: row.begun_at ?? '' })

/** Makes changes on behalf of the work's owner. If the owner no longer has the work, it changes nothing and returns undefined. */
export const whileOwned = <T>(
  rows: Kysely<Schema>,
  workId: string,
  owner: string,
  change: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T | undefined> =>
  rows
    .transaction()
    .execute(async (transaction) =>
      (await hasLease(transaction, workId, owner)) ? await change(transaction) : undefined,
    )

/**
 * Whether this owner still has the work. In a transaction, nobody can take the work over before the transaction ends. Otherwise,
 * the answer may be outdated right away.
 */
export async function hasLease(rows: Kysely<Schema>, workId: string, owner: string): Promise<boolean> {
  const lease = rows
    .selectFrom('work')
    .select('id')
    .where('id', '=', workId)
    .where('owner', '=', owner)
    .where('state', '=', 'running')
  // A SQLite transaction already excludes other writers.
  const isLocked = rows.isTransaction && isPostgres(rows)
  return (await (isLocked ? lease.forShare() : lease).executeTakeFirst()) !== undefined
}

const bodyIdentity = (workId: string, line: number): Identity => ['work_step', stepId({ workId, line })]

/** How the body of a step becomes text: as JSON for a job, which has many, and as anything that can be cloned for an act. */
export type EncodeBody = (body: unknown) => string
export const encodeJson: EncodeBody = (body) => jsonText(body, 'A step')
export const encodeClone: EncodeBody = (body) => serialize(body).toString('base64')

export type SealBody = (step: { line: number; body: unknown }) => string | null

/** Creates the function that seals bodies of steps of this work. */
export const createBodySealer =
  (keys: Sealer, workId: string, encode: EncodeBody): SealBody =>
  ({ line, body }) =>
    body === undefined ? null : keys.seal(encode(body), bodyIdentity(workId, line))

type SealedBodyRow = { line: number; name: string | null; sealed_body: string | null }

/** Opens a body. Throws SealError. */
export function openBody(keys: Sealer, workId: string, { line, name, sealed_body }: SealedBodyRow): unknown {
  if (sealed_body === null) return undefined
  const text = keys.open(sealed_body, bodyIdentity(workId, line))
  return name === null ? JSON.parse(text) : deserialize(Buffer.from(text, 'base64'))
}

/** Opens the bodies by line. Bodies that don't open are left out. */
export const openBodies = (
  keys: Sealer,
  workId: string,
  found: readonly SealedBodyRow[],
): ReadonlyMap<number, unknown> =>
  new Map(
    found.flatMap((row) => {
      const opened = tryOpen(() => openBody(keys, workId, row))
      return 'value' in opened ? [[row.line, opened.value] as const] : []
    }),
  )

/** An outcome of one attempt, or of a step that hasn't begun. Its body replaces the stored one. */
export interface SettledOutcome {
  readonly line: number
  readonly body: unknown
  readonly state: Exclude<StepState, 'begun'>
  readonly attempt?: Attempt | undefined
  readonly auditEvent?: AuditEvent | undefined
}

/**
 * Creates the function that stores and audits outcomes, in one transaction. It ignores outcomes of steps that were begun again
 * since or already have one. What the process knows that sent the request counts, even if it no longer has the work. But only the
 * owner settles steps that haven't begun. If a step is gone because its workspace was forgotten, its outcome is still audited.
 */
export const createSettle =
  (
    { rows, relaxed }: Database,
    keys: Sealer,
    { appendInTransaction, appendMissing }: Pick<Audit, 'appendMissing' | 'appendInTransaction'>,
    encode: EncodeBody,
  ) =>
  (
    workId: string,
    outcomes: readonly SettledOutcome[],
    { owner, isRelaxed = false }: { owner?: string; isRelaxed?: boolean } = {},
  ): Promise<SettledOutcome[]> => {
    const settle = async (transaction: Transaction<Schema>): Promise<SettledOutcome[]> => {
      const seal = createBodySealer(keys, workId, encode)
      const isOwner = owner !== undefined && (await hasLease(transaction, workId, owner))
      const written: SettledOutcome[] = []
      const gone: AuditEvent[] = []
      for (const outcome of outcomes.filter(({ attempt }) => attempt || isOwner))
        if (await writeOutcome(transaction, workId, seal, outcome)) written.push(outcome)
        else gone.push(...(await findUnauditedEvent(transaction, outcome)))
      const events = written.flatMap(({ auditEvent }) => auditEvent ?? [])
      await appendInTransaction(transaction, events)
      await appendMissing(transaction, gone)
      return written
    }
    return isRelaxed
      ? relaxed((relaxedRows) => relaxedRows.transaction().execute(settle))
      : rows.transaction().execute(settle)
  }

/** Matches a step in this attempt, or one that hasn't begun or whose rest hasn't. */
export const updateUnsettled = (
  rows: Kysely<Schema>,
  workId: string,
  { line, attempt }: Pick<SettledOutcome, 'line' | 'attempt'>,
) =>
  attempt
    ? updateOpenAttempt(rows, attempt)
    : updateStep(rows, { workId, line }).where('state', 'in', [UNDONE, 'partial'])

async function writeOutcome(
  rows: Kysely<Schema>,
  workId: string,
  seal: SealBody,
  outcome: SettledOutcome,
): Promise<boolean> {
  const unsettled = updateUnsettled(rows, workId, outcome)
  // Two processes may find out nothing about the same attempt. Only the first one says so.
  const update = outcome.state === 'unknown' ? unsettled.where('state', '!=', 'unknown') : unsettled
  const { numUpdatedRows } = await update
    .set({ state: outcome.state, sealed_body: seal(outcome) })
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The audit row of an outcome whose step is gone. */
async function findUnauditedEvent(
  rows: Kysely<Schema>,
  { attempt, auditEvent }: SettledOutcome,
): Promise<AuditEvent[]> {
  if (!attempt || !auditEvent) return []
  const { workId, line } = attempt
  const step = await selectRows(rows, 'work_step', { work_id: workId, line }).executeTakeFirst()
  return step ? [] : [auditEvent]
}
