import { randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import {
  afterStep,
  type CasePerson,
  type CaseStep,
  type CaseStepKind,
  stateBeforeDown,
} from '../../domain/threat-case.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { jsonText } from '../database/json.ts'
import type { Schema } from '../database/schema.ts'
import { whileKeyIsHeld } from '../secrets/save-sealed.ts'
import type { TextSealer } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { schedule } from '../work/schedule.ts'
import { type CaseQueue, caseQueue } from './case-queue.ts'
import {
  type CardPlace,
  caseTurn,
  openedCase,
  placeColumns,
  sealedCase,
  type ThreatCase,
  withStep,
} from './case-rows.ts'
import { type CaseTelling, caseTelling } from './case-telling.ts'
import { type CaseForgetting, caseForgetting } from './forget-cases.ts'
import type { ThreatPlace } from './memory.ts'

/** What a step of a case leaves to be done: its card and its thread are brought up to date. Its key is the case's id. */
export const CASE_WORK = { tell: 'threat.case' } as const

export interface AskedEvent extends ThreatPlace {
  readonly eventId: string
}

export interface AskedStep extends AskedEvent {
  readonly enterpriseId: string | undefined
  readonly kind: CaseStepKind
  /** Undefined for what was seen by itself. */
  readonly by: CasePerson | undefined
  readonly now: Date
  /** The same step with the same reference is taken once. */
  readonly reference: string
  /** Who takes the case from somebody names the version that they saw: nobody takes it from a third. */
  readonly over?: number | undefined
  readonly says?: string | undefined
  /** For the first step: what the case is about, any JSON value, and how bad, 0 for the worst. */
  readonly first?: { about: unknown; severity: number } | undefined
  /** Where its card stands or is to be posted, for a case that has no place yet. */
  readonly place?: CardPlace | undefined
}

/**
 * `stepped`: `from` had it before. `held`: somebody else has it, and was not named. `refused`: the step leads nowhere from where
 * the case is. `none`: there is no case, and this step begins none.
 */
export type CaseOutcome =
  | { readonly kind: 'stepped'; readonly from?: string | undefined }
  | { readonly kind: 'held' | 'refused' | 'none' }

/** What is done about threat events. All of it throws SealError for what does not open. */
export interface ThreatCases extends CaseQueue, CaseTelling, CaseForgetting {
  find(asked: AskedEvent): Promise<ThreatCase | undefined>
  get(workspaceId: string, id: string): Promise<ThreatCase | undefined>
  /** The card of the event stands here now: so does its case from now on, where it had no place. It is left to show it. */
  placed(asked: AskedEvent, place: CardPlace & { messageTs: string }): Promise<void>
  /** Takes a step, and leaves the telling of it to be done, in one transaction. Of two at the same moment one comes first. */
  step(asked: AskedStep): Promise<CaseOutcome>
}

/** The rows of `threat_case`. */
export function threatCases(database: Database, time: DatabaseTime, keys: WorkspaceKeys): ThreatCases {
  const { rows, inTurn } = database

  async function rowOf(from: Kysely<Schema>, { workspaceId, environment, eventId }: AskedEvent) {
    const row = await from
      .selectFrom('threat_case')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('environment', '=', environment)
      .where('event_id', '=', eventId)
      .executeTakeFirst()
    return row && (await openedCase(from, keys, row))
  }

  return {
    find: (asked) => rowOf(rows, asked),

    async get(workspaceId, id) {
      const row = await rows
        .selectFrom('threat_case')
        .selectAll()
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst()
      return row && (await openedCase(rows, keys, row))
    },

    placed: (asked, place) =>
      inTurn(caseTurn(asked.workspaceId, asked.environment, asked.eventId), async (transaction) => {
        const current = await rowOf(transaction, asked)
        if (!current) return
        // It is told elsewhere, and this card shows it too.
        if (current.place) return await leaveToTell(transaction, time, current)
        await transaction
          .updateTable('threat_case')
          .set({ ...placeColumns(place), shown_version: 0 })
          .where('id', '=', current.id)
          .execute()
        await leaveToTell(transaction, time, current)
      }),

    step(asked) {
      const turn = caseTurn(asked.workspaceId, asked.environment, asked.eventId)
      const inItsTurn = <T>(work: (transaction: Transaction<Schema>) => Promise<T>) => inTurn(turn, work)
      return whileKeyIsHeld(inItsTurn, keys, asked.workspaceId, async (transaction, sealer) => {
        const current = await rowOf(transaction, asked)
        const known = current?.steps.find(
          ({ reference, kind }) => reference === asked.reference && kind === asked.kind,
        )
        if (known) return { kind: 'stepped', from: known.from }
        const next = steppedCase(current, asked)
        if ('kind' in next) return next
        await (current ? change(transaction, current, next, sealer) : insert(transaction, next, sealer))
        if (next.place) await leaveToTell(transaction, time, next)
        return { kind: 'stepped', from: next.steps.at(-1)?.from }
      })
    },

    ...caseQueue(database, keys),
    ...caseTelling(database),
    ...caseForgetting(database, keys),
  }
}

const leaveToTell = (
  rows: Kysely<Schema>,
  time: DatabaseTime,
  { workspaceId, id }: ThreatCase,
): Promise<void> => schedule(rows, time, { workspaceId, kind: CASE_WORK.tell, key: id })

const withEarlier = (current: ThreatCase | undefined) =>
  current && { ...current, earlier: stateBeforeDown(current.steps) }

function steppedCase(
  current: ThreatCase | undefined,
  asked: AskedStep,
): ThreatCase | Exclude<CaseOutcome, { kind: 'stepped' }> {
  const { kind, by, now, reference, over, says, first, place } = asked
  const standing = afterStep(withEarlier(current), kind, by)
  if (!standing) return { kind: current ? 'refused' : 'none' }
  if (!current && !first) return { kind: 'none' }
  const holder = current?.holder
  const isTakenOver = kind === 'take' && holder !== undefined
  if (isTakenOver && over !== current?.version) return { kind: 'held' }
  // Processes may differ in their time; a history must not run backwards.
  const at = current && current.changedAt > now ? current.changedAt : now
  const version = (current?.version ?? 0) + 1
  const step: CaseStep = { version, kind, by, at, reference, ...(isTakenOver && { from: holder.name }), says }
  if (current)
    return {
      ...current,
      ...standing,
      version,
      changedAt: at,
      place: current.place ?? place,
      steps: withStep(current.steps, step),
    }
  return {
    ...standing,
    id: randomBytes(16).toString('base64url'),
    workspaceId: asked.workspaceId,
    enterpriseId: asked.enterpriseId,
    environment: asked.environment,
    eventId: asked.eventId,
    severity: first?.severity ?? 0,
    version,
    openedAt: at,
    changedAt: at,
    place,
    shownVersion: 0,
    toldVersion: 0,
    steps: [step],
    about: JSON.parse(jsonText(first?.about, 'What a case is about')),
  }
}

async function insert(rows: Kysely<Schema>, next: ThreatCase, sealer: TextSealer): Promise<void> {
  await rows
    .insertInto('threat_case')
    .values({
      id: next.id,
      workspace_id: next.workspaceId,
      enterprise_id: next.enterpriseId ?? null,
      environment: next.environment,
      event_id: next.eventId,
      severity: next.severity,
      opened_at: next.openedAt.toISOString(),
      shown_version: 0,
      told_version: 0,
      ...changedColumns(next, sealer),
    })
    .execute()
}

async function change(
  rows: Kysely<Schema>,
  current: ThreatCase,
  next: ThreatCase,
  sealer: TextSealer,
): Promise<void> {
  const { channel_id, message_ts, thread_ts, ...rest } = changedColumns(next, sealer)
  // Where the card stands is also written by whoever posts it, who waits for no turn.
  const isPlacing = current.place === undefined && next.place !== undefined
  await rows
    .updateTable('threat_case')
    .set(isPlacing ? { ...rest, channel_id, message_ts, thread_ts } : rest)
    .where('id', '=', next.id)
    .executeTakeFirstOrThrow()
}

const changedColumns = (next: ThreatCase, sealer: TextSealer) => ({
  state: next.state,
  holder_id: next.holder?.userId ?? null,
  version: next.version,
  changed_at: next.changedAt.toISOString(),
  ...placeColumns(next.place),
  sealed_about: sealedCase(next, sealer),
})
