import { deserialize, serialize } from 'node:v8'
import type { Kysely } from 'kysely'
import type { AppendAudit, AuditEvent } from '../audit/row.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Identity, Sealer } from '../secrets/seal.ts'

/** What is written down of one step of an act. */
export interface RecordedStep {
  readonly line: number
  readonly name: string
  /** Begun: whether it happened is to be found out. Refused: it surely did not happen. */
  readonly state: 'begun' | 'done' | 'refused'
  /** How long ago it was begun, by the database's clock. */
  readonly begunMsAgo: number
  /** What it gave, or what it failed with; anything that `structuredClone` takes. */
  readonly result: unknown
  /** Of one that was begun: what the audit log says of it so far. */
  readonly intent: AuditEvent | undefined
}

/** The outcome of a step, as it is kept until the act is over. */
export interface SettledStep {
  readonly workId: string
  readonly line: number
  readonly state: 'done' | 'refused'
  readonly result: unknown
}

/** What an act has done so far: enough to go on after a crash without doing any of it twice. */
export interface RecordedSteps {
  /** In the order in which they were begun. */
  list(workId: string): Promise<RecordedStep[]>
  /**
   * Marks a step as begun, with its intent in the audit log, on disk before this returns. False, and nothing written, when
   * the act is not the owner's (any more).
   */
  begin(
    owner: string,
    step: { workId: string; line: number; name: string },
    intent?: AuditEvent,
  ): Promise<boolean>
  /** Writes down what became of a step, and puts that into the audit log, unless it is known already. On disk before this returns. */
  settle(step: SettledStep, outcome?: AuditEvent): Promise<void>
  isHeld(workId: string, owner: string): Promise<boolean>
  /** Marks a begun step that did not happen as begun now. False, and nothing written, as with `begin`. */
  beginAgain(owner: string, step: { workId: string; line: number }): Promise<boolean>
  /** Keeps what was read before anything was done, on disk before this returns. False as with `begin`. */
  keep(owner: string, step: { workId: string; line: number; name: string; result: unknown }): Promise<boolean>
}

/** The rows of `work_step`: steps of acts. */
export function recordedSteps(
  { rows }: Database,
  time: DatabaseTime,
  sealer: Sealer,
  appendAudit: AppendAudit,
): RecordedSteps {
  const sealed = (workId: string, line: number, result: unknown): string | null =>
    result === undefined
      ? null
      : sealer.seal(serialize(result).toString('base64'), resultIdentity(idOf(workId, line)))
  const opened = (workId: string, line: number, text: string | null): unknown =>
    text === null
      ? undefined
      : deserialize(Buffer.from(sealer.open(text, resultIdentity(idOf(workId, line))), 'base64'))

  return {
    async list(workId) {
      const found = await rows
        .selectFrom('work_step')
        .select(['line', 'name', 'state', 'begun_at', 'sealed_result'])
        .select(time().as('now'))
        .where('work_id', '=', workId)
        .orderBy('line')
        .execute()
      return found.map(({ line, name, state, begun_at, now, sealed_result }) => ({
        line,
        name: name ?? '',
        state: state === 'done' || state === 'refused' ? state : ('begun' as const),
        begunMsAgo: Date.parse(now) - Date.parse(begun_at ?? now),
        ...kept(state, opened(workId, line, sealed_result)),
      }))
    },

    begin: (owner, { workId, line, name }, intent) =>
      rows.transaction().execute(async (transaction) => {
        if (!(await isHeld(transaction, workId, owner))) return false
        await transaction
          .insertInto('work_step')
          .values({
            id: idOf(workId, line),
            work_id: workId,
            line,
            name,
            state: 'begun',
            begun_at: time(),
            sealed_result: sealed(workId, line, intent),
          })
          .execute()
        if (intent) await appendAudit(transaction, [intent])
        return true
      }),

    settle: ({ workId, line, state, result }, outcome) =>
      rows.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('work_step')
          .set({ state, sealed_result: sealed(workId, line, result) })
          .where('work_id', '=', workId)
          .where('line', '=', line)
          .where('state', '=', 'begun')
          .executeTakeFirstOrThrow()
        if (outcome && numUpdatedRows > 0n) await appendAudit(transaction, [outcome])
      }),

    isHeld: (workId, owner) => isHeld(rows, workId, owner),

    beginAgain: (owner, { workId, line }) =>
      rows.transaction().execute(async (transaction) => {
        if (!(await isHeld(transaction, workId, owner))) return false
        await transaction
          .updateTable('work_step')
          .set({ begun_at: time() })
          .where('work_id', '=', workId)
          .where('line', '=', line)
          .where('state', '=', 'begun')
          .execute()
        return true
      }),

    keep: (owner, { workId, line, name, result }) =>
      rows.transaction().execute(async (transaction) => {
        if (!(await isHeld(transaction, workId, owner))) return false
        const kept = { id: idOf(workId, line), work_id: workId, line, name, state: 'done' as const }
        await transaction
          .insertInto('work_step')
          .values({ ...kept, begun_at: time(), sealed_result: sealed(workId, line, result) })
          .execute()
        return true
      }),
  }
}

/** The place of the outcome holds the intent until there is one. */
const kept = (state: string, held: unknown): Pick<RecordedStep, 'result' | 'intent'> =>
  // Written by `begin`, hence of this type.
  state === 'begun'
    ? { result: undefined, intent: held as AuditEvent | undefined }
    : { result: held, intent: undefined }

const idOf = (workId: string, line: number): string => `${workId}.${line}`

const resultIdentity = (id: string): Identity => ['work_step_result', id]

/** Locks the row where the database can, so that nobody takes the work over in the same moment. */
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
