import { card, commandButton, type Line, MAX_CONTROLS, type Message } from '@signalman/slack'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { describeFilter } from '../rules/filter-fields.ts'
import type { Silence } from '../rules/silence.ts'
import type { MatchingChecks, Watch, WatchSettings } from '../rules/watch.ts'
import { describeSettings, formatWatchLine, toChannelValues, toWatchValues } from '../rules/watch-fields.ts'
import {
  type CurrentChannels,
  countWatches,
  describeChannel,
  describeCoverage,
  describeEnd,
  formatChannelSentence,
  joinParts,
  listNames,
} from './words.ts'

type SavedSettings = Pick<Watch, 'id' | 'environment'> & WatchSettings

const VERBS = {
  new: 'now watches',
  already: 'already watches',
  again: 'watches',
  changed: 'now watches',
} as const

export interface WatchOutcome {
  watch: WatchSummary
  change: keyof typeof VERBS
  /** The health checks it matches now; undefined if unknown. */
  matching?: MatchingChecks | undefined
  /** The groups to page that have nobody to notify now, with the reasons. */
  unreachable?: readonly string[] | undefined
  /** Names of the checks that are down and weren't reported here, and of those that were. */
  adopted?: readonly string[] | undefined
  posted?: readonly string[] | undefined
  /** Running silences that may cover some of it. */
  silences?: readonly Silence[] | undefined
  /** The checks can't be seen now. */
  isUnseen?: boolean
  /** The current channel and thread. */
  here: CurrentChannels
}

/** Warns of a possible typo. `later` says what happens to checks that match later, such as `reported`. */
export const formatNoMatchWarning = (later: string): string =>
  `No health check matches this now. If you expected a match, check the spelling. A health check that matches later is ${later}.`

/** Confirms that a watch was created or changed. */
export function watchedView(outcome: WatchOutcome): Message {
  const {
    watch,
    change,
    matching,
    unreachable = [],
    here,
  } = outcome
  const { channelId } = watch
  const prefix = change === 'changed' ? 'Saved. ' : ''
  const againText = change === 'again' ? ' again' : ''
  const watchText = `${describeFilter(watch.filter)}${environmentSuffix(watch.environment)}${againText}.`
  const verb = VERBS[change]
  const watchHeadline = joinParts(prefix, ...describeChannel(channelId, here, 'This'), ` ${verb} ${watchText}`)
  const watchArguments = `${quoted(watch.id)} --env ${watch.environment}`
  return card({
    headline: watchHeadline,
    notes: [
      ...describeState(outcome),
      ...(matching?.count === 0 && isFiltered(watch) ? [formatNoMatchWarning('reported')] : []),
      ...(unreachable.length > 0
        ? [
            `Nobody can be paged in ${unreachable.length === 1 ? 'this group' : 'these groups'} now: ${unreachable.join(', ')}. Until that changes, Signalman pages the owner of the watch instead, or an admin if Slack can’t notify the owner there.`,
          ]
        : []),
    ],
    smallPrint: describeSettings(watch),
    controls: [
      commandButton('Change or preview', `/hc watch-edit ${watchArguments}`),
    ],
    moreControls: [
      commandButton('Stop watching', `/hc unwatch --id ${watchArguments}`),
      commandButton('All watches', '/hc watches'),
    ],
  })
}

/** What is already down, what was posted, and what silences it. */
const describeState = ({
  adopted = [],
  posted = [],
  silences = [],
  isUnseen = false,
  here,
}: WatchOutcome): Line[] => [
  ...(adopted.length > 0
    ? [
        `${isUnseen ? 'Down when last seen' : 'Already down'}, so not posted now: ${listNames(adopted)}. I’ll post when ${adopted.length === 1 ? 'it’s' : 'they’re'} up again.`,
      ]
    : []),
  ...(posted.length > 0 ? [`Already posted here: ${listNames(posted)}.`] : []),
  ...silences
    .slice(0, MAX_SILENCES)
    .map((silence) =>
      joinParts(
        silence.kind === 'mute' ? 'Muted here: ' : 'In maintenance: ',
        ...describeCoverage(silence, here),
        ', ',
        ...describeEnd(silence.to),
        '. Until then, nothing is posted about it, and nobody is paged.',
      ),
    ),
]

const isFiltered = ({ filter: { include, exclude } }: WatchSettings): boolean =>
  include.length + exclude.length > 0

const MAX_SILENCES = 5

export type WatchSummary = SavedSettings & Pick<Watch, 'channelId'>

/** Confirms that watches ended, and offers to create them again. */
export function unwatchedView(
  ended: readonly WatchSummary[],
  here: CurrentChannels,
): Message {
  const [first] = ended
  const filterText = ended.length === 1 && first ? `: ${describeFilter(first.filter)}` : ''
  const environmentText = first ? environmentSuffix(first.environment) : ''
  return card({
    headline: formatChannelSentence(
      [`Ended ${countWatches(ended.length)} of `, first?.channelId ?? '', `${filterText}${environmentText}.`],
      here,
    ),
    notes: [
      'Cards for checks that are no longer watched here are marked as not watched, and aren’t updated anymore.',
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

export function resumedView(count: number): Message {
  return card({
    headline:
      count === 0
        ? 'No watches in that channel are paused.'
        : `Resumed ${countWatches(count)} in that channel. Signalman posts what was missed there.`,
  })
}
