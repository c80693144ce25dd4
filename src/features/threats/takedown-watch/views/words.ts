import { durationWords } from '@signalman/runtime'
import { defang } from '../../defang.ts'
import type { TakedownWatch } from '../../rows/takedown-watches.ts'
import { CLOSED_WATCHED_DAYS, type TakedownNews } from '../rules.ts'

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
export const RULES: readonly string[] = [
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
