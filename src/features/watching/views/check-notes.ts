import { commandButton, type Fact, joinLines, type Line } from '@signalman/slack'
import type { CheckNotes } from '../../../bot/ports.ts'
import { describeOnIt } from '../../../bot/views/down.ts'
import type { Incident } from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { getFall } from '../../../domain/outages/spell.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { Silence } from '../rules/silence.ts'
import type { Watch } from '../rules/watch.ts'
import { messageLink, type OpenCard, personButtons } from './on-it-buttons.ts'
import { formatSilence } from './silences.ts'
import { listChannels } from './words.ts'

const MAX_SILENCES = 5

interface WatchedCheck {
  readonly check: CheckFacts
  readonly watches: readonly Watch[]
  /** Those that cover it here. */
  readonly silences: readonly Silence[]
  readonly runbooks: readonly string[]
  /** Its latest one. */
  readonly incident: Incident | undefined
  /** The same while it isn't over and the check isn't up. */
  readonly open: Incident | undefined
  /** While it's down, the card of this channel that lists it. */
  readonly card: OpenCard | undefined
  readonly userId: string
  /** Since when its checks are seen without a gap. Undefined if they can't be seen now. */
  readonly seenSince: Date | undefined
  readonly channelId: string | undefined
  readonly now: Date
}

export function checkNotes({
  check,
  watches,
  silences,
  incident,
  open,
  card,
  runbooks,
  seenSince,
  channelId,
  userId,
  now,
}: WatchedCheck): CheckNotes {
  const channels = [...new Set(watches.map((watch) => watch.channelId))]
  const isHere = channelId !== undefined && channels.includes(channelId)
  const id = quoted(check.uuid)
  const [silence, another] = silences
  return {
    since: seenSince && getStatusSince(incident, seenSince),
    entries: [
      ['Outage', open && describeOutage(open, channels.length > 0, card)],
      ['Watched in', channels.length > 0 ? listChannels(channels) : undefined],
      ...silences.slice(0, MAX_SILENCES).map((one): Fact => ['In this channel', formatSilence(one, now)]),
      ['Runbook', listLinks(runbooks)],
    ],
    buttons: [
      ...personButtons(card, userId),
      ...(incident ? [commandButton('History', `/hc history ${id}`)] : []),
      ...(channelId && !isHere ? [commandButton('Watch here', `/hc watch ${id}`)] : []),
      ...(isHere && !silence ? [commandButton('Mute', `/hc mute ${id}`)] : []),
      ...(silence && !another ? [commandButton('Unmute', `/hc unmute ${id}`)] : []),
      ...(another ? [commandButton('Watches and mutes', '/hc watches')] : []),
    ],
  }
}

/** Who is on it, or how to be, and the message about it. */
function describeOutage(
  { isDown, onIt }: Incident,
  isWatched: boolean,
  card: OpenCard | undefined,
): Line | undefined {
  if (!onIt && !(isDown && isWatched)) return undefined
  const how = onIt || card ? '' : '. Where it’s watched, press “I’m on it”'
  return [...describeOnIt(onIt), how, messageLink(card)]
}

const listLinks = (urls: readonly string[]): Line | undefined =>
  urls.length > 0
    ? joinLines(
        urls.map((url): Line => [{ type: 'link', url }]),
        ' · ',
      )
    : undefined

/** When the check got its current status, as far as Signalman saw it. */
function getStatusSince(incident: Incident | undefined, seenSince: Date): CheckNotes['since'] {
  if (!incident || (incident.ending && incident.ending !== 'recovered')) return undefined
  if (incident.isDown) return { status: 'UNHEALTHY', ...getFall(incident) }
  const last = incident.downs.at(-1)
  if (!last?.to) return undefined
  // It may have been down in a gap since.
  if (seenSince > last.to) return { status: 'HEALTHY', at: seenSince, isAtLeast: true }
  return { status: 'HEALTHY', at: last.to, isAtLeast: last.seenTo !== undefined }
}
