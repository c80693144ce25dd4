import {
  type Database,
  type DatabaseTime,
  jsonText,
  type Rows,
  saveSealed,
  schedule,
  selectRows,
  type TextSealer,
  updateRows,
  type WorkspaceKeys,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { PostedMessage } from '@signalman/slack'
import type { Environment } from '../../../domain/environment.ts'
import {
  type CasePerson,
  type CaseStatus,
  type CaseStep,
  type CaseStepKind,
  statusAfterStep,
} from '../rules/case-steps.ts'
import {
  type AskKind,
  QUIET_MS,
  watchAfterReading,
  watchAfterStep,
  watchAfterTime,
  watchOnCard,
} from '../rules/case-watch.ts'
import type { CardLocation, PostedQuestion, ThreatCase, WatchedCheck } from '../rules/threat-case.ts'
import { caseQueue } from './case-queue.ts'
import {
  askedColumns,
  CARD_NOT_POSTED,
  CASE_WORK,
  cardColumns,
  caseLock,
  scheduleUpdate,
  sealCase,
  sealedCases,
  toCaseRow,
  watchColumns,
  withStep,
} from './case-rows.ts'
import { erasePerson } from './forget-cases.ts'
import { CASE_IN_SLACK, NOT_POSTED } from './tables.ts'

export interface EventKey {
  readonly workspaceId: string
  readonly environment: Environment
  readonly eventId: string
}

/** The columns that identify an event, in every table about events. */
export const eventColumns = ({ workspaceId, environment, eventId }: EventKey) => ({
  workspace_id: workspaceId,
  environment,
  event_id: eventId,
})

export interface CaseStepRequest extends EventKey {
  readonly enterpriseId: string | undefined
  readonly kind: CaseStepKind
  /** Undefined for an automatic step. */
  readonly by: CasePerson | undefined
  readonly now: Date
  /** Identifies the interaction, so that a repeated run doesn't take the step twice. */
  readonly reference: string
  /** For a takeover: the version that the person saw. */
  readonly seenVersion?: number | undefined
  /** What the person typed about the step. */
  readonly typedText?: string | undefined
  /** Asks this afterwards. */
  readonly ask?: AskKind | undefined
  /** For a note: its text. */
  readonly noteText?: string | undefined
  /** Hands the case over, unless someone other than `from` has it. */
  readonly handOver?: { readonly from: string; readonly to: CasePerson } | undefined
  /** For the first step: the event's snapshot as a JSON value, and its severity. 0 is the most severe. */
  readonly newCase?: { eventSnapshot: unknown; severity: number } | undefined
  /** For a case without a card: where its card was posted, or will be. */
  readonly card?: CardLocation | undefined
  /** True if the card and its thread show the screenshot and names from now on. */
  readonly showsNames?: boolean | undefined
  /** Starts watching with this check, or stops if `ended`. Marking a false positive also stops watching. */
  readonly watched?: (WatchedCheck & { checkUuid: string }) | 'ended' | undefined
}

/**
 * `stepped`: the step was taken; `previousHolder` had the case before. `held-by-other`: someone else has taken the case since the
 * person saw it. `refused`: the case's state doesn't allow the step. `none`: there is no case, and this step can't start one.
 */
export type CaseOutcome =
  | { readonly kind: 'stepped'; readonly previousHolder?: string | undefined }
  | { readonly kind: 'held-by-other' | 'refused' | 'none' }

export type ThreatCases = ReturnType<typeof threatCases>

/** The rows of `threat_case`. Every method throws SealError if an encrypted value can't be decrypted. */
export function threatCases(database: Database, time: DatabaseTime, keys: WorkspaceKeys) {
  const { rows, withLock } = database

  async function findByEvent(connection: Rows, event: EventKey): Promise<ThreatCase | undefined> {
    return sealedCases.readOne(
      connection,
      keys,
      await selectRows(connection, 'threat_case', eventColumns(event)).executeTakeFirst(),
    )
  }

  return {
    find: (event: EventKey): Promise<ThreatCase | undefined> => findByEvent(rows, event),

    async get(workspaceId: string, id: string): Promise<ThreatCase | undefined> {
      const row = selectRows(rows, 'threat_case', { id, workspace_id: workspaceId })
      return sealedCases.readOne(rows, keys, await row.executeTakeFirst())
    },

    /** Records that a card of the event was posted. If the case has no card yet, this becomes its card. */
    attachCard: (event: EventKey, card: CardLocation & { messageTs: string }): Promise<void> =>
      withLock(caseLock(event.workspaceId, event.environment, event.eventId), async (transaction) => {
        const current = await findByEvent(transaction, event)
        if (!current) return
        // The case keeps its first card. The scheduled work also updates the new card.
        if (current.card) return await scheduleUpdate(transaction, time, current)
        await updateRows(transaction, 'threat_case', { id: current.id }, cardColumns(card))
        await scheduleUpdate(transaction, time, current)
      }),

    /** Takes a step, and schedules the update of the case's card and thread in the same transaction. Concurrent steps are serialized. */
    step(request: CaseStepRequest): Promise<CaseOutcome> {
      const lock = caseLock(request.workspaceId, request.environment, request.eventId)
      const takeStep = async (transaction: Rows, sealer: TextSealer): Promise<CaseOutcome> => {
        const current = await findByEvent(transaction, request)
        const existing = current?.steps.find(
          ({ reference, kind }) => reference === request.reference && kind === request.kind,
        )
        if (existing) return { kind: 'stepped', previousHolder: existing.previousHolder }
        const next = applyStep(current, request)
        if ('kind' in next) return next
        await (current
          ? updateCase(transaction, current, next, sealer, request)
          : insertCase(transaction, next, sealer))
        await scheduleWork(transaction, time, next)
        return { kind: 'stepped', previousHolder: next.steps.at(-1)?.previousHolder }
      }
      return saveSealed(database, keys, request.workspaceId, takeStep, lock)
    },

    /**
     * Stores which check will watch the page, before it is created, so that only one request creates it. `change` gets the current
     * case and returns the check to store, or undefined to cancel. Returns the resulting case; undefined if there is none.
     */
    reserveWatch(
      event: EventKey,
      change: (current: ThreatCase) => WatchedCheck | undefined,
    ): Promise<ThreatCase | undefined> {
      const lock = caseLock(event.workspaceId, event.environment, event.eventId)
      const reserve = async (transaction: Rows, sealer: TextSealer) => {
        const current = await findByEvent(transaction, event)
        if (!current) return undefined
        const next = { ...current, watched: change(current) }
        await updateRows(
          transaction,
          'threat_case',
          { id: next.id },
          { sealed_about: sealCase(next, sealer) },
        )
        return next
      }
      return saveSealed(database, keys, event.workspaceId, reserve, lock)
    },

    /**
     * Stores a reading of the watched check, or what changed with time if there is none. Returns the resulting case, and schedules
     * its question. Undefined if the case is gone.
     */
    storeLook: (
      event: EventKey,
      { reading, now }: { reading?: { uuid: string; status: string } | undefined; now: Date },
    ): Promise<ThreatCase | undefined> =>
      withLock(caseLock(event.workspaceId, event.environment, event.eventId), async (transaction) => {
        const current = await findByEvent(transaction, event)
        if (!current) return undefined
        // The check may have been replaced while it was read.
        const isCurrent = reading !== undefined && reading.uuid === current.checkUuid
        const read = isCurrent ? { ...current, ...watchAfterReading(current, reading.status, now) } : current
        const next = { ...read, ...watchAfterTime(read, now) }
        await updateRows(transaction, 'threat_case', { id: next.id }, watchColumns(next))
        if (isNews(current, next, now)) await scheduleUpdate(transaction, time, next)
        return next
      }),

    /** Schedules the questions that are for a person, because they may have left. Returns how many there are. */
    async recheckQuestionsFor(workspaceId: string, userId: string): Promise<number> {
      const asked = await rows
        .selectFrom('threat_case')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('asked_for', '=', userId)
        .execute()
      for (const { id } of asked) await scheduleUpdate(rows, time, { workspaceId, id })
      return asked.length
    },

    ...caseQueue(database, keys),
    ...caseMessages(rows),
    erasePerson: erasePerson(database, time, keys),
  }
}

/** Records which of the case's messages were posted in Slack. */
const caseMessages = (rows: Rows) => ({
  /**
   * Records that the card shows the case up to `version`, and this about its watch. `posted` is a new card; undefined after an edit.
   */
  async markCardShown(
    id: string,
    version: number,
    shownWatch: string | undefined,
    posted?: PostedMessage,
  ): Promise<void> {
    const shown = { shown_version: version, shown_watch: shownWatch ?? null }
    if (posted) {
      // Matches no row if the case has another card by now.
      const where = { id, channel_id: posted.channelId, message_ts: null }
      await updateRows(rows, 'threat_case', where, { ...shown, message_ts: posted.ts })
      return
    }
    const update = rows.updateTable('threat_case').set(shown)
    await update.where('id', '=', id).where('shown_version', '<=', version).execute()
  },
  /** Records that the steps up to `version` are posted in the card's thread. */
  async markStepsPosted(id: string, version: number): Promise<void> {
    const update = rows.updateTable('threat_case').set({ posted_version: version })
    await update.where('id', '=', id).where('posted_version', '<', version).execute()
  },
  /** Records up to which version people know that their steps couldn't be posted. */
  async markNotified(id: string, version: number): Promise<void> {
    await updateRows(rows, 'threat_case', { id }, { notified_version: version })
  },
  /** Records that the card was deleted in Slack, so that it's posted again. */
  async markCardDeleted(id: string, deletedTs: string): Promise<void> {
    await updateRows(rows, 'threat_case', { id, message_ts: deletedTs }, CARD_NOT_POSTED)
  },
  /** Records where the case's question is posted; undefined if it no longer is. */
  async markAsked(id: string, asked: PostedQuestion | undefined): Promise<void> {
    await updateRows(rows, 'threat_case', { id }, askedColumns(asked))
  },
  /** Removes the case's card, because its channel no longer accepts messages. A later step can post one in another channel. */
  detachCard(id: string, { channelId, messageTs }: CardLocation) {
    const where = { id, channel_id: channelId, ...(messageTs !== undefined && { message_ts: messageTs }) }
    return updateRows(rows, 'threat_case', where, cardColumns(undefined))
  },
})

/** Whether a look at a case changed something that people have to see: its question, or what its card says about the watch. */
export const isNews = (before: ThreatCase, next: ThreatCase, now: Date): boolean =>
  next.askSince?.getTime() !== before.askSince?.getTime() ||
  (next.card?.messageTs !== undefined && next.shownWatch !== watchOnCard(next, now))

/** Schedules the work after a step: updating its card, thread, and question, and looking at its check. */
async function scheduleWork(rows: Rows, time: DatabaseTime, next: ThreatCase): Promise<void> {
  if (next.card || next.askKind || next.asked) await scheduleUpdate(rows, time, next)
  const { workspaceId, id, checkUuid, changedAt } = next
  const dueAt = new Date(changedAt.getTime() + (checkUuid ? 0 : QUIET_MS))
  await schedule(rows, time, { workspaceId, kind: CASE_WORK.look, key: id }, dueAt)
}

function applyStep(
  current: ThreatCase | undefined,
  request: CaseStepRequest,
): ThreatCase | Exclude<CaseOutcome, { kind: 'stepped' }> {
  const { kind, by, now, newCase, card, handOver } = request
  const status = statusAfterStep(current, kind, by, handOver?.to)
  if (!status) return { kind: current ? 'refused' : 'none' }
  if (!current && !newCase) return { kind: 'none' }
  if (current && isTakenByOther(current, request)) return { kind: 'held-by-other' }
  // Clocks of processes may differ, but the history must stay in order.
  const at = current && current.changedAt > now ? current.changedAt : now
  const version = (current?.version ?? 0) + 1
  const step = { version, at, ...createStep(current?.holder, request) }
  if (current)
    return {
      ...current,
      ...status,
      ...nextWatchedCheck(current, status, request, at),
      version,
      changedAt: at,
      card: current.card ?? card,
      steps: withStep(current.steps, step),
    }
  return {
    ...status,
    id: newId(),
    workspaceId: request.workspaceId,
    enterpriseId: request.enterpriseId,
    environment: request.environment,
    eventId: request.eventId,
    severity: newCase?.severity ?? 0,
    version,
    openedAt: at,
    changedAt: at,
    card,
    ...NOT_POSTED,
    badReadings: 0,
    steps: [step],
    eventSnapshot: JSON.parse(jsonText(newCase?.eventSnapshot, 'The event of a case')),
  }
}

/** Whether someone else has taken the case since the person saw it. */
const isTakenByOther = (
  { holder, version }: ThreatCase,
  { kind, seenVersion, handOver }: CaseStepRequest,
): boolean =>
  handOver
    ? holder?.userId !== handOver.from
    : kind === 'take' && holder !== undefined && seenVersion !== version

function createStep(
  holder: CasePerson | undefined,
  { kind, by, reference, noteText, typedText, handOver }: CaseStepRequest,
): Omit<CaseStep, 'version' | 'at'> {
  const step = { kind, by, reference, noteText, typedText }
  if (handOver) return { ...step, previousHolder: holder?.name, newHolder: handOver.to }
  return kind === 'take' && holder ? { ...step, previousHolder: holder.name } : step
}

/** The watched check and the question after a step. */
function nextWatchedCheck(
  current: ThreatCase,
  status: CaseStatus,
  { kind, watched: requested, ask }: Pick<CaseStepRequest, 'kind' | 'watched' | 'ask'>,
  at: Date,
): Partial<ThreatCase> {
  const started = requested === undefined ? undefined : requested === 'ended' ? 'ended' : 'started'
  const { isEnded, ...change } = watchAfterStep(current, status, { kind, watched: started, at })
  const asked = ask ? { askKind: ask, askSince: at } : {}
  if (isEnded) return { ...change, ...asked, watched: undefined, checkUuid: undefined }
  if (!requested || requested === 'ended') return { ...change, ...asked }
  const { checkUuid, ...watched } = requested
  return { ...change, ...asked, watched, checkUuid }
}

const insertCase = (rows: Rows, next: ThreatCase, sealer: TextSealer) =>
  rows.insertInto('threat_case').values(toCaseRow(next, sealer)).execute()

function updateCase(
  rows: Rows,
  current: ThreatCase,
  next: ThreatCase,
  sealer: TextSealer,
  { showsNames }: Pick<CaseStepRequest, 'showsNames'>,
): Promise<number> {
  // Leaves out these columns, because the work that posts the case writes them without holding this lock.
  const slackColumns: readonly string[] = CASE_IN_SLACK.names
  const row = Object.entries(toCaseRow(next, sealer)).filter(([name]) => !slackColumns.includes(name))
  const isNewCard = current.card === undefined && next.card !== undefined
  const changed = {
    ...Object.fromEntries(row),
    ...(isNewCard && cardColumns(next.card)),
    ...(showsNames && { is_full: 1 }),
  }
  return updateRows(rows, 'threat_case', { id: next.id }, changed)
}
