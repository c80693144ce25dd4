import { card, commandButton, lineElements, type Message } from '@signalman/slack'
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
  /** The health checks it matches now; undefined if unknown. */
  matching?: MatchingChecks | undefined
  /** The groups to page that have nobody to notify now, with the reasons. */
  unreachable: readonly string[]
  /** What silences some of it in its channel now. */
  silences: readonly Silence[]
  now: Date
  here: string | undefined
}

export function watchedView({ watch, matching, unreachable, silences, now, here }: WatchOutcome): Message {
  const watchArguments = `${quoted(watch.id)} --env ${watch.environment}`
  const settings = describeSettings(watch).join(' · ')
  return card({
    headline: joinParts(
      describeChannel(watch.channelId, here, 'This'),
      ` now watches ${describeFilter(watch.filter)}${environmentSuffix(watch.environment)}.`,
    ),
    notes: [
      ...describeMatching(matching),
      ...(watch.filter.exclude.length > 0
        ? ['Other watches of the channel may still post what this one leaves out.']
        : []),
      ...(silences.length > 0 ? [`In ${watch.channelId === here ? 'this' : 'that'} channel now:`] : []),
      ...formatSilences(silences, now),
      ...(unreachable.length > 0
        ? [
            `Can’t be paged now: ${unreachable.join(', ')}. A page that would reach nobody goes to the owner of the watch.`,
          ]
        : []),
    ],
    smallPrint: settings === '' ? [] : [capitalize(settings)],
    controls: [commandButton('Change', `/hc watch-edit ${watchArguments}`)],
    moreControls: [
      commandButton('Stop watching', `/hc unwatch --id ${watchArguments}`),
      commandButton('All watches', '/hc watches'),
    ],
  })
}

/** What everyone in the channel reads about a watch that somebody changed. */
export function saidWatch(watch: WatchSummary, change: 'new' | 'changed' | 'ended', name: string): Said {
  const what = `${describeFilter(watch.filter)}${environmentSuffix(watch.environment)}`
  const verb = { new: 'started watching', changed: 'changed the watch of', ended: 'ended the watch of' }[
    change
  ]
  const settings = change === 'ended' ? [] : describeSettings(watch)
  const again = formatWatchLine({ ...toWatchValues(watch), ...toChannelValues(watch) })
  return {
    line: lineElements(`${name} ${verb} ${[what, ...settings].join(' · ')}.`),
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
      describeChannel(channelId, here),
      `: ${nameWatches(ended)}${environmentSuffix(environment)}.`,
    ),
    notes:
      silences.length === 0
        ? []
        : [
            `Not ended, and without effect until ${channelId === here ? 'this' : 'that'} channel watches again:`,
            ...formatSilences(silences, now),
            ...(channels.length > 0
              ? [[listChannels(channels), ` ${channels.length === 1 ? 'doesn’t' : 'don’t'} have that.`]]
              : []),
          ],
    // The channel reads how to begin each again.
    controls: [commandButton('Watches', '/hc watches')],
  })
}

/** Also true if an earlier try, or somebody else, has resumed them. */
export const resumedView = (channelId: string, here: string | undefined): Message =>
  card({
    headline: joinParts(
      'The watches of ',
      describeChannel(channelId, here),
      ' aren’t paused. Signalman posts what was missed there.',
    ),
  })
