import { HOUR_MS, MINUTE_MS } from '@signalman/runtime'
import type { CheckFacts, Outage } from '../../../domain/outages/outage.ts'
import type { Alert, CardReason, NextCall, OutageCard, WatchedOutage } from './alert.ts'
import { createAlertDrafts, createCardDrafts } from './drafts.ts'
import { type Escalation, type NewCall, runEscalations } from './escalate.ts'
import { isInForce, type ReadySilence } from './silence.ts'
import { eachInSlices, type Slices } from './slices.ts'
import { fitting, type ReadyWatch } from './subjects.ts'
import type { WatchPlace } from './watch.ts'
import { elapsedSince, type Moment } from './watch-clock.ts'

/** A relapse goes back onto its card for this long, and a change by edit gets a message of its own after it. */
export const AGAIN_MS = 10 * MINUTE_MS
/** What follows a card so soon is added to it. */
export const TOGETHER_MS = 30_000
/** A card with so many outages is a storm: it takes others for as long as AGAIN_MS. */
export const STORM = 5

/** A channel that takes messages again, or is tried: one message lists all that is down in it. */
export interface Resume {
  /** `gap`: what could not be posted for a while is put together. */
  readonly why: 'tried' | 'resumed' | 'gap'
  /** The message that the channel has just taken, which showed that it takes messages again. */
  readonly cardId?: string | undefined
}

/** One channel in one environment, as it is. */
export interface Place {
  readonly place: Pick<WatchPlace, 'channelId' | 'environment'>
  readonly watches: readonly ReadyWatch[]
  /** Those that cover this channel. */
  readonly silences: readonly ReadySilence[]
  /** All that are open in the environment, and those of `alerts`. */
  readonly outages: readonly WatchedOutage[]
  /** Those that are not over, and those that left a short while ago. */
  readonly alerts: readonly Alert[]
  /** Those that are open, and those of `alerts`; oldest first. */
  readonly cards: readonly OutageCard[]
  /** IDs of the outages that the reminder lists. */
  readonly reminded: ReadonlySet<string>
  readonly escalations: readonly Escalation[]
  /** The channel takes no messages. */
  readonly isPaused: boolean
  /** The service can't be reached. */
  readonly isBlind: boolean
  readonly resume?: Resume | undefined
}

/** What changes. Asked again at the same moment, nothing does. */
export interface Decision {
  readonly alerts: readonly Alert[]
  /** Nobody here has heard of these outages, and nobody needs to. */
  readonly forgotten: readonly string[]
  /** New ones and changed ones. */
  readonly cards: readonly (OutageCard & { readonly isNew: boolean })[]
  /** Nobody has read them, and others list all that they listed. */
  readonly dropped: readonly string[]
  readonly lines: readonly { readonly cardId: string; readonly outageId: string }[]
  readonly escalations: readonly Escalation[]
  readonly calls: readonly NewCall[]
  /** Watches of which the baseline is smaller than it was. */
  readonly baselines: readonly { readonly watchId: string; readonly baseline: readonly string[] }[]
  /** When to ask again, if nothing happens until then. */
  readonly wakeInMs: number | undefined
}

/** Whoever was on it before it went down again is believed for ten minutes. */
export const isInherited = ({ outage: { onIt }, startedSeen }: WatchedOutage): boolean =>
  onIt !== undefined && onIt.seen < startedSeen

/** In how many ms nobody is on it any more; undefined where somebody has said so since it went down. */
export const inheritedForMs = (one: WatchedOutage, seen: number): number | undefined =>
  isInherited(one) ? AGAIN_MS - (seen - one.startedSeen) : undefined

type Facts = Pick<Outage, 'check' | 'onIt'>
const says = ({ check, onIt }: Facts, isSilenced: boolean): string => {
  const { name, target, protocol, customerId } = check
  return JSON.stringify([name, target, protocol, customerId, onIt?.by, onIt?.at, isSilenced])
}

/**
 * From what is true now to what a channel should show, and who is called next. It compares levels, not changes: however an outage
 * came to be open, wanted, unsilenced, and reachable, it ends up on exactly one card.
 */
export function* decide(from: Place, now: Moment, newId: () => string): Slices<Decision> {
  const { watches, isPaused, isBlind, resume, reminded } = from
  const { at, seen } = now
  let wakeInMs = Number.POSITIVE_INFINITY
  const wakeIn = (ms: number): void => {
    wakeInMs = Math.min(wakeInMs, ms)
  }
  const silences = silencesInForce(from.silences, at)
  wakeIn(silences.changeInMs)
  const byId = new Map(from.outages.map((one) => [one.outage.id, one]))
  const open = from.outages.filter(({ outage }) => !outage.endedAt)
  const alerts = createAlertDrafts(from.alerts)
  const cards = createCardDrafts(from.cards, now, newId)
  const reminder = from.cards.find(({ kind, closedAt }) => kind === 'reminder' && !closedAt)
  /** What a card and the reminder say of an outage is different now. */
  const redraw = ({ cardId, outageId }: Alert): void => {
    cards.change(cardId)
    if (reminder && reminded.has(outageId)) cards.change(reminder.id)
  }

  const baselines = clearedBaselines(watches, byId, silences)
  const { fits, wantedBy } = yield* watchesOf(watches, open, baselines)
  const wanting = (id: string): readonly ReadyWatch[] => wantedBy.get(id) ?? []

  leave()
  const isListed = (id: string): boolean => {
    const alert = alerts.get(id)
    return alert?.cardId !== undefined && !alert.left
  }
  const wanted = open.filter(({ outage: { id } }) => wantedBy.has(id) || isListed(id))
  const silenced = new Set<string>()
  yield* eachInSlices(
    wanted,
    ({ outage: { id, check } }) => {
      if (silences.cover(check)) silenced.add(id)
    },
    silences.count,
  )
  const audible = wanted.filter(({ outage: { id } }) => !silenced.has(id))
  const canPost = !isBlind && (!isPaused || resume?.why === 'tried')
  if (canPost) {
    if (resume) putTogether(resume)
    post(
      'silence-over',
      audible.filter(({ outage: { id } }) => alerts.get(id)?.isSilenced),
    )
    listFresh()
    listLate()
  }
  note()

  const alone = isBlind || isPaused ? [] : alerts.live().filter(isAlone)
  const called = runEscalations(
    from.escalations,
    alone.map(({ outageId, cardId = '' }) => ({ outageId, cardId, watches: wanting(outageId) })),
    now,
    newId,
  )
  wakeIn(called.nextInMs)
  remind()
  settleCards(called.next)
  for (const one of open) {
    const leftMs = isListed(one.outage.id) ? inheritedForMs(one, seen) : undefined
    if (leftMs !== undefined) wakeIn(leftMs)
  }
  const dropped = emptyUnposted()
  return {
    ...alerts.changes(),
    ...cards.changes(new Set(dropped)),
    dropped,
    escalations: called.escalations,
    calls: called.calls,
    baselines,
    wakeInMs: Number.isFinite(wakeInMs) ? Math.max(0, wakeInMs) : undefined,
  }

  /** What is over, and what nobody here watches any more, leaves its card. */
  function leave(): void {
    for (const alert of alerts.live()) {
      const one = byId.get(alert.outageId)
      if (one && !one.outage.endedAt && fits.has(alert.outageId)) continue
      leaveCard(alert, one)
    }
  }

  function leaveCard(alert: Alert, one: WatchedOutage | undefined): void {
    const endedAt = one?.outage.endedAt
    const isMissed = isPaused && endedAt !== undefined && !alert.isSilenced
    const card = cards.find(alert.cardId)
    // Its card says that it's down only in a version that was never shown.
    const isUnread = endedAt === undefined && card !== undefined && card.shownVersion < alert.cardVersion
    if (isUnread) redraw(alert)
    if (isUnread || (alert.cardId === undefined && !isMissed)) {
      alerts.forget(alert.outageId)
      return
    }
    redraw(alert)
    const left = endedAt
      ? { why: 'recovered' as const, at: endedAt, seen: one?.endedSeen ?? seen }
      : { why: 'unwatched' as const, at, seen }
    alerts.set({ ...alert, left })
  }

  function list(cardId: string, { outage }: WatchedOutage, isByEdit: boolean): void {
    const before = alerts.get(outage.id)
    if (reminder && reminded.has(outage.id)) cards.change(reminder.id)
    // Its last card says that a newer message has it.
    if (before?.cardId !== cardId) cards.change(before?.cardId)
    alerts.set({
      outageId: outage.id,
      uuid: outage.check.uuid,
      cardId,
      cardVersion: cards.list(cardId, outage.id, before?.cardId !== cardId),
      since: seen,
      isByEdit,
      isSilenced: false,
      said: says(outage, false),
    })
  }

  function post(reason: CardReason, about: readonly WatchedOutage[], missed: readonly Alert[] = []): void {
    if (about.length + missed.length === 0) return
    const id = cards.open('outage', reason)
    for (const one of about) list(id, one, false)
    for (const alert of missed)
      alerts.set({ ...alert, cardId: id, cardVersion: cards.list(id, alert.outageId) })
  }

  /** One message with all that is down now, also on older cards, and with what came and went meanwhile. */
  function putTogether({ why, cardId: shownId }: Resume): void {
    const cardOf = (id: string) => cards.find(alerts.get(id)?.cardId)
    const isJustShown = (id: string): boolean => shownId !== undefined && cardOf(id)?.id === shownId
    const isUnposted = (id: string): boolean => cardOf(id)?.isUnposted === true
    const missed = alerts
      .all()
      .filter(({ outageId, cardId, left }) => left && (cardId === undefined || isUnposted(outageId)))
    const about = audible.filter(({ outage: { id } }) => (why === 'gap' ? isUnposted(id) : !isJustShown(id)))
    const ids = [...about.map(({ outage }) => outage.id), ...missed.map(({ outageId }) => outageId)]
    const [card, ...others] = new Set(ids.map(cardOf))
    const isTogether = others.length === 0 && card?.isUnposted === true
    if (!isTogether || (why === 'resumed' && card.reason !== 'resumed')) post('resumed', about, missed)
  }

  /** What is on no card yet. */
  function listFresh(): void {
    const apart: WatchedOutage[] = []
    for (const one of audible) {
      const { id } = one.outage
      if (isListed(id)) continue
      const isEvery = wanting(id).some(({ watch }) => watch.notify === 'every')
      const cardId = isEvery ? undefined : cardTaking(one)
      if (cardId === undefined) apart.push(one)
      else list(cardId, one, true)
    }
    post('down', apart)
  }

  /** The card that this check left a short while ago, or else a recent one that nobody is on. */
  function cardTaking({ outage }: WatchedOutage): string | undefined {
    for (const { cardId, cardVersion, left } of alerts.ofCheck(outage.check.uuid).toReversed()) {
      const card = cards.find(cardId)
      // Nobody has read a message that was never shown: it can't be gone back to.
      const isShown = card?.kind === 'outage' && card.shownVersion >= cardVersion
      if (isShown && left && elapsedSince(left, now) < AGAIN_MS) return cardId
    }
    return cards.latest(({ id, kind, lines, ...since }) => {
      if (kind !== 'outage' || elapsedSince(since, now) > (lines >= STORM ? AGAIN_MS : TOGETHER_MS))
        return false
      const live = alerts.liveOn(id)
      return live.length > 0 && live.every(({ outageId }) => !byId.get(outageId)?.outage.onIt)
    })
  }

  /** An edit is never the last word: what is down ten minutes after one, with nobody on it, gets a message. */
  function listLate(): void {
    const byEdit = audible.flatMap((one) => {
      const { id, onIt } = one.outage
      const alert = alerts.get(id)
      return alert && isListed(id) && alert.isByEdit && !onIt
        ? [{ one, leftMs: AGAIN_MS - (seen - alert.since) }]
        : []
    })
    const late = byEdit.filter(({ leftMs }) => leftMs <= 0)
    post(
      'still-down',
      late.map(({ one }) => one),
    )
    for (const { leftMs } of byEdit) if (leftMs > 0) wakeIn(leftMs)
  }

  /** Notes what is said of each outage, and whether it was silenced when last looked at. */
  function note(): void {
    for (const { outage } of wanted) {
      const isSilenced = silenced.has(outage.id)
      const said = says(outage, isSilenced)
      const before = alerts.get(outage.id)
      if (!before || before.left) {
        const { id: outageId, check } = outage
        const cardVersion = 0
        alerts.set({
          outageId,
          uuid: check.uuid,
          cardVersion,
          since: seen,
          isByEdit: false,
          isSilenced,
          said,
        })
        continue
      }
      // While nothing can be posted, what was silenced is still to be reported.
      const wasSilenced = isSilenced || (before.isSilenced && !canPost)
      if (before.said !== said) redraw(before)
      if (before.said !== said || before.isSilenced !== wasSilenced)
        alerts.set({ ...before, said, isSilenced: wasSilenced })
    }
  }

  /** Listed on a card that is known to be shown, not silenced, and nobody is on it. */
  function isAlone({ outageId, cardId, cardVersion }: Alert): boolean {
    const card = cards.find(cardId)
    if (!card || card.shownVersion < cardVersion || silenced.has(outageId)) return false
    return byId.get(outageId)?.outage.onIt === undefined
  }

  /** One reminder of everything that nobody is on, instead of the last one. */
  function remind(): void {
    const dueInMs = alone.flatMap(({ outageId, since, reminded: last = 0 }) => {
      const hours = wanting(outageId).flatMap(({ watch }) => watch.reminderHours || [])
      return hours.length > 0 ? [Math.max(since, last) + Math.min(...hours) * HOUR_MS - seen] : []
    })
    if (dueInMs.some((ms) => ms <= 0)) {
      postReminder()
      return
    }
    for (const ms of dueInMs) wakeIn(ms)
    // What is only unwatched or silenced may be listed again, and the reminder says so.
    const isOver = [...reminded].every((id) => byId.get(id)?.outage.endedAt || !byId.has(id))
    if (reminder && isOver) cards.change(reminder.id, { closedAt: at })
  }

  function postReminder(): void {
    if (reminder) cards.change(reminder.id, { reason: 'replaced', closedAt: at })
    const id = cards.open('reminder', undefined)
    for (const alert of alone) {
      cards.list(id, alert.outageId)
      alerts.set({ ...alert, reminded: seen })
    }
    // The next one is due after this long again.
    for (const { outageId } of alone)
      for (const { watch } of wanting(outageId))
        if (watch.reminderHours > 0) wakeIn(watch.reminderHours * HOUR_MS)
  }

  function settleCards(next: ReadonlyMap<string, NextCall>): void {
    for (const card of cards.all())
      if (card.kind === 'outage') cards.settle(card, alerts.liveOn(card.id).length > 0, next.get(card.id))
  }

  /** Cards that were never posted and list nothing any more. */
  function emptyUnposted(): string[] {
    const isEmpty = ({ id, kind, isNew, isUnposted }: OutageCard & { isNew: boolean }): boolean =>
      kind === 'outage' && !isNew && isUnposted && alerts.on(id).length === 0
    return cards
      .all()
      .filter(isEmpty)
      .map(({ id }) => id)
  }
}

/** Which watches are about each outage, and which of them want it on a card by now. */
function* watchesOf(
  watches: readonly ReadyWatch[],
  open: readonly WatchedOutage[],
  cleared: Decision['baselines'],
) {
  const baselines = new Map(watches.map(({ watch }) => [watch.id, new Set(watch.baseline)]))
  for (const { watchId, baseline } of cleared) baselines.set(watchId, new Set(baseline))
  const fits = new Set<string>()
  const wantedBy = new Map<string, readonly ReadyWatch[]>()
  yield* eachInSlices(
    open,
    ({ outage: { id, check }, bad }) => {
      const own = fitting(watches, check)
      if (own.length > 0) fits.add(id)
      const wanting = own.filter(
        ({ watch }) => bad >= watch.afterBadPolls && !baselines.get(watch.id)?.has(id),
      )
      if (wanting.length > 0) wantedBy.set(id, wanting)
    },
    10,
  )
  return { fits, wantedBy }
}

function silencesInForce(all: readonly ReadySilence[], at: Date) {
  const going = all.filter((one) => isInForce(one, at))
  const changes = all.flatMap(({ from, until, begun, over }) => {
    if (over) return []
    const next = begun || from <= at ? until : from
    return next && next > at ? [next.getTime() - at.getTime()] : []
  })
  return {
    count: going.length,
    changeInMs: Math.min(Number.POSITIVE_INFINITY, ...changes),
    cover: (check: CheckFacts): boolean => going.some(({ covers }) => covers(check)),
  }
}

/** What was silenced is news when that is over, also to a watch that began with it. What is over is forgotten. */
const clearedBaselines = (
  watches: readonly ReadyWatch[],
  byId: ReadonlyMap<string, WatchedOutage>,
  silences: ReturnType<typeof silencesInForce>,
) =>
  watches.flatMap(({ watch }) => {
    const baseline = watch.baseline.filter((id) => {
      const outage = byId.get(id)?.outage
      return outage !== undefined && !outage.endedAt && !silences.cover(outage.check)
    })
    return baseline.length < watch.baseline.length ? [{ watchId: watch.id, baseline }] : []
  })
