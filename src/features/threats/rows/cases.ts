import {
  type Database,
  type DatabaseTime,
  jsonText,
  type Rows,
  rowsIn,
  saveSealed,
  schedule,
  type TextSealer,
  updateIn,
  type WorkspaceKeys,
} from '@signalman/durable'
import { HOUR_MS, newId } from '@signalman/runtime'
import type { Posted } from '@signalman/slack'
import {
  afterStep,
  type CasePerson,
  type CaseStanding,
  type CaseStep,
  type CaseStepKind,
  isOpen,
} from '../rules/case-steps.ts'
import type { CardPlace, ThreatCase, WatchedCheck } from '../rules/threat-case.ts'
import { caseQueue } from './case-queue.ts'
import { caseRow, caseTurn, notPosted, placeColumns, sealedCase, sealedCases, withStep } from './case-rows.ts'
import { erasePerson } from './forget-cases.ts'
import { eventColumns, type ThreatPlace } from './memory.ts'
import { CASE_IN_SLACK, CASE_MESSAGES, type CaseMessage, MESSAGES, NOT_POSTED } from './tables.ts'

/** The work after a step: updates the case's card and thread. Its key is the case's ID. */
export const CASE_WORK = {
  tell: 'threat.case',
  /** Checks regularly whether a case's health check is still the one that was created. Its key is the case's ID. */
  watched: 'threat.watched',
} as const

/** How often it is compared. It is also compared before every verdict. */
export const COMPARED_MS = HOUR_MS

export interface EventKey extends ThreatPlace {
  readonly eventId: string
}

export interface TakeStep extends EventKey {
  readonly enterpriseId: string | undefined
  readonly kind: CaseStepKind
  /** Undefined for a step that Signalman takes itself. */
  readonly by: CasePerson | undefined
  readonly now: Date
  /** Identifies the step, so that it is taken only once. */
  readonly reference: string
  /** To take the case over: the version that the person saw. */
  readonly seenVersion?: number | undefined
  readonly text?: string | undefined
  /** Hands the case over, unless someone other than `from` has it. */
  readonly handOver?: { readonly from: string; readonly to: CasePerson } | undefined
  /** For the first step: what the case is about, any JSON value, and its severity, 0 for the most severe. */
  readonly newCase?: { about: unknown; severity: number } | undefined
  /** Where the card is or will be posted, for a case that has no card yet. */
  readonly card?: CardPlace | undefined
  /** From now on, its card and thread show the screenshot and names. */
  readonly reveals?: boolean | undefined
  /** The check that watches from now on; `ended` stops watching. A step that closes the case does too. */
  readonly watched?: (WatchedCheck & { checkUuid: string }) | 'ended' | undefined
}

/**
 * `stepped`: the step was taken; `from` had the case before. `held`: someone else has it, and `seenVersion` is outdated.
 * `refused`: the case's state doesn't allow the step. `none`: there is no case, and this step can't start one.
 */
export type CaseOutcome =
  | { readonly kind: 'stepped'; readonly from?: string | undefined }
  | { readonly kind: 'held' | 'refused' | 'none' }

export type ThreatCases = ReturnType<typeof threatCases>

/** The rows of `threat_case`. Every method throws SealError if an encrypted value can't be decrypted. */
export function threatCases(database: Database, time: DatabaseTime, keys: WorkspaceKeys) {
  const { rows, inTurn } = database

  async function findByEvent(from: Rows, asked: EventKey): Promise<ThreatCase | undefined> {
    return sealedCases.one(
      from,
      keys,
      await rowsIn(from, 'threat_case', eventColumns(asked)).executeTakeFirst(),
    )
  }

  return {
    find: (asked: EventKey): Promise<ThreatCase | undefined> => findByEvent(rows, asked),

    async get(workspaceId: string, id: string): Promise<ThreatCase | undefined> {
      const row = rowsIn(rows, 'threat_case', { id, workspace_id: workspaceId })
      return sealedCases.one(rows, keys, await row.executeTakeFirst())
    },

    /** Records that the event's card was posted here. A case without a card uses this one, which is then updated. */
    placed: (asked: EventKey, place: CardPlace & { messageTs: string }): Promise<void> =>
      inTurn(caseTurn(asked.workspaceId, asked.environment, asked.eventId), async (transaction) => {
        const current = await findByEvent(transaction, asked)
        if (!current) return
        // The case already has another card, so this one is an additional one.
        if (current.place) return await scheduleUpdate(transaction, time, current)
        await updateIn(transaction, 'threat_case', { id: current.id }, placeColumns(place))
        await scheduleUpdate(transaction, time, current)
      }),

    /** Takes a step and schedules the update of its card and thread, in one transaction. Two steps at once run one after the other. */
    step(asked: TakeStep): Promise<CaseOutcome> {
      const turn = caseTurn(asked.workspaceId, asked.environment, asked.eventId)
      const taking = async (transaction: Rows, sealer: TextSealer): Promise<CaseOutcome> => {
        const current = await findByEvent(transaction, asked)
        const known = current?.steps.find(
          ({ reference, kind }) => reference === asked.reference && kind === asked.kind,
        )
        if (known) return { kind: 'stepped', from: known.from }
        const next = applyStep(current, asked)
        if ('kind' in next) return next
        await (current
          ? change(transaction, current, next, sealer, asked)
          : insert(transaction, next, sealer))
        await scheduleWork(transaction, time, current, next)
        return { kind: 'stepped', from: next.steps.at(-1)?.from }
      }
      return saveSealed(database, keys, asked.workspaceId, taking, turn)
    },

    /**
     * Reserves or changes the check that watches. `change` gets the current one, and returns it to keep it. Returns the result;
     * undefined if there is no case.
     */
    reserveWatch(
      asked: EventKey,
      change: (held: ThreatCase) => WatchedCheck | undefined,
    ): Promise<ThreatCase | undefined> {
      const turn = caseTurn(asked.workspaceId, asked.environment, asked.eventId)
      const reserving = async (transaction: Rows, sealer: TextSealer) => {
        const current = await findByEvent(transaction, asked)
        if (!current) return undefined
        const next = { ...current, watched: change(current) }
        await updateIn(
          transaction,
          'threat_case',
          { id: next.id },
          { sealed_about: sealedCase(next, sealer) },
        )
        return next
      }
      return saveSealed(database, keys, asked.workspaceId, reserving, turn)
    },

    ...caseQueue(database, keys),
    ...caseMessages(rows),
    erasePerson: erasePerson(database, keys),
  }
}

/** Records the case's messages in Slack. */
const caseMessages = (rows: Rows) => ({
  /** The message was posted or edited, and covers the steps up to that one. With a `ts`, it is edited from now on. */
  async told(id: string, message: CaseMessage, version: number, posted?: Posted): Promise<void> {
    const { told, ts } = messageNames(message)
    if (posted && ts) {
      // Unless the case has another card by now.
      const unposted = { id, channel_id: posted.channelId, [ts]: null }
      await updateIn(rows, 'threat_case', unposted, { [ts]: posted.ts, [told]: version })
    } else {
      const earlier = rows.updateTable('threat_case').where('id', '=', id).where(told, '<', version)
      await earlier.set({ [told]: version }).execute()
    }
  },
  /** It was deleted in Slack: posts it again in the same place. If it was the card, its thread is posted again too. */
  async unposted(id: string, message: CaseMessage, at: string): Promise<void> {
    const { ts } = messageNames(message)
    const gone = notPosted(message === 'card' ? MESSAGES : [message])
    if (ts) await updateIn(rows, 'threat_case', { id, [ts]: at }, gone)
  },
  /** The channel no longer accepts messages: the case has no card until a step gives it one. */
  displaced(id: string, { channelId, messageTs }: CardPlace) {
    const there = { id, channel_id: channelId, ...(messageTs !== undefined && { message_ts: messageTs }) }
    return updateIn(rows, 'threat_case', there, placeColumns(undefined))
  },
})

function messageNames(message: CaseMessage) {
  const { told, ts } = CASE_MESSAGES[message]
  const { named } = CASE_IN_SLACK
  return { told: named[told], ts: ts && named[ts] }
}

const scheduleUpdate = (rows: Rows, time: DatabaseTime, { workspaceId, id }: ThreatCase): Promise<void> =>
  schedule(rows, time, { workspaceId, kind: CASE_WORK.tell, key: id })

/** Schedules the work after a step: updating its card and thread, and comparing a newly watched check. */
async function scheduleWork(
  rows: Rows,
  time: DatabaseTime,
  before: ThreatCase | undefined,
  next: ThreatCase,
): Promise<void> {
  if (next.place) await scheduleUpdate(rows, time, next)
  if (next.checkUuid && next.checkUuid !== before?.checkUuid) await scheduleCompare(rows, time, next)
}

const scheduleCompare = (rows: Rows, time: DatabaseTime, { workspaceId, id, changedAt }: ThreatCase) =>
  schedule(
    rows,
    time,
    { workspaceId, kind: CASE_WORK.watched, key: id },
    new Date(changedAt.getTime() + COMPARED_MS),
  )

function applyStep(
  current: ThreatCase | undefined,
  asked: TakeStep,
): ThreatCase | Exclude<CaseOutcome, { kind: 'stepped' }> {
  const { kind, by, now, newCase, card, handOver } = asked
  const standing = afterStep(current, kind, by, handOver?.to)
  if (!standing) return { kind: current ? 'refused' : 'none' }
  if (!current && !newCase) return { kind: 'none' }
  if (current && isTakenByOther(current, asked)) return { kind: 'held' }
  // Process clocks may differ, but the history must stay in order.
  const at = current && current.changedAt > now ? current.changedAt : now
  const version = (current?.version ?? 0) + 1
  const step = { version, at, ...createStep(current?.holder, asked) }
  if (current)
    return {
      ...current,
      ...standing,
      ...watchedAfter(current, standing, asked),
      version,
      changedAt: at,
      place: current.place ?? card,
      steps: withStep(current.steps, step),
    }
  return {
    ...standing,
    id: newId(),
    workspaceId: asked.workspaceId,
    enterpriseId: asked.enterpriseId,
    environment: asked.environment,
    eventId: asked.eventId,
    severity: newCase?.severity ?? 0,
    version,
    openedAt: at,
    changedAt: at,
    place: card,
    ...NOT_POSTED,
    steps: [step],
    about: JSON.parse(jsonText(newCase?.about, 'What a case is about')),
  }
}

/** Whether someone else has the case since the person saw it. */
const isTakenByOther = (
  { holder, version }: ThreatCase,
  { kind, seenVersion, handOver }: TakeStep,
): boolean =>
  handOver
    ? holder?.userId !== handOver.from
    : kind === 'take' && holder !== undefined && seenVersion !== version

function createStep(
  holder: CasePerson | undefined,
  { kind, by, reference, text: says, handOver }: TakeStep,
): Omit<CaseStep, 'version' | 'at'> {
  const step = { kind, by, reference, says }
  if (handOver) return { ...step, from: holder?.name, to: handOver.to }
  return kind === 'take' && holder ? { ...step, from: holder.name } : step
}

/** A closed case has no watch. */
function watchedAfter(
  current: ThreatCase,
  standing: CaseStanding,
  { watched: asked }: Pick<TakeStep, 'watched'>,
): Pick<ThreatCase, 'watched' | 'checkUuid'> {
  if (asked === 'ended' || !isOpen(standing)) return { watched: undefined, checkUuid: undefined }
  if (!asked) return { watched: current.watched, checkUuid: current.checkUuid }
  const { checkUuid, ...watched } = asked
  return { watched, checkUuid }
}

const insert = (rows: Rows, next: ThreatCase, sealer: TextSealer) =>
  rows.insertInto('threat_case').values(caseRow(next, sealer)).execute()

function change(
  rows: Rows,
  current: ThreatCase,
  next: ThreatCase,
  sealer: TextSealer,
  { reveals }: Pick<TakeStep, 'reveals'>,
): Promise<number> {
  // Also written by the work that posts the case, which doesn't take the turn.
  const inSlack: readonly string[] = CASE_IN_SLACK.names
  const row = Object.entries(caseRow(next, sealer)).filter(([name]) => !inSlack.includes(name))
  const isPlacing = current.place === undefined && next.place !== undefined
  const changed = {
    ...Object.fromEntries(row),
    ...(isPlacing && placeColumns(next.place)),
    ...(reveals && { is_full: 1 }),
  }
  return updateIn(rows, 'threat_case', { id: next.id }, changed)
}
