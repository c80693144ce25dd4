import { HOUR_MS } from '@signalman/runtime'
import { countBadPolls, QUIET_MS } from '../../../domain/outages/observe.ts'
import { createDrafts, type DecisionChanges, type DecisionContext } from './drafts.ts'
import { AFRESH_MS, type ChannelState, type EnvironmentState, SPACING_MS } from './environment-state.ts'
import {
  type DecidedEvent,
  type Incident,
  type IncidentMessage,
  isAdopted,
  isBlindness,
  type Line,
  type PostReason,
  renewLine,
  toUnseen,
} from './incident.ts'
import { findMatchingWatches, type PreparedWatch } from './matching.ts'
import { type DuePage, decidePages } from './page.ts'
import { eachInSlices, type Slices } from './slices.ts'
import { type Moment, measureElapsed } from './watch-clock.ts'

/** The changes to save. Deciding again changes nothing, and neither does anything before `wakeInMs`. */
export interface Decision extends DecisionChanges {
  readonly events: readonly DecidedEvent[]
  /** Channels that were told what they missed. */
  readonly caughtUpChannelIds: readonly string[]
  /** Who may be due a page: look up whether Slack can notify them, then decide again. */
  readonly duePages: readonly DuePage[]
  /** When to decide again if nothing else happens. */
  readonly wakeInMs: number | undefined
}

/** Decides what each channel of an environment should show, and who is paged, from what is true now. */
export function* decide(state: EnvironmentState, now: Moment, newId: () => string): Slices<Decision> {
  let wakeInMs = Number.POSITIVE_INFINITY
  const events: DecidedEvent[] = []
  const caughtUpChannelIds: string[] = []
  const context: DecisionContext = {
    state,
    now,
    drafts: createDrafts(state, now, newId),
    unseen: state.incidents.filter(isBlindness).flatMap((incident) => toUnseen(incident) ?? [])[0],
    wakeIn: (ms) => {
      if (ms > 0) wakeInMs = Math.min(wakeInMs, ms)
    },
    log: (event) => void events.push(event),
    findWatches: createWatchFinder(),
    isSilenced: ({ silences }, incident) =>
      !isBlindness(incident) && silences.some((covers) => covers(incident.check)),
  }
  for (const channel of state.channels)
    if (yield* settleChannel(context, channel)) caughtUpChannelIds.push(channel.channelId)
  const duePages = yield* decidePages(context)
  yield* context.drafts.writeContents(context)
  return {
    ...context.drafts.listChanges(),
    events,
    caughtUpChannelIds,
    duePages,
    wakeInMs: Number.isFinite(wakeInMs) ? wakeInMs : undefined,
  }
}

/** Finds a channel's watches that match an incident, and remembers them. Any watch matches blindness. */
function createWatchFinder(): DecisionContext['findWatches'] {
  const found = new Map<ChannelState, Map<string, readonly PreparedWatch[]>>()
  return (channel, incident) => {
    const byIncident = found.get(channel) ?? new Map<string, readonly PreparedWatch[]>()
    found.set(channel, byIncident)
    const known = byIncident.get(incident.id)
    if (known) return known
    const watches = isBlindness(incident)
      ? channel.watches
      : findMatchingWatches(channel.watches, incident.check).filter(
          ({ watch: { recoveryOf } }) => !recoveryOf || recoveryOf.includes(incident.id),
        )
    byIncident.set(incident.id, watches)
    return watches
  }
}

/** How many incidents a slice may visit, given that a visit compares a check with a few watches and silences. */
const COMPARISONS_PER_INCIDENT = 10

/** Decides which incidents are on which card of a channel, and whether a new message is due. True if it was told what it missed. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the rules of a channel, in the order in which they apply
function* settleChannel(context: DecisionContext, channel: ChannelState): Slices<boolean> {
  const { state, now, drafts, unseen, wakeIn } = context
  const isBlind = unseen !== undefined
  const { channelId } = channel
  const watchesFor = (incident: Incident) => context.findWatches(channel, incident)
  const silenced = new Map<string, boolean>()
  const isSilenced = (incident: Incident): boolean => {
    const known = silenced.get(incident.id) ?? context.isSilenced(channel, incident)
    silenced.set(incident.id, known)
    return known
  }
  const lineFor = (incident: Incident) => drafts.findLine(channelId, incident.id)

  removeUnwatched()
  const open: Incident[] = []
  yield* eachInSlices(
    state.incidents,
    (incident) => {
      if (incident.closed) return
      const watches = watchesFor(incident)
      const isConfirmed = (): boolean => {
        const badPolls = countBadPolls(incident, state.poll)
        return isBlindness(incident) || watches.some(({ watch }) => badPolls >= watch.afterBadPolls)
      }
      if (watches.length === 0 || !(lineFor(incident) || isConfirmed())) return
      open.push(incident)
      const line = lineFor(incident)
      if (!line?.isHeld && isSilenced(incident))
        drafts.setLine({ ...(line ?? newLine(incident, channelId)), isHeld: true })
    },
    COMPARISONS_PER_INCIDENT,
  )
  const isTested = channel.isRetried === true
  if (channel.isPaused && !isTested) {
    for (const incident of open) {
      const line = lineFor(incident)
      if (!incident.isDown || isBlindness(incident) || isSilenced(incident) || line?.cardId || line?.isMissed)
        continue
      if (!line || !isAdopted(line, incident))
        drafts.setLine({ ...(line ?? newLine(incident, channelId)), isMissed: true })
    }
    return false
  }
  const latest = drafts.findLatestCard(channelId)
  // The last sending may or may not have arrived. It is looked up before anything newer is posted.
  const isUnknown = latest?.attempted !== undefined && latest.shownVersion === 0
  const isResumed = (channel.isResumed || isTested) && !isBlind && !isUnknown
  if (isResumed) renewOpenLines(() => true)
  const releasedIds = new Set<string>()
  if (!isBlind) renewHeld()
  // A card that never arrived and isn't the latest anymore isn't sent: what it lists is news again.
  for (const line of drafts.listLines(channelId)) {
    const card = line.cardId === undefined ? undefined : drafts.findMessage(line.cardId)
    if (card && !card.attempted && card.id !== latest?.id)
      drafts.setLine({ ...line, cardId: undefined, cardVersion: undefined, named: undefined, timesNamed: 0 })
  }

  // What could be posted now. While the environment can't be seen, only that.
  const candidates = isBlind ? open.filter(isBlindness) : open
  const down = candidates.filter((incident) => {
    const line = lineFor(incident)
    return incident.isDown && !isSilenced(incident) && !(line && isAdopted(line, incident))
  })
  const unlisted = down.filter((incident) => lineFor(incident)?.cardId === undefined)
  const due = down.filter((incident) => dueInMs(incident) <= 0)
  const hasReminder = due.some((incident) => reminderInMs(incident) <= 0)
  const reminded = hasReminder
    ? down.filter((incident) => !incident.onIt && reminderEveryMs(incident) < Number.POSITIVE_INFINITY)
    : []
  const owed = isBlind ? [] : listOwed()
  const missed = isResumed
    ? drafts
        .listLines(channelId)
        .filter(({ isMissed, cardId }) => isMissed && cardId === undefined)
        .flatMap(({ incidentId }) => drafts.findIncident(incidentId) ?? [])
        .filter(({ isDown }) => !isDown)
    : []
  if (isResumed)
    for (const line of drafts.listLines(channelId))
      if (line.isMissed) drafts.setLine({ ...line, isMissed: false })
  const news = [
    ...new Set([...unlisted, ...due, ...reminded, ...owed, ...missed, ...(isResumed ? down : [])]),
  ]
  const needsOwnMessage = (incident: Incident): boolean =>
    lineFor(incident)?.cardId === undefined &&
    watchesFor(incident).some(({ watch }) => watch.notify === 'every' || watch.recoveryOf !== undefined)
  const waitMs = latest?.attempted ? SPACING_MS - measureElapsed(latest.attempted, now) : 0
  const reason = chooseReason()
  if (news.length > 0) {
    if (latest && !latest.attempted) {
      if (isResumed) drafts.setMessage({ ...latest, reason })
      post(news, latest)
    } else if (!isUnknown && (waitMs <= 0 || isResumed || news.some(needsOwnMessage)))
      post(news, drafts.createMessage('card', channelId, { reason }))
    else if (latest) {
      const added = [...unlisted, ...owed.filter((incident) => lineFor(incident)?.cardId === undefined)]
      for (const incident of new Set(added))
        if (!isUnknown || !needsOwnMessage(incident)) {
          putOn(incident, latest)
          context.log({
            kind: 'posted',
            reason: 'added',
            incidentId: incident.id,
            channelId,
            cardId: latest.id,
          })
        }
      if (!isUnknown) wakeIn(waitMs)
    }
  }
  for (const incident of down) wakeIn(dueInMs(incident))
  return isResumed && channel.isResumed

  /** What no watch here matches anymore leaves its card, which keeps a number. */
  function removeUnwatched(): void {
    for (const line of drafts.listLines(channelId)) {
      const incident = drafts.findIncident(line.incidentId)
      if (incident && ((incident.closed && line.cardId) || watchesFor(incident).length > 0)) continue
      const card = line.cardId === undefined ? undefined : drafts.findMessage(line.cardId)
      if (card) drafts.setMessage({ ...card, unwatchedCount: card.unwatchedCount + 1 })
      drafts.deleteLine(line)
    }
  }

  function renewOpenLines(matches: (line: Line) => boolean): void {
    for (const line of drafts.listLines(channelId)) {
      const incident = drafts.findIncident(line.incidentId)
      if (incident && !incident.closed && line.cardId !== undefined && matches(line))
        drafts.setLine(renewLine(line, incident))
    }
  }

  function renewHeld(): void {
    const isReleased = (line: Line): boolean => {
      const incident = drafts.findIncident(line.incidentId)
      return line.isHeld && incident !== undefined && !isSilenced(incident)
    }
    const released = drafts.listLines(channelId).filter(isReleased)
    renewOpenLines(isReleased)
    for (const { incidentId } of released) {
      const line = drafts.findLine(channelId, incidentId)
      if (line)
        drafts.setLine({ ...line, isHeld: false, ...(isPromised(line) && { adoptedFall: undefined }) })
      releasedIds.add(incidentId)
    }
  }

  /** Adopted, and still down at the end of a silence, which promised to post that. A watch for recoveries never posts it. */
  function isPromised(line: Line): boolean {
    const incident = drafts.findIncident(line.incidentId)
    if (!incident || !isAdopted(line, incident)) return false
    return watchesFor(incident).some(({ watch }) => !watch.recoveryOf)
  }

  /** Adopted incidents that went up since: their recovery is the message that was promised. */
  function listOwed(): Incident[] {
    return drafts.listLines(channelId).flatMap((line) => {
      const incident = drafts.findIncident(line.incidentId)
      const isOwed =
        incident !== undefined &&
        line.adoptedFall !== undefined &&
        !line.named &&
        !isAdopted(line, incident) &&
        !isSilenced(incident) &&
        !(incident.isDown && incident.onIt)
      return isOwed ? [incident] : []
    })
  }

  /** How often to remind of an incident; infinite without a reminder. */
  function reminderEveryMs(incident: Incident): number {
    if (isBlindness(incident)) return Number.POSITIVE_INFINITY
    const hours = watchesFor(incident).flatMap(({ watch }) => watch.reminderHours || [])
    return hours.length > 0 ? Math.min(...hours) * HOUR_MS : Number.POSITIVE_INFINITY
  }

  function reminderInMs(incident: Incident): number {
    const named = lineFor(incident)?.named
    return named ? reminderEveryMs(incident) - (now.clockMs - named.clockMs) : Number.POSITIVE_INFINITY
  }

  /** In how long an incident that is down should be named by a message. */
  function dueInMs(incident: Incident): number {
    const line = lineFor(incident)
    if (incident.onIt) return Number.POSITIVE_INFINITY
    if (!line?.named) return 0
    const elapsedMs = measureElapsed(line.named, now)
    const lastsInMs = QUIET_MS - (now.clockMs - incident.fell.clockMs)
    const againInMs =
      incident.fell.clockMs > line.named.clockMs
        ? Math.min(
            QUIET_MS * 2 ** (line.timesNamed - 1) - elapsedMs,
            Math.max(lastsInMs, AFRESH_MS - elapsedMs),
          )
        : Number.POSITIVE_INFINITY
    return Math.min(againInMs, reminderInMs(incident))
  }

  function chooseReason(): PostReason {
    if (isResumed) return 'resumed'
    if (hasReminder) return 'reminder'
    if (news.every(({ isDown }) => !isDown)) return 'recovered'
    if (news.every(({ id }) => releasedIds.has(id))) return 'silence-over'
    return news.every(wasNamedHere) ? 'still-down' : 'down'
  }

  /** Whether a message named it here. A line that was renewed is on the card that did. */
  function wasNamedHere({ id, fell }: Incident): boolean {
    const { named, cardId } = drafts.findLine(channelId, id) ?? {}
    const card = cardId === undefined ? undefined : drafts.findMessage(cardId)
    return named !== undefined || (card !== undefined && card.clockMs >= fell.clockMs)
  }

  /** Names these incidents by a message. */
  function post(incidents: readonly Incident[], card: IncidentMessage): void {
    for (const incident of incidents) {
      const isNew = putOn(incident, card)
      const line = lineFor(incident)
      if (!line) continue
      const timesNamed = line.timesNamed + (isNew || !line.named ? 1 : 0)
      drafts.setLine({ ...line, named: now, timesNamed })
      context.log({ kind: 'posted', reason, incidentId: incident.id, channelId, cardId: card.id })
    }
  }

  /** Moves an incident to a card. False if it is there already. */
  function putOn(incident: Incident, { id }: IncidentMessage): boolean {
    const line = lineFor(incident) ?? newLine(incident, channelId)
    if (line.cardId === id) return false
    const previous = line.cardId === undefined ? undefined : drafts.findMessage(line.cardId)
    if (previous)
      drafts.setMessage({ ...previous, moved: { ...previous.moved, [id]: (previous.moved[id] ?? 0) + 1 } })
    drafts.setLine({ ...line, cardId: id, cardVersion: undefined })
    return true
  }
}

export const newLine = ({ id }: Pick<Incident, 'id'>, channelId: string): Line => ({
  incidentId: id,
  channelId,
  timesNamed: 0,
  pagedBefore: {},
  isHeld: false,
  isMissed: false,
})
