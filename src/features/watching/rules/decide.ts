import { HOUR_MS, MINUTE_MS } from '@signalman/runtime'
import type { CheckFacts, Outage } from '../../../domain/outages/outage.ts'
import type { Alert, CardReason, NextCall, OutageCard, WatchedOutage } from './alert.ts'
import { createAlertDrafts, createCardDrafts } from './decision-drafts.ts'
import { type Escalation, type NewCall, runEscalations } from './escalate.ts'
import { findMatchingWatches, type PreparedWatch } from './matching.ts'
import { isInForce, type PreparedSilence } from './silence.ts'
import { eachInSlices, type Slices } from './slices.ts'
import type { WatchChannel } from './watch.ts'
import { type Moment, measureElapsed } from './watch-clock.ts'

/**
 * A check that goes down again within this time returns to its card. An outage that was added to a card by edit gets a new
 * message after this time, unless somebody is on it.
 */
export const RELAPSE_MS = 10 * MINUTE_MS
/** Outages that begin within this time after a card are added to it. */
export const GROUPING_MS = 30_000
/** A card with this many outages is a storm. Outages are added to it for RELAPSE_MS instead of GROUPING_MS. */
export const STORM_SIZE = 5

/** Why a channel gets one message with everything that is down. */
export interface CatchUp {
  /**
   * `retry`: the channel is paused, and this message tests whether it accepts messages. `resumed`: the channel accepts messages
   * again. `gap`: nothing could be posted for a while, so the message combines all outages that weren't posted.
   */
  readonly kind: 'retry' | 'resumed' | 'gap'
  /** The card that was just posted, which showed that the channel accepts messages. */
  readonly acceptedCardId?: string | undefined
}

/** The input of `decide`: one channel in one environment. */
export interface ChannelState {
  readonly channel: Pick<WatchChannel, 'channelId' | 'environment'>
  readonly watches: readonly PreparedWatch[]
  /** The silences that apply in this channel. */
  readonly silences: readonly PreparedSilence[]
  /** All open outages of the environment, and those of `alerts`. */
  readonly outages: readonly WatchedOutage[]
  /** Open alerts, and those that closed recently. */
  readonly alerts: readonly Alert[]
  /** Open cards, and those of `alerts`; oldest first. */
  readonly cards: readonly OutageCard[]
  /** IDs of the outages in the current reminder. */
  readonly reminderOutageIds: ReadonlySet<string>
  readonly escalations: readonly Escalation[]
  /** The channel accepts no messages. */
  readonly isPaused: boolean
  /** The channel was notified that polls are failing. */
  readonly isFailureReported: boolean
  readonly catchUp?: CatchUp | undefined
}

/** The changes to save. Deciding again at the same moment changes nothing. */
export interface Decision {
  readonly alerts: readonly Alert[]
  /** Alerts to delete: the channel was never notified about them, and doesn't need to be. */
  readonly deletedAlertIds: readonly string[]
  /** New and changed cards. */
  readonly cards: readonly (OutageCard & { readonly isNew: boolean })[]
  /** Cards to delete: they were never posted, and newer ones list their outages. */
  readonly deletedCardIds: readonly string[]
  readonly cardOutages: readonly { readonly cardId: string; readonly outageId: string }[]
  readonly escalations: readonly Escalation[]
  readonly calls: readonly NewCall[]
  /** Watches whose baseline (the outages that they don't report) got smaller. */
  readonly baselines: readonly { readonly watchId: string; readonly baseline: readonly string[] }[]
  /** When to decide again if nothing else happens. */
  readonly wakeInMs: number | undefined
}

/** Whether someone is on this outage only because they were on the check's previous one. After a relapse, this lasts ten minutes. */
export const hasInheritedOnIt = ({ outage: { onIt }, startedClockMs }: WatchedOutage): boolean =>
  onIt !== undefined && onIt.clockMs < startedClockMs

/** How much longer the person who was on the previous outage counts as being on this one. Undefined if nobody is on it, or if someone took it. */
export const getInheritedOnItRemainingMs = (watched: WatchedOutage, clockMs: number): number | undefined =>
  hasInheritedOnIt(watched) ? RELAPSE_MS - (clockMs - watched.startedClockMs) : undefined

type Facts = Pick<Outage, 'check' | 'onIt'>
const describeFacts = ({ check, onIt }: Facts, isSilenced: boolean): string => {
  const { name, target, protocol, customerId } = check
  return JSON.stringify([name, target, protocol, customerId, onIt?.by, onIt?.at, isSilenced])
}

/**
 * Decides what a channel should show and who is paged next. Looks only at the current state, not at the events that led to it, so
 * an open outage that should be reported is on exactly one card, whatever happened before.
 */
export function* decide(state: ChannelState, now: Moment, newId: () => string): Slices<Decision> {
  const { watches, isPaused, isFailureReported, catchUp, reminderOutageIds } = state
  const { at, clockMs } = now
  let wakeInMs = Number.POSITIVE_INFINITY
  const wakeIn = (ms: number): void => {
    wakeInMs = Math.min(wakeInMs, ms)
  }
  const silences = findActiveSilences(state.silences, at)
  wakeIn(silences.nextChangeMs)
  const outagesById = new Map(state.outages.map((watched) => [watched.outage.id, watched]))
  const open = state.outages.filter(({ outage }) => !outage.endedAt)
  const alerts = createAlertDrafts(state.alerts)
  const cards = createCardDrafts(state.cards, now, newId)
  const reminder = state.cards.find(({ kind, closedAt }) => kind === 'reminder' && !closedAt)
  /** Redraws the outage's card, and the reminder if it lists the outage. */
  const redraw = ({ cardId, outageId }: Alert): void => {
    cards.change(cardId)
    if (reminder && reminderOutageIds.has(outageId)) cards.change(reminder.id)
  }

  const baselines = clearBaselines(watches, outagesById, silences)
  const { matchedIds, watchesByOutage } = yield* matchWatches(watches, open, baselines)
  const watchesFor = (id: string): readonly PreparedWatch[] => watchesByOutage.get(id) ?? []

  removeFinished()
  const isListed = (id: string): boolean => {
    const alert = alerts.get(id)
    return alert?.cardId !== undefined && !alert.removal
  }
  const reportable = open.filter(({ outage: { id } }) => watchesByOutage.has(id) || isListed(id))
  const silencedIds = new Set<string>()
  yield* eachInSlices(
    reportable,
    ({ outage: { id, check } }) => {
      if (silences.covers(check)) silencedIds.add(id)
    },
    silences.count,
  )
  const unsilenced = reportable.filter(({ outage: { id } }) => !silencedIds.has(id))
  const canPost = !isFailureReported && (!isPaused || catchUp?.kind === 'retry')
  if (canPost) {
    if (catchUp) postCatchUp(catchUp)
    postCard(
      'silence-over',
      unsilenced.filter(({ outage: { id } }) => alerts.get(id)?.isSilenced),
    )
    listNewOutages()
    postStillDown()
  }
  updateAlerts()

  const unattended = isFailureReported || isPaused ? [] : alerts.listOpen().filter(isUnattended)
  const escalated = runEscalations(
    state.escalations,
    unattended.map(({ outageId, cardId = '' }) => ({ outageId, cardId, watches: watchesFor(outageId) })),
    now,
    newId,
  )
  wakeIn(escalated.nextInMs)
  updateReminder()
  updateCards(escalated.nextCalls)
  for (const watched of open) {
    const leftMs = isListed(watched.outage.id) ? getInheritedOnItRemainingMs(watched, clockMs) : undefined
    if (leftMs !== undefined) wakeIn(leftMs)
  }
  const deletedCardIds = findEmptyCards()
  return {
    ...alerts.changes(),
    ...cards.changes(new Set(deletedCardIds)),
    deletedCardIds,
    escalations: escalated.escalations,
    calls: escalated.calls,
    baselines,
    wakeInMs: Number.isFinite(wakeInMs) ? Math.max(0, wakeInMs) : undefined,
  }

  /** Removes outages that ended, or that the channel no longer watches, from their cards. */
  function removeFinished(): void {
    for (const alert of alerts.listOpen()) {
      const watched = outagesById.get(alert.outageId)
      if (watched && !watched.outage.endedAt && matchedIds.has(alert.outageId)) continue
      removeFromCard(alert, watched)
    }
  }

  function removeFromCard(alert: Alert, watched: WatchedOutage | undefined): void {
    const endedAt = watched?.outage.endedAt
    // The channel missed this outage while it was paused. The outage is listed when the channel resumes, although it has ended.
    const isMissed = isPaused && endedAt !== undefined && !alert.isSilenced
    const card = cards.find(alert.cardId)
    // The channel stopped watching the check before Slack showed a version of the card with this outage.
    const wasNeverShown = endedAt === undefined && card !== undefined && card.shownVersion < alert.cardVersion
    if (wasNeverShown) redraw(alert)
    if (wasNeverShown || (alert.cardId === undefined && !isMissed)) {
      alerts.delete(alert.outageId)
      return
    }
    redraw(alert)
    const removal = endedAt
      ? { reason: 'recovered' as const, at: endedAt, clockMs: watched?.endedClockMs ?? clockMs }
      : { reason: 'unwatched' as const, at, clockMs }
    alerts.set({ ...alert, removal })
  }

  function listOnCard(
    cardId: string,
    { outage }: WatchedOutage,
    { wasAddedByEdit }: { wasAddedByEdit: boolean },
  ): void {
    const previousCardId = alerts.get(outage.id)?.cardId
    const isNewOnCard = previousCardId !== cardId
    if (reminder && reminderOutageIds.has(outage.id)) cards.change(reminder.id)
    // The previous card has to say that a newer one lists the outage.
    if (isNewOnCard) cards.change(previousCardId)
    alerts.set({
      outageId: outage.id,
      uuid: outage.check.uuid,
      cardId,
      cardVersion: cards.listOutage(cardId, outage.id, isNewOnCard),
      listedClockMs: clockMs,
      wasAddedByEdit,
      isSilenced: false,
      shownFacts: describeFacts(outage, false),
    })
  }

  function postCard(
    reason: CardReason,
    outages: readonly WatchedOutage[],
    missed: readonly Alert[] = [],
  ): void {
    if (outages.length + missed.length === 0) return
    const id = cards.create('outage', reason)
    for (const watched of outages) listOnCard(id, watched, { wasAddedByEdit: false })
    for (const alert of missed)
      alerts.set({ ...alert, cardId: id, cardVersion: cards.listOutage(id, alert.outageId) })
  }

  /** Posts one card with everything that is down, including outages on older cards, and the outages that the channel missed. */
  function postCatchUp({ kind, acceptedCardId }: CatchUp): void {
    const findCard = (id: string) => cards.find(alerts.get(id)?.cardId)
    const isJustPosted = (id: string): boolean =>
      acceptedCardId !== undefined && findCard(id)?.id === acceptedCardId
    const isUnposted = (id: string): boolean => findCard(id)?.isUnposted === true
    const missed = alerts
      .all()
      .filter(({ outageId, cardId, removal }) => removal && (cardId === undefined || isUnposted(outageId)))
    const outages = unsilenced.filter(({ outage: { id } }) =>
      kind === 'gap' ? isUnposted(id) : !isJustPosted(id),
    )
    const ids = [...outages.map(({ outage }) => outage.id), ...missed.map(({ outageId }) => outageId)]
    const [card, ...others] = new Set(ids.map(findCard))
    // If everything is on one card that wasn't posted yet, that card is enough.
    const areOnOneUnpostedCard = others.length === 0 && card?.isUnposted === true
    if (!areOnOneUnpostedCard || (kind === 'resumed' && card.reason !== 'resumed'))
      postCard('resumed', outages, missed)
  }

  /** Adds new outages to recent cards, or posts a new card with them. */
  function listNewOutages(): void {
    const onNewCard: WatchedOutage[] = []
    for (const watched of unsilenced) {
      const { id } = watched.outage
      if (isListed(id)) continue
      const needsOwnCard = watchesFor(id).some(({ watch }) => watch.notify === 'every')
      const cardId = needsOwnCard ? undefined : findCardToEdit(watched)
      if (cardId === undefined) onNewCard.push(watched)
      else listOnCard(cardId, watched, { wasAddedByEdit: true })
    }
    postCard('down', onNewCard)
  }

  /** Finds a card to add an outage to: the card that listed the same check recently, or a recent card whose outages nobody is on. */
  function findCardToEdit({ outage }: WatchedOutage): string | undefined {
    for (const { cardId, cardVersion, removal } of alerts.listForCheck(outage.check.uuid).toReversed()) {
      const card = cards.find(cardId)
      // If Slack never showed the outage on that card, the channel doesn't know about it.
      const isShown = card?.kind === 'outage' && card.shownVersion >= cardVersion
      if (isShown && removal && measureElapsed(removal, now) < RELAPSE_MS) return cardId
    }
    return cards.findLatest((card) => {
      const maxAgeMs = card.listedCount >= STORM_SIZE ? RELAPSE_MS : GROUPING_MS
      if (card.kind !== 'outage' || measureElapsed(card, now) > maxAgeMs) return false
      const openAlerts = alerts.listOpenOn(card.id)
      return (
        openAlerts.length > 0 && openAlerts.every(({ outageId }) => !outagesById.get(outageId)?.outage.onIt)
      )
    })
  }

  /** Posts a new message about outages that were added to a card by edit ten minutes ago and that nobody is on: edits notify nobody. */
  function postStillDown(): void {
    const addedByEdit = unsilenced.flatMap((watched) => {
      const { id, onIt } = watched.outage
      const alert = alerts.get(id)
      return alert && isListed(id) && alert.wasAddedByEdit && !onIt
        ? [{ watched, leftMs: RELAPSE_MS - (clockMs - alert.listedClockMs) }]
        : []
    })
    const due = addedByEdit.filter(({ leftMs }) => leftMs <= 0)
    postCard(
      'still-down',
      due.map(({ watched }) => watched),
    )
    for (const { leftMs } of addedByEdit) if (leftMs > 0) wakeIn(leftMs)
  }

  /** Records what cards show about each outage, and whether it is silenced. */
  function updateAlerts(): void {
    for (const { outage } of reportable) {
      const isSilenced = silencedIds.has(outage.id)
      const shownFacts = describeFacts(outage, isSilenced)
      const before = alerts.get(outage.id)
      if (!before || before.removal) {
        // The outage is silenced, or nothing can be posted, so no card lists it yet.
        alerts.set({
          outageId: outage.id,
          uuid: outage.check.uuid,
          cardVersion: 0,
          listedClockMs: clockMs,
          wasAddedByEdit: false,
          isSilenced,
          shownFacts,
        })
        continue
      }
      // While nothing can be posted, an outage stays marked as silenced, so that the end of its silence is reported later.
      const isMarkedSilenced = isSilenced || (before.isSilenced && !canPost)
      if (before.shownFacts !== shownFacts) redraw(before)
      if (before.shownFacts !== shownFacts || before.isSilenced !== isMarkedSilenced)
        alerts.set({ ...before, shownFacts, isSilenced: isMarkedSilenced })
    }
  }

  /** Whether an outage needs someone: Slack shows it on a card, it isn't silenced, and nobody is on it. */
  function isUnattended({ outageId, cardId, cardVersion }: Alert): boolean {
    const card = cards.find(cardId)
    if (!card || card.shownVersion < cardVersion || silencedIds.has(outageId)) return false
    return outagesById.get(outageId)?.outage.onIt === undefined
  }

  /** When a reminder is due, replaces the previous one with a new one that lists everything that nobody is on. */
  function updateReminder(): void {
    const dueInMs = unattended.flatMap(({ outageId, listedClockMs, remindedClockMs: last = 0 }) => {
      const hours = watchesFor(outageId).flatMap(({ watch }) => watch.reminderHours || [])
      return hours.length > 0 ? [Math.max(listedClockMs, last) + Math.min(...hours) * HOUR_MS - clockMs] : []
    })
    if (dueInMs.some((ms) => ms <= 0)) {
      postReminder()
      return
    }
    for (const ms of dueInMs) wakeIn(ms)
    // An unwatched or silenced outage may return, so the reminder stays open.
    const isOver = [...reminderOutageIds].every(
      (id) => outagesById.get(id)?.outage.endedAt || !outagesById.has(id),
    )
    if (reminder && isOver) cards.change(reminder.id, { closedAt: at })
  }

  function postReminder(): void {
    if (reminder) cards.change(reminder.id, { reason: 'replaced', closedAt: at })
    const id = cards.create('reminder', undefined)
    for (const alert of unattended) {
      cards.listOutage(id, alert.outageId)
      alerts.set({ ...alert, remindedClockMs: clockMs })
    }
    // Schedules the next reminder.
    for (const { outageId } of unattended)
      for (const { watch } of watchesFor(outageId))
        if (watch.reminderHours > 0) wakeIn(watch.reminderHours * HOUR_MS)
  }

  function updateCards(nextCalls: ReadonlyMap<string, NextCall>): void {
    for (const card of cards.all())
      if (card.kind === 'outage')
        cards.update(card, alerts.listOpenOn(card.id).length > 0, nextCalls.get(card.id))
  }

  /** Cards that were never posted and have become empty. */
  function findEmptyCards(): string[] {
    return cards
      .all()
      .flatMap(({ id, kind, isNew, isUnposted }) =>
        kind === 'outage' && !isNew && isUnposted && alerts.listOn(id).length === 0 ? [id] : [],
      )
  }
}

/** Finds the outages that any watch matches, and for each outage the watches that report it now. */
function* matchWatches(
  watches: readonly PreparedWatch[],
  open: readonly WatchedOutage[],
  clearedBaselines: Decision['baselines'],
) {
  const baselines = new Map(watches.map(({ watch }) => [watch.id, new Set(watch.baseline)]))
  for (const { watchId, baseline } of clearedBaselines) baselines.set(watchId, new Set(baseline))
  const matchedIds = new Set<string>()
  const watchesByOutage = new Map<string, readonly PreparedWatch[]>()
  yield* eachInSlices(
    open,
    ({ outage: { id, check }, badPolls }) => {
      const matching = findMatchingWatches(watches, check)
      if (matching.length > 0) matchedIds.add(id)
      const notifying = matching.filter(
        ({ watch }) => badPolls >= watch.afterBadPolls && !baselines.get(watch.id)?.has(id),
      )
      if (notifying.length > 0) watchesByOutage.set(id, notifying)
    },
    // The number of comparisons per outage. It's small, because the index finds only a few watches per check.
    10,
  )
  return { matchedIds, watchesByOutage }
}

function findActiveSilences(all: readonly PreparedSilence[], at: Date) {
  const active = all.filter((silence) => isInForce(silence, at))
  const changesInMs = all.flatMap(({ from, until, hasBegun, isOver }) => {
    if (isOver) return []
    const next = hasBegun || from <= at ? until : from
    return next && next > at ? [next.getTime() - at.getTime()] : []
  })
  return {
    count: active.length,
    nextChangeMs: Math.min(Number.POSITIVE_INFINITY, ...changesInMs),
    covers: (check: CheckFacts): boolean => active.some(({ covers }) => covers(check)),
  }
}

/** Removes silenced and ended outages from baselines, so that silenced ones are reported when the silence ends. */
const clearBaselines = (
  watches: readonly PreparedWatch[],
  outagesById: ReadonlyMap<string, WatchedOutage>,
  silences: ReturnType<typeof findActiveSilences>,
) =>
  watches.flatMap(({ watch }) => {
    const baseline = watch.baseline.filter((id) => {
      const outage = outagesById.get(id)?.outage
      return outage !== undefined && !outage.endedAt && !silences.covers(outage.check)
    })
    return baseline.length < watch.baseline.length ? [{ watchId: watch.id, baseline }] : []
  })
