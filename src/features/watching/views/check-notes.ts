import { commandButton, type Fact, joinLines, type Line, textElement } from '@signalman/slack'
import type { RichTextElement } from '@slack/types'
import type { CheckNotes } from '../../../bot/ports.ts'
import { statusEmoji } from '../../../bot/views/check-facts.ts'
import type { CheckFacts, Outage } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { pluralize } from '../../../domain/wording.ts'
import type { Silence } from '../rules/silence.ts'
import type { Watch } from '../rules/watch.ts'
import { describeSilence, formatOnIt } from './card-status.ts'
import { PAUSE_TEXTS } from './watches.ts'

const MAX_CHANNELS = 5
const MAX_CHANGES = 5

/** The watches, silences, and outages of one check. */
interface WatchedCheck {
  check: CheckFacts
  /** Channels that are notified about it. A paused one has the reason. */
  channels: readonly Pick<Watch, 'channelId' | 'paused'>[]
  /** Silences that cover it in the current channel. */
  silences: readonly Silence[]
  runbooks: readonly string[]
  /** Its latest outages, newest first. */
  latest: readonly Outage[]
  /** Since when polls have had no gap. Undefined if the checks can't be seen now. Its status before may have changed since. */
  observedSince: Date | undefined
  /** Whether the person may end a silence. */
  mayEnd: (silence: Silence) => boolean
  /** The current channel, for the **Watch here** button. */
  channelId: string | undefined
}

export function checkNotes({
  check,
  channels,
  silences,
  latest,
  observedSince,
  runbooks,
  channelId,
  mayEnd,
}: WatchedCheck): CheckNotes {
  const isHere = channelId !== undefined && channels.some((channel) => channel.channelId === channelId)
  const id = quoted(check.uuid)
  const mute = silences.find(({ kind }) => kind === 'mute')
  const maintenance = silences.find(({ kind }) => kind === 'maintenance')
  const onIt = latest.find(({ ending }) => ending === undefined)?.onIt
  const changes = latest.flatMap(listChanges).slice(0, MAX_CHANGES)
  return {
    since: observedSince && getStatusSince(latest, observedSince),
    entries: [
      ['On it', onIt && formatOnIt(onIt)],
      ['Watched in', listChannels(channels)],
      ['Muted here', mute && describeSilence(mute, [channelId])],
      ['Maintenance', maintenance && describeSilence(maintenance, [channelId])],
      [
        'Runbook',
        runbooks.length > 0
          ? joinLines(
              runbooks.map((url): Line => [{ type: 'link', url }]),
              ' · ',
            )
          : undefined,
      ],
      ['Recent changes', changes.length > 0 ? joinLines(changes, ', ') : undefined],
    ],
    buttons: [
      ...(latest.length > 0 ? [commandButton('History', `/hc history ${id}`)] : []),
      ...(channelId && !isHere ? [commandButton('Watch here', `/hc watch ${id}`)] : []),
      ...(isHere && !mute ? [commandButton('Mute', `/hc mute ${id}`)] : []),
      ...(mute && mayEnd(mute) ? [commandButton('Unmute', `/hc unmute ${quoted(mute.planId)}`)] : []),
    ],
  }
}

/**
 * When the check got its current status. If it was already down when watching began, or after a gap, it has been down for at
 * least that long.
 */
function getStatusSince(outages: readonly Outage[], observedSince: Date): CheckNotes['since'] {
  const [latest] = outages
  const last = latest?.downs.at(-1)
  if (!latest || !last) return undefined
  // Only the first fall of a baseline outage wasn't seen.
  const isLowerBound = (latest.isBaseline && latest.downs.length === 1) || last.isFromLate === true
  const gaps = last.to ? undefined : latest.gaps
  if ((last.to ?? gaps?.to ?? last.from) < observedSince || last.isToLate) return undefined
  if (!last.to) return { status: 'UNHEALTHY', at: last.from, isLowerBound, gaps }
  if (latest.ending !== undefined && latest.ending !== 'recovered') return undefined
  const downMs = last.to.getTime() - last.from.getTime()
  return { status: 'HEALTHY', at: last.to, ...(!isLowerBound && last.from >= observedSince && { downMs }) }
}

function listChannels(channels: WatchedCheck['channels']): Fact[1] {
  if (channels.length === 0) return undefined
  const shown = channels.slice(0, MAX_CHANNELS).flatMap(({ channelId, paused }, index): RichTextElement[] => [
    ...(index > 0 ? [textElement(', ')] : []),
    { type: 'channel', channel_id: channelId },
    ...(paused ? [textElement(` (⏸️ paused: ${PAUSE_TEXTS[paused.reason].explanation})`)] : []),
  ])
  const remaining = channels.length - MAX_CHANNELS
  return [...shown, ...(remaining > 0 ? [textElement(` and ${pluralize(remaining, 'more channel')}`)] : [])]
}

/** The observed changes of an outage, newest first. */
function listChanges({ downs, ending, isBaseline }: Outage): Line[] {
  const changes = downs.flatMap(({ from, to, isFromLate, isToLate }, index): Line[] => {
    const isLast = index === downs.length - 1
    const endTexts: Partial<Record<NonNullable<Outage['ending']>, string>> = {
      installing: `${statusEmoji('INSTALLING')} began to install again`,
      deleted: `⚪ ${isToLate ? 'noticed deleted' : 'was deleted'}`,
    }
    const endText = (isLast && ending && endTexts[ending]) || `🟢 ${isToLate ? 'noticed up' : 'recovered'}`
    const isSeen = !isBaseline || index > 0
    return [
      ...(isSeen
        ? [[`${statusEmoji('UNHEALTHY')} ${isFromLate ? 'noticed down' : 'went down'} `, from]]
        : []),
      ...(to && ending !== 'unseen' ? [[`${endText} `, to]] : []),
    ]
  })
  return changes.toReversed()
}
