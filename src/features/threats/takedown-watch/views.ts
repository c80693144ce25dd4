import { durationWords } from '@signalman/runtime'
import { actions, commandButton, literal, type Message, message, section } from '@signalman/slack'
import { defang } from '../defang.ts'
import type { TakedownWatch } from '../rows/takedown-watches.ts'
import { CLOSED_WATCHED_DAYS, type TakedownNews } from './rules.ts'

/** What was started, what exists at the service, and where the end will be told. */
export function startedView(
  watch: TakedownWatch,
  { isOld, isTold }: { isOld: boolean; isTold: boolean },
): Message {
  const check = `the health check ${defang(watch.checkName)} on ${defang(watch.target)}`
  return said(watch, [
    `Watched until it is down: ${check} ${isOld ? 'was there already and is used again' : 'was made'}, without a look at certificates.`,
    ...RULES,
    isTold
      ? 'The thread of its card tells of it.'
      : 'Its card stands in no channel: you are told in your direct messages. Share the card, and its thread tells of it.',
  ])
}

export const watchedView = (watch: TakedownWatch, now: Date): Message =>
  said(watch, [`${watchedWords(watch, now)}. Nothing was changed.`])

/** What was ended, and what is left. */
export function stoppedView(watch: Pick<TakedownWatch, 'checkName' | 'checkUuid' | 'eventId'>): Message {
  const lines = [
    'No longer watched whether it is down. The case stays as it is.',
    `The health check ${defang(watch.checkName)} is still there at the service, and goes on looking.`,
  ]
  return message(
    lines.map(literal).join('\n'),
    section(lines.join('\n')),
    actions(
      commandButton('Delete the check', `/hc delete ${watch.checkUuid}`),
      commandButton('Watch again', `/threat watch ${watch.eventId}`, { inPlace: true }),
    ),
  )
}

/** For the person who started the watch, when its case has no thread. */
export const directView = (watch: TakedownWatch, says: string): Message =>
  message(
    literal(`${says}: ${defang(watch.target)}`),
    section(`${says}: ${defang(watch.target)}`),
    actions(commandButton('Case', `/threat case ${watch.eventId}`)),
  )

function said({ eventId, checkUuid }: TakedownWatch, lines: readonly string[]): Message {
  return message(
    lines.map(literal).join('\n'),
    section(lines.join('\n')),
    actions(
      commandButton('Stop watching', `/threat unwatch ${eventId}`, { inPlace: true }),
      commandButton('Show the check', `/hc show ${checkUuid}`),
    ),
  )
}

const BLIND = {
  unreachable: 'the service cannot be reached',
  unauthorized: 'the service no longer takes the token: an admin stores another with /hc connect',
  'not-connected': 'no token is stored: an admin stores one with /hc connect',
} as const

/** What a watch tells its case's thread. Here, "down" is the good news. */
export function newsWords(news: TakedownNews, { madeAt, checkName }: TakedownWatch): string {
  switch (news.kind) {
    case 'down':
      return news.wasUp
        ? `Taken down after ${durationWords(news.at.getTime() - madeAt.getTime())} of watching`
        : 'Down already when its health check first looked: it was never seen up by it'
    case 'back':
      return `Back again, after ${durationWords(news.downMs)}`
    case 'blind':
      return `Whether it is down cannot be seen: ${BLIND[news.why]}`
    case 'sees-again':
      return 'Whether it is down can be seen again'
    case 'check-deleted':
      return `The health check ${defang(checkName)} was deleted at the service: nobody watches any more whether this is down`
    case 'ended':
      return `Nobody watches any more whether this comes back: its case is closed for ${CLOSED_WATCHED_DAYS} days. The health check ${defang(checkName)} is still there at the service`
  }
}

/** What the watch will do, for the person who starts it. */
const RULES: readonly string[] = [
  'When two looks in a row find it down, the case becomes Down; when it comes back, the case is opened again.',
  `The watch ends when the case is closed for ${CLOSED_WATCHED_DAYS} days, and says so.`,
]

/** One watch among those that may be stopped to make room. */
export const roomWords = ({ checkName, madeAt }: TakedownWatch, now: Date): string =>
  `${defang(checkName)}, watched for ${durationWords(now.getTime() - madeAt.getTime())}`

/** Never names a person: the view adds the name, so that an erasure finds every one. */
export const startedWords = ({ checkName }: TakedownWatch): string =>
  `Watched until it is down, by the health check ${defang(checkName)}; begun`

export const STOPPED_WORDS = 'No longer watched whether it is down; ended'

/** The present state of the watch, for a person who looks at the case. */
export function watchedWords({ madeAt, state, checkUuid }: TakedownWatch, now: Date): string {
  const since = durationWords(now.getTime() - madeAt.getTime())
  const isBegun = checkUuid !== ''
  if (!isBegun) return 'Somebody is just beginning to watch this'
  const ago = (at: Date): string => durationWords(now.getTime() - at.getTime())
  if (state.isBlind) return `Watched for ${since}; just now nothing can be seen`
  if (state.downAt) return `Watched for ${since}: down for ${ago(state.downAt)}, and told if it comes back`
  return state.upAt ? `Watched for ${since}: still up` : `Watched for ${since}: not seen up yet`
}
