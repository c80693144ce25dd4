import { card, commandButton, isDirect, type Message, MOST_CONTROLS } from '@signalman/slack'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { filterWords } from '../rules/filter-fields.ts'
import type { DigestTerms, Watch, WatchPlace, WatchTerms } from '../rules/watch.ts'
import { placeValues, termWords, valuesOf, watchLine } from '../rules/watch-fields.ts'
import { saidOf, watchCount } from './words.ts'

type KeptWatch = Pick<Watch, 'id' | 'environment'> & WatchTerms

const LEADS = {
  new: 'From now on, WHO told when these go down and come up',
  already: 'WHO told of these already',
  again: 'Its watches were paused. From now on, WHO told of these again',
  changed: 'Saved. The watch is now about these',
} as const

export interface WatchOutcome {
  watch: EndedWatch
  what: keyof typeof LEADS
  /** The channel's daily summary, where that was set or ended with it. */
  digest?: DigestTerms | 'off' | undefined
  /** The filter is as it is meant, or mistyped. */
  fitsNothing?: boolean
  /** Where it is read. */
  here: Here
}

/** The channel, and the thread in it, where it is read. */
type Here = readonly [channelId: string | undefined, thread: string | undefined]

/** The filter may be mistyped; `later` says what happens to a check that matches later. */
export const nothingMatches = (later: string): string =>
  `No health check matches this now. Check the spelling. One that matches later is ${later}.`

/** What a watch will tell, right after it was made or changed. */
export function watchedView({ watch, what, digest, fitsNothing = false, here }: WatchOutcome): Message {
  const { channelId } = watch
  const [lead, told] = LEADS[what].split('WHO')
  const about = `: ${filterWords(watch.filter)}${badgeOf(watch.environment)}.`
  const sentence =
    told === undefined
      ? `${lead}${about}`
      : isDirect(channelId)
        ? `${lead}you alone are${told}${about}`
        : saidOf([`${lead}`, channelId, ` is${told}${about}`], here)
  const at = `${quoted(watch.id)} --env ${watch.environment}`
  return card({
    answer: typeof sentence === 'string' ? `${sentence[0]?.toUpperCase()}${sentence.slice(1)}` : sentence,
    notes: fitsNothing ? [nothingMatches('reported')] : [],
    small: [
      ...termWords(watch),
      ...(what === 'new' ? ['What is down already is not told: the watch begins now.'] : []),
      ...(digest ? [digestWords(digest)] : []),
    ],
    controls: [
      commandButton('Change or preview', `/hc watch-edit ${at}`),
      commandButton('Send a test', `/hc watch-test ${at}`),
    ],
    more: [commandButton('Stop watching', `/hc unwatch ${at}`), commandButton('All watches', '/hc watches')],
  })
}

const digestWords = (digest: DigestTerms | 'off'): string =>
  digest === 'off'
    ? 'No daily summary comes any more.'
    : `A daily summary comes at ${digest.hour}:00, ${digest.timeZone}; not on days without outages.`

export type EndedWatch = KeptWatch & Pick<Watch, 'channelId'>

/** Each ended watch can be made again as it was. */
export function unwatchedView(
  ended: readonly EndedWatch[],
  digests: readonly (DigestTerms & WatchPlace)[],
  here: Here,
): Message {
  // A line ends the summary of the channel where it is typed.
  const own = digests.filter((digest) => digest.channelId === here[0])
  const [only] = ended
  const what = ended.length === 1 && only ? `: ${filterWords(only.filter)}` : ''
  return card({
    answer: saidOf([`Ended ${watchCount(ended.length)} of `, only?.channelId ?? '', `${what}.`], here),
    notes: [
      'Cards about what is not watched here any more say so, and are kept up to date no longer.',
      ...digests.map(
        (digest) =>
          `Its daily summary goes on${badgeOf(digest.environment)}: at ${digest.hour}:00, ${digest.timeZone}.`,
      ),
    ],
    controls: [
      ...own.map(({ environment }) =>
        commandButton(
          `End the daily summary${badgeOf(environment)}`,
          `/hc unwatch --digest --env ${environment}`,
        ),
      ),
      ...ended
        .slice(0, MOST_CONTROLS - 1 - own.length)
        .map((watch) =>
          commandButton(
            ended.length === 1 ? 'Watch again' : `Watch ${filterWords(watch.filter)} again`,
            watchLine({ ...valuesOf(watch), ...placeValues(watch) }),
          ),
        ),
      commandButton('Watches', '/hc watches'),
    ],
  })
}

export const summaryEndedView = (environment: Environment, was: DigestTerms | undefined): Message =>
  card({
    answer: was
      ? `The daily summary of this channel has ended${badgeOf(environment)}.`
      : `This channel has no daily summary${badgeOf(environment)}.`,
    controls: [commandButton('Watches', '/hc watches')],
  })

export const testSentView = (): Message => card({ answer: 'The test was sent.' })

export function resumedView(count: number): Message {
  return card({
    answer:
      count === 0
        ? 'No watch of that channel is paused. Nothing was changed.'
        : `${watchCount(count)} ${count === 1 ? 'tells' : 'tell'} in that channel again. What is down there now is told on one card.`,
  })
}

/** As an outage looks, without buttons: there is nothing to be done about it. */
export const testView = (now: Date): Message =>
  card({
    answer: ['🔴 Test: this is how an outage looks here', ' · since ', now],
    notes: ['HTTPS www.example.com'],
    facts: [['Customer', 1]],
    small: ['Nothing is down: somebody has tried out what would be told here.'],
  })
