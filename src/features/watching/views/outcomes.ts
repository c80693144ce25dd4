import { card, commandButton, lineElements, MAX_CONTROLS, type Message } from '@signalman/slack'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { capitalize } from '../../../domain/wording.ts'
import { describeFilter, nameWatches } from '../rules/filter-fields.ts'
import type { Said } from '../rules/said.ts'
import type { Silence } from '../rules/silence.ts'
import type { MatchingChecks, Watch, WatchSettings } from '../rules/watch.ts'
import { describeSettings, formatWatchLine, toChannelValues, toWatchValues } from '../rules/watch-fields.ts'
import { formatSilences } from './silences.ts'
import { countWatches, describeChannel, describeMatching, joinParts, listChannels } from './words.ts'

export type WatchSummary = Pick<Watch, 'id' | 'environment' | 'channelId'> & WatchSettings

interface WatchOutcome {
  watch: WatchSummary
  /** The channel has had it before, and it wasn't changed. `editLine` opens its window with the settings that were typed. */
  typed?: { readonly editLine: string } | undefined
  /** The health checks it matches now; undefined if unknown, or if nothing was changed. */
  matching?: MatchingChecks | undefined
  /** The other watches of the channel that may post some of the same, or of what this one leaves out. */
  others?: readonly WatchSummary[]
  /** The groups to page that have nobody to notify now, with the reasons. */
  unreachable: readonly string[]
  /** What silences some of it in its channel now. */
  silences: readonly Silence[]
  now: Date
  here: string | undefined
}

export function watchedView(outcome: WatchOutcome): Message {
  const { watch, typed, matching, others = [], unreachable, silences, now, here } = outcome
  const watchText = `${describeFilter(watch.filter)}${environmentSuffix(watch.environment)}.`
  const [other] = others
  const watchArguments = `${quoted(watch.id)} --env ${watch.environment}`
  return card({
    headline: joinParts(
      ...describeChannel(watch.channelId, here, 'This'),
      ` ${typed ? 'already' : 'now'} watches ${watchText}`,
    ),
    notes: [
      ...(typed ? ['The watch wasn’t changed. To set what you typed, press Change.'] : []),
      ...describeMatching(matching),
      ...(other ? [`${describeOthers(others)} What several match is on one card.`] : []),
      ...(silences.length > 0 ? [`In ${watch.channelId === here ? 'this' : 'that'} channel now:`] : []),
      ...formatSilences(silences, now),
      ...(!typed && unreachable.length > 0
        ? [
            `Can’t be paged now: ${unreachable.join(', ')}. A page that would reach nobody goes to the owner of the watch.`,
          ]
        : []),
    ],
    smallPrint: formatSettings(watch, typed ? 'still set: ' : ''),
    controls: [
      commandButton('Change', typed?.editLine ?? `/hc watch-edit ${watchArguments}`),
      ...(other && others.length === 1
        ? [commandButton('Change the other', `/hc watch-edit ${quoted(other.id)} --env ${other.environment}`)]
        : []),
    ],
    moreControls: [
      commandButton('Stop watching', `/hc unwatch --id ${watchArguments}`),
      commandButton('All watches', '/hc watches'),
    ],
  })
}

function formatSettings(watch: WatchSummary, before: string): string[] {
  const settings = describeSettings(watch).join(' · ')
  return settings === '' ? [] : [capitalize(`${before}${settings}`)]
}

const describeOthers = (others: readonly WatchSummary[]): string =>
  others.length === 1
    ? `Another watch of the channel still posts ${nameWatches(others)}.`
    : `Other watches of the channel still post ${nameWatches(others)}.`

/** What everyone in the channel reads about a watch that somebody changed, beside `others`. */
export function saidWatch(
  watch: WatchSummary,
  change: 'new' | 'changed' | 'ended',
  name: string,
  others: readonly WatchSummary[] = [],
): Said {
  const what = `${describeFilter(watch.filter)}${environmentSuffix(watch.environment)}`
  const verb = { new: 'started watching', changed: 'changed the watch of', ended: 'ended the watch of' }[
    change
  ]
  const settings = change === 'ended' ? [] : describeSettings(watch)
  const again = formatWatchLine({ ...toWatchValues(watch), ...toChannelValues(watch) })
  const beside = others.length > 0 ? ` ${describeOthers(others)}` : ''
  return {
    line: lineElements(`${name} ${verb} ${[what, ...settings].join(' · ')}.${beside}`),
    button:
      change === 'ended' ? { label: 'Watch again', line: again } : { label: 'Watches', line: '/hc watches' },
  }
}

/** Mutes and maintenance of a channel that watches nothing anymore, and the channels that still watch something. */
interface LeftBehind {
  readonly silences: readonly Silence[]
  readonly channels: readonly string[]
}

export function unwatchedView(
  ended: readonly [WatchSummary, ...WatchSummary[]],
  { silences, channels }: LeftBehind,
  { here, now }: { here: string | undefined; now: Date },
): Message {
  const [{ channelId, environment }] = ended
  return card({
    headline: joinParts(
      `Ended ${countWatches(ended.length)} of `,
      ...describeChannel(channelId, here),
      `: ${nameWatches(ended)}${environmentSuffix(environment)}.`,
    ),
    notes:
      silences.length === 0
        ? []
        : [
            `Not ended, and without effect until ${channelId === here ? 'this' : 'that'} channel watches again:`,
            ...formatSilences(silences, now),
            ...(channels.length > 0
              ? [[...listChannels(channels), ` ${channels.length === 1 ? 'doesn’t' : 'don’t'} have that.`]]
              : []),
          ],
    controls: [
      ...ended
        .slice(0, MAX_CONTROLS - 1)
        .map((watch) =>
          commandButton(
            ended.length === 1 ? 'Watch again' : `Watch ${describeFilter(watch.filter)} again`,
            formatWatchLine({ ...toWatchValues(watch), ...toChannelValues(watch) }),
          ),
        ),
      commandButton('Watches', '/hc watches'),
    ],
  })
}

/** Also true if an earlier try, or somebody else, has resumed them. */
export const resumedView = (channelId: string, here: string | undefined): Message =>
  card({
    headline: joinParts(
      'The watches of ',
      ...describeChannel(channelId, here),
      ' aren’t paused. Signalman posts what was missed there.',
    ),
  })
