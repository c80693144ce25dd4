import { countBadPolls, QUIET_MS } from '../../../domain/outages/observe.ts'
import type { DecisionContext } from './drafts.ts'
import { AFRESH_MS, type ChannelState, SPACING_MS } from './environment-state.ts'
import {
  type Incident,
  type IncidentMessage,
  isAdopted,
  isBlindness,
  type Line,
  newLine,
  type PostReason,
  renewLine,
} from './incident.ts'
import type { PreparedWatch } from './matching.ts'
import { eachInSlices, type Slices } from './slices.ts'
import { measureElapsed } from './watch-clock.ts'

/** How many incidents a slice may visit, given that a visit compares a check with a few watches and silences. */
const COMPARISONS_PER_INCIDENT = 10

/** Decides which incidents are on which card of a channel, and whether a new message is due. True if it was told what it missed. */
export const settleChannel = (context: DecisionContext, channel: ChannelState): Slices<boolean> =>
  new ChannelDecision(context, channel).settle()

/** What a channel wasn't told yet. */
interface News {
  /** Down, and to be shown here. */
  readonly down: readonly Incident[]
  /** Everything that the next message names. */
  readonly all: readonly Incident[]
  /** What is on no card. Until the next message, it is added to the latest one. */
  readonly unlisted: readonly Incident[]
}

/** The rules of one channel. `settle` has them in the order in which they apply. */
class ChannelDecision {
  readonly #context: DecisionContext
  readonly #channel: ChannelState
  readonly #silenced = new Map<string, boolean>()
  /** The incidents whose silence is over since the last decision. */
  readonly #releasedIds = new Set<string>()

  constructor(context: DecisionContext, channel: ChannelState) {
    this.#context = context
    this.#channel = channel
  }

  *settle(): Slices<boolean> {
    const { drafts, unseen, wakeIn } = this.#context
    const { channelId, isPaused, isRetried = false } = this.#channel
    this.#removeUnwatched()
    const open = yield* this.#listOpen()
    if (isPaused && !isRetried) {
      this.#rememberMissed(open)
      return false
    }
    const latest = drafts.findLatestCard(channelId)
    const isResumed = (this.#channel.isResumed || isRetried) && !unseen && !(latest && mayHaveArrived(latest))
    if (isResumed) this.#renewOpenLines(() => true)
    if (!unseen) this.#renewReleased()
    this.#takeOffUnsent(latest)
    const news = this.#listNews(open, isResumed)
    if (news.all.length > 0) this.#show(news, latest, isResumed)
    for (const incident of news.down) wakeIn(this.#dueInMs(incident))
    return isResumed && this.#channel.isResumed
  }

  /** What no watch here matches anymore leaves its card, which keeps a number. */
  #removeUnwatched(): void {
    const { drafts } = this.#context
    for (const line of drafts.listLines(this.#channel.channelId)) {
      const incident = drafts.findIncident(line.incidentId)
      if (incident && ((incident.closed && line.cardId) || this.#findWatches(incident).length > 0)) continue
      const card = this.#findCard(line)
      if (card) drafts.setMessage({ ...card, unwatchedCount: card.unwatchedCount + 1 })
      drafts.deleteLine(line)
    }
  }

  /** The open incidents to show here. What is silenced is held. */
  *#listOpen(): Slices<Incident[]> {
    const open: Incident[] = []
    yield* eachInSlices(
      this.#context.state.incidents,
      (incident) => {
        if (incident.closed || !this.#isShown(incident)) return
        open.push(incident)
        const line = this.#findLine(incident)
        if (!line?.isHeld && this.#isSilenced(incident)) this.#setLine(incident, { isHeld: true })
      },
      COMPARISONS_PER_INCIDENT,
    )
    return open
  }

  /** Whether a watch matches it and it was down long enough, here or at this poll. */
  #isShown(incident: Incident): boolean {
    const watches = this.#findWatches(incident)
    if (watches.length === 0) return false
    if (this.#findLine(incident) || isBlindness(incident)) return true
    const badPolls = countBadPolls(incident, this.#context.state.poll)
    return watches.some(({ watch }) => badPolls >= watch.afterBadPolls)
  }

  /** What goes down while the channel accepts no messages is posted when it does again, even if it is up by then. */
  #rememberMissed(open: readonly Incident[]): void {
    for (const incident of open) {
      const line = this.#findLine(incident)
      const isTold = line?.cardId !== undefined || line?.isMissed === true || this.#isAdoptedHere(incident)
      if (incident.isDown && !isBlindness(incident) && !this.#isSilenced(incident) && !isTold)
        this.#setLine(incident, { isMissed: true })
    }
  }

  #renewOpenLines(matches: (line: Line) => boolean): void {
    const { drafts } = this.#context
    for (const line of drafts.listLines(this.#channel.channelId)) {
      const incident = drafts.findIncident(line.incidentId)
      if (incident && !incident.closed && line.cardId !== undefined && matches(line))
        drafts.setLine(renewLine(line, incident))
    }
  }

  /** What was held and isn't silenced anymore is news. */
  #renewReleased(): void {
    const { drafts } = this.#context
    const isReleased = ({ incidentId, isHeld }: Line): boolean => {
      const incident = drafts.findIncident(incidentId)
      return isHeld && incident !== undefined && !this.#isSilenced(incident)
    }
    const released = drafts.listLines(this.#channel.channelId).filter(isReleased)
    this.#renewOpenLines(isReleased)
    for (const { incidentId } of released) {
      const line = drafts.findLine(this.#channel.channelId, incidentId)
      if (line)
        drafts.setLine({ ...line, isHeld: false, adoptedFall: undefined })
      this.#releasedIds.add(incidentId)
    }
  }

  /** A card that never arrived and isn't the latest anymore isn't sent: what it lists is news again. */
  #takeOffUnsent(latest: IncidentMessage | undefined): void {
    const { drafts } = this.#context
    for (const line of drafts.listLines(this.#channel.channelId)) {
      const card = this.#findCard(line)
      if (card && !card.attempted && card.id !== latest?.id)
        drafts.setLine({
          ...line,
          cardId: undefined,
          cardVersion: undefined,
          named: undefined,
          timesNamed: 0,
        })
    }
  }

  /** Lists what could be posted now. While the environment can't be seen, that is only that. */
  #listNews(open: readonly Incident[], isResumed: boolean): News {
    const isBlind = this.#context.unseen !== undefined
    const candidates = isBlind ? open.filter(isBlindness) : open
    const down = candidates.filter(
      (incident) => incident.isDown && !this.#isSilenced(incident) && !this.#isAdoptedHere(incident),
    )
    const isUnlisted = (incident: Incident) => this.#findLine(incident)?.cardId === undefined
    const due = down.filter((incident) => this.#dueInMs(incident) <= 0)
    const owed = isBlind ? [] : this.#listOwed()
    const caughtUp = isResumed ? [...this.#takeMissed(), ...down] : []
    return {
      down,
      all: [...new Set([...down.filter(isUnlisted), ...due, ...owed, ...caughtUp])],
      unlisted: [...new Set([...down, ...owed].filter(isUnlisted))],
    }
  }

  /** Adopted incidents that went up since: their recovery is the message that was promised. */
  #listOwed(): Incident[] {
    const { drafts } = this.#context
    return drafts.listLines(this.#channel.channelId).flatMap((line) => {
      const incident = drafts.findIncident(line.incidentId)
      const isOwed =
        incident !== undefined &&
        line.adoptedFall !== undefined &&
        !line.named &&
        !isAdopted(line, incident) &&
        !this.#isSilenced(incident) &&
        !(incident.isDown && incident.onIt)
      return isOwed ? [incident] : []
    })
  }

  /** What the channel missed and is up now. From here on, nothing counts as missed. */
  #takeMissed(): Incident[] {
    const { drafts } = this.#context
    const missed = drafts.listLines(this.#channel.channelId).filter(({ isMissed }) => isMissed)
    for (const line of missed) drafts.setLine({ ...line, isMissed: false })
    return missed
      .filter(({ cardId }) => cardId === undefined)
      .flatMap(({ incidentId }) => drafts.findIncident(incidentId) ?? [])
      .filter(({ isDown }) => !isDown)
  }

  /** Shows the news by a message, or on the latest card until the next message may be posted. */
  #show(news: News, latest: IncidentMessage | undefined, isResumed: boolean): void {
    const { drafts, now, wakeIn } = this.#context
    const { all, unlisted } = news
    const reason = isResumed ? 'resumed' : this.#chooseReason(news)
    if (latest && mayHaveArrived(latest)) {
      this.#add(unlisted, latest)
    } else if (latest && !latest.attempted) {
      if (isResumed) drafts.setMessage({ ...latest, reason })
      this.#post(all, latest)
    } else {
      const waitMs = latest?.attempted ? SPACING_MS - measureElapsed(latest.attempted, now) : 0
      if (!latest || waitMs <= 0 || isResumed)
        this.#post(all, this.#createCard(reason))
      else {
        this.#add(unlisted, latest)
        wakeIn(waitMs)
      }
    }
  }

  #createCard(reason: PostReason): IncidentMessage {
    return this.#context.drafts.createMessage('card', this.#channel.channelId, { reason })
  }

  #chooseReason({ all }: News): PostReason {
    if (all.every(({ isDown }) => !isDown)) return 'recovered'
    if (all.every(({ id }) => this.#releasedIds.has(id))) return 'silence-over'
    return all.every((incident) => this.#wasNamed(incident)) ? 'still-down' : 'down'
  }

  /** Whether a message named it here. A line that was renewed is on the card that did. */
  #wasNamed(incident: Incident): boolean {
    const line = this.#findLine(incident)
    const card = line && this.#findCard(line)
    return line?.named !== undefined || (card !== undefined && card.clockMs >= incident.fell.clockMs)
  }

  /** Names these incidents by a message. */
  #post(incidents: readonly Incident[], card: IncidentMessage): void {
    const { now } = this.#context
    for (const incident of incidents) {
      const isNew = this.#putOn(incident, card)
      const { timesNamed = 0, named } = this.#findLine(incident) ?? {}
      this.#setLine(incident, { named: now, timesNamed: timesNamed + (isNew || !named ? 1 : 0) })
    }
  }

  /** Adds incidents to a card that was posted, by an edit. */
  #add(incidents: readonly Incident[], card: IncidentMessage): void {
    for (const incident of incidents) this.#putOn(incident, card)
  }

  /** Moves an incident to a card. False if it is there already. */
  #putOn(incident: Incident, { id }: IncidentMessage): boolean {
    const line = this.#findLine(incident)
    if (line?.cardId === id) return false
    const previous = line && this.#findCard(line)
    if (previous) {
      const moved = { ...previous.moved, [id]: (previous.moved[id] ?? 0) + 1 }
      this.#context.drafts.setMessage({ ...previous, moved })
    }
    this.#setLine(incident, { cardId: id, cardVersion: undefined })
    return true
  }

  /** In how long an incident that is down should be named by a message. */
  #dueInMs(incident: Incident): number {
    const { now } = this.#context
    const line = this.#findLine(incident)
    if (incident.onIt) return Number.POSITIVE_INFINITY
    if (!line?.named) return 0
    if (incident.fell.clockMs <= line.named.clockMs) return Number.POSITIVE_INFINITY
    const elapsedMs = measureElapsed(line.named, now)
    const lastsInMs = QUIET_MS - (now.clockMs - incident.fell.clockMs)
    const repeatsInMs = QUIET_MS * 2 ** (line.timesNamed - 1) - elapsedMs
    return Math.min(repeatsInMs, Math.max(lastsInMs, AFRESH_MS - elapsedMs))
  }

  #findWatches(incident: Incident): readonly PreparedWatch[] {
    return this.#context.findWatches(this.#channel, incident)
  }

  #isSilenced(incident: Incident): boolean {
    const known = this.#silenced.get(incident.id) ?? this.#context.isSilenced(this.#channel, incident)
    this.#silenced.set(incident.id, known)
    return known
  }

  #isAdoptedHere(incident: Incident): boolean {
    const line = this.#findLine(incident)
    return line !== undefined && isAdopted(line, incident)
  }

  #findLine({ id }: Incident): Line | undefined {
    return this.#context.drafts.findLine(this.#channel.channelId, id)
  }

  #findCard({ cardId }: Line): IncidentMessage | undefined {
    return cardId === undefined ? undefined : this.#context.drafts.findMessage(cardId)
  }

  #setLine(incident: Incident, changed: Partial<Line>): void {
    const line = this.#findLine(incident) ?? newLine(incident, this.#channel.channelId)
    this.#context.drafts.setLine({ ...line, ...changed })
  }
}

/** Whether its last sending may or may not have arrived. It is looked up before anything newer is posted. */
const mayHaveArrived = ({ attempted, shownVersion }: IncidentMessage): boolean =>
  attempted !== undefined && shownVersion === 0
