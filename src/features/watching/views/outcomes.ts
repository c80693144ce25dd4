import { card, clip, commandButton, isDirect, type Message, MOST_CONTROLS, oneLine } from '@signalman/slack'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { grouped } from '../../../domain/wording.ts'
import { filterWords } from '../rules/filter-fields.ts'
import type { DigestTerms, Matching, Watch, WatchPlace, WatchTerms } from '../rules/watch.ts'
import { placeValues, termWords, valuesOf, watchLine } from '../rules/watch-fields.ts'
import { placeWords, saidOf, sentence, watchCount } from './words.ts'

type KeptWatch = Pick<Watch, 'id' | 'environment'> & WatchTerms

const VERBS = {
  new: 'now watches',
  already: 'already watches',
  again: 'watches',
  changed: 'now watches',
} as const

export interface WatchOutcome {
  watch: EndedWatch
  what: keyof typeof VERBS
  /** The channel's daily summary, where that was set or ended with it. */
  digest?: DigestTerms | 'off' | undefined
  /** The health checks that it matches now; undefined if that can't be known. */
  matching?: Matching | undefined
  /** Where it is read. */
  here: Here
}

/** The channel, and the thread in it, where it is read. */
type Here = readonly [channelId: string | undefined, thread: string | undefined]

/** The filter may be mistyped; `later` says what happens to a check that matches later. */
export const nothingMatches = (later: string): string =>
  `No health check matches this now. Check the spelling. One that matches later is ${later}.`

/** What a channel watches, right after a watch was made or changed. */
export function watchedView({ watch, what, digest, matching, here }: WatchOutcome): Message {
  const { channelId } = watch
  const lead = what === 'changed' ? 'Saved. ' : ''
  const again = what === 'again' ? ' again' : ''
  const about = `${filterWords(watch.filter)}${badgeOf(watch.environment)}${again}.`
  const verb = VERBS[what]
  const answer = isDirect(channelId)
    ? `${lead}You ${verb.replace('watches', 'watch')} in your direct messages: ${about}`
    : sentence(lead, ...placeWords(channelId, here, 'This'), ` ${verb} ${about}`)
  const at = `${quoted(watch.id)} --env ${watch.environment}`
  return card({
    answer,
    notes: matching?.count === 0 && isFiltered(watch) ? [nothingMatches('reported')] : [],
    small: [
      ...termWords(watch),
      ...(what === 'new' ? alreadyDown(matching) : []),
      ...(digest ? [digestWords(digest)] : []),
    ],
    controls: [
      commandButton('Change or preview', `/hc watch-edit ${at}`),
      commandButton('Send a test', `/hc watch-test ${at}`),
    ],
    more: [commandButton('Stop watching', `/hc unwatch ${at}`), commandButton('All watches', '/hc watches')],
  })
}

const isFiltered = ({ filter: { include, exclude } }: WatchTerms): boolean =>
  include.length + exclude.length > 0

/** What is down when a watch begins isn't news, so whoever makes the watch reads it now. */
function alreadyDown(matching: Matching | undefined): string[] {
  if (!matching) return ['What is already down isn’t reported.']
  const { down, names } = matching
  if (down === 0) return []
  const shown = names.slice(0, down)
  const left = down - shown.length
  const more = left > 0 ? `, and ${grouped(left)} more` : ''
  return [`Already down, so not reported: ${shown.map((name) => clip(oneLine(name), 80)).join(', ')}${more}.`]
}

const digestWords = (digest: DigestTerms | 'off'): string =>
  digest === 'off'
    ? 'The daily summary is off.'
    : `Daily summary at ${digest.hour}:00, ${digest.timeZone}, except on days without outages.`

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
      'Cards about checks that aren’t watched here any more say so, and aren’t updated.',
      ...digests.map(
        (digest) =>
          `The daily summary continues${badgeOf(digest.environment)}: at ${digest.hour}:00, ${digest.timeZone}.`,
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
        : `Resumed ${watchCount(count)} in that channel. One card lists what is down now.`,
  })
}

/** As an outage looks, without buttons: there is nothing to be done about it. */
export const testView = (now: Date): Message =>
  card({
    answer: ['🔴 Test: this is how an outage looks here', ' · since ', now],
    notes: ['HTTPS www.example.com'],
    facts: [['Customer', 1]],
    small: ['Nothing is down. Somebody sent this as a test.'],
  })
