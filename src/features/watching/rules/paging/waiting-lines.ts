import { countBadPolls, QUIET_MS } from '../../../../domain/outages/observe.ts'
import type { DecisionContext } from '../drafts.ts'
import { AFRESH_MS, type ChannelState } from '../environment-state.ts'
import { type Incident, isBlindness, type Line } from '../incident.ts'
import type { Watch } from '../watch.ts'
import type { Moment } from '../watch-clock.ts'

/** A line that needs someone: it is shown, nobody is on it, and it isn't silenced. */
export interface WaitingLine {
  readonly line: Line
  readonly incident: Incident
  readonly channel: ChannelState
  readonly since: Moment
  readonly watches: readonly Watch[]
}

/** Lists the lines that need someone, and starts their escalation. */
export function listWaiting(context: DecisionContext): WaitingLine[] {
  const { state, drafts } = context
  const channels = new Map(state.channels.map((channel) => [channel.channelId, channel]))
  return drafts.listAllLines().flatMap((line) => {
    const incident = drafts.findIncident(line.incidentId)
    const channel = channels.get(line.channelId)
    if (!incident || !channel || !isShown(context, line) || !needsSomeone(context, channel, incident))
      return []
    const shown = escalate(context, line, incident)
    if (shown.escalatesSince !== line.escalatesSince) drafts.setLine(shown)
    const badPolls = countBadPolls(incident, state.poll)
    const watches = context
      .findWatches(channel, incident)
      .flatMap(({ watch }) => (badPolls >= watch.afterBadPolls ? [watch] : []))
    return [{ line: shown, incident, channel, since: shown.escalatesSince, watches }]
  })
}

/** Whether the channel has seen it. */
function isShown({ drafts }: DecisionContext, { cardId, cardVersion, escalatesSince }: Line): boolean {
  const card = cardId === undefined ? undefined : drafts.findMessage(cardId)
  if (!card) return false
  return escalatesSince !== undefined || (cardVersion !== undefined && card.shownVersion >= cardVersion)
}

const needsSomeone = (context: DecisionContext, channel: ChannelState, incident: Incident): boolean =>
  !context.unseen &&
  !isBlindness(incident) &&
  !incident.closed &&
  !incident.onIt &&
  !channel.isPaused &&
  !context.isSilenced(channel, incident)

/** Starts escalation, or starts it again for a later fall that lasts. */
function escalate(
  { now, wakeIn }: DecisionContext,
  line: Line,
  { isDown, fell, paged }: Incident,
): Line & { readonly escalatesSince: Moment } {
  const { escalatesSince = now } = line
  if (isDown && fell.clockMs > escalatesSince.clockMs) {
    const restartsInMs = Math.max(
      QUIET_MS - (now.clockMs - fell.clockMs),
      AFRESH_MS - (now.clockMs - escalatesSince.clockMs),
    )
    // Who was paged an hour ago was paged about another fall.
    if (restartsInMs <= 0) return { ...line, escalatesSince: now, pagedBefore: paged }
    wakeIn(restartsInMs)
  }
  return { ...line, escalatesSince }
}

/** Since when nobody has been on the first of several lines, as a page stores it. */
export const findLongestWait = (waiting: readonly WaitingLine[]): string =>
  new Date(Math.min(...waiting.map(({ since }) => since.at.getTime()))).toISOString()
