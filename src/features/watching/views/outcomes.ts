import { card, commandButton, isDirect, type Line, MAX_CONTROLS, type Message } from '@signalman/slack'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { pluralize } from '../../../domain/wording.ts'
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
  /** True if it only reports the recovery of what is down. */
  isRecovery?: boolean | undefined
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
    adopted = [],
    isRecovery = false,
    here,
  } = outcome
  const { channelId } = watch
  const prefix = change === 'changed' ? 'Saved. ' : ''
  const againText = change === 'again' ? ' again' : ''
  const watchText = `${describeFilter(watch.filter)}${environmentSuffix(watch.environment)}${againText}.`
  const verb = VERBS[change]
  const recoveryText = `I’ll send you a DM when ${adopted.length === 1 ? 'it’s' : 'they’re'} up again: ${listNames(adopted)}${environmentSuffix(watch.environment)}.`
  const watchHeadline = isDirect(channelId)
    ? `${prefix}You ${verb.replace('watches', 'watch')} in your direct messages: ${watchText}`
    : joinParts(prefix, ...describeChannel(channelId, here, 'This'), ` ${verb} ${watchText}`)
  const watchArguments = `${quoted(watch.id)} --env ${watch.environment}`
  return card({
    headline: isRecovery ? recoveryText : watchHeadline,
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
      ...(adopted.length > 0 && !isRecovery
        ? [commandButton('Post these now', `/hc watch-post ${watchArguments}`)]
        : []),
      commandButton('Change or preview', `/hc watch-edit ${watchArguments}`),
      commandButton('Send a test', `/hc watch-test ${watchArguments}`),
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
  isRecovery = false,
  here,
}: WatchOutcome): Line[] => [
  ...(isRecovery
    ? [`The watch ends when ${adopted.length === 1 ? 'it has' : 'they have'} been up for ten minutes.`]
    : []),
  ...(adopted.length > 0 && !isRecovery
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

/** `later`: what waits because Signalman can't post in the channel, or can't see the health checks. */
export interface PostedAdopted {
  readonly posted: number
  readonly silenced: number
  readonly later: number
}

/** The answer to **Post these now**. */
export function adoptedPostedView({ posted, silenced, later }: PostedAdopted): Message {
  const nothing =
    silenced + later > 0 ? 'Nothing is posted now.' : 'Nothing that this watch matches is down and unposted.'
  const wasOrWere = (count: number): string => (count === 1 ? 'was' : 'were')
  return card({
    headline:
      posted === 0
        ? nothing
        : `Posting ${pluralize(posted, 'health check')} that ${wasOrWere(posted)} down at the last poll.`,
    notes: [
      ...(silenced > 0
        ? [
            `${pluralize(silenced, 'health check')} that ${wasOrWere(silenced)} down at the last poll ${silenced === 1 ? 'is' : 'are'} silenced. Signalman posts what is still down when the silence ends.`,
          ]
        : []),
      ...(later > 0
        ? [
            `${pluralize(later, 'health check')} that ${wasOrWere(later)} down at the last poll can’t be posted yet. Signalman posts what is still down once it can see the health checks and post in the channel.`,
          ]
        : []),
    ],
  })
}

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

export const testSentView = (): Message => card({ headline: 'The test was sent.' })

export function resumedView(count: number): Message {
  return card({
    headline:
      count === 0
        ? 'No watches in that channel are paused.'
        : `Resumed ${countWatches(count)} in that channel. Signalman posts what was missed there.`,
  })
}

/** A test message that looks like an outage, without buttons. */
export const testView = (now: Date): Message =>
  card({
    headline: ['🔴 Test: this is how an outage looks here', ' · since ', now],
    notes: ['HTTPS www.example.com'],
    facts: [['Customer', 1]],
    smallPrint: ['This isn’t an outage. Someone sent it as a test.'],
  })
