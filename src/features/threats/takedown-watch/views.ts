import { durationWords } from '@signalman/runtime'
import { actions, commandButton, literal, type Message, message, section } from '@signalman/slack'
import type { Button } from '@slack/types'
import type { LookFailure } from '../../../domain/outages/outage.ts'
import { lookOffers, UNREACHABLE } from '../cases/views/words.ts'
import { defang } from '../defang.ts'
import type { TakedownWatch } from '../rows/takedown-watches.ts'
import { CLOSED_WATCHED_DAYS, type TakedownNews } from './rules.ts'

/** What was started, what exists at the service, and where the end will be told. */
export const startedView = (
  watch: TakedownWatch,
  { isOld, isTold }: { isOld: boolean; isTold: boolean },
): Message =>
  runningView(watch, [
    'Watching until it is down.',
    `The health check ${defang(watch.checkName)} ${isOld ? 'was there already' : 'was made'} and looks at ${defang(watch.target)}; certificates are not checked.`,
    'The case is closed once the page was seen up and then down twice in a row, and opened again if it comes back. If it is never seen up from here, you are asked to look yourself.',
    `The watch ends ${CLOSED_WATCHED_DAYS} days after the case is closed.`,
    isTold
      ? 'News goes into the thread of its card.'
      : 'No channel has its card, so news goes into your direct messages. Share the card, and its thread is told.',
  ])

export const watchedView = (watch: TakedownWatch, now: Date): Message =>
  runningView(watch, [`${watchedWords(watch, now)}. Nothing was changed.`])

/** What was ended, and what is left: of a watch that was only begun, no check is known. */
export const stoppedView = ({
  checkName,
  checkUuid,
  eventId,
}: Pick<TakedownWatch, 'checkName' | 'checkUuid' | 'eventId'>): Message =>
  linesView(
    [
      'Stopped watching. The case stays as it is.',
      ...(checkUuid
        ? [`The health check ${defang(checkName)} is still at the service and goes on looking.`]
        : []),
    ],
    ...(checkUuid ? [commandButton('Delete the check', `/hc delete ${checkUuid}`)] : []),
    commandButton('Watch again', `/threat watch ${eventId}`, { inPlace: true }),
  )

/** For the person who started the watch, when its case has no thread. */
export const directView = ({ target, eventId }: TakedownWatch, says: string, asksToLook = false): Message =>
  linesView(
    [`${defang(target)} · ${says}`],
    ...(asksToLook ? lookOffers(eventId) : []).map(({ label, line }) => commandButton(label, line)),
    commandButton('Case', `/threat case ${eventId}`),
  )

const runningView = ({ eventId, checkUuid }: TakedownWatch, lines: readonly string[]): Message =>
  linesView(
    lines,
    ...(checkUuid ? [commandButton('Show the check', `/hc show ${checkUuid}`)] : []),
    commandButton('Stop watching', `/threat unwatch ${eventId}`, { inPlace: true }),
  )

const linesView = (lines: readonly string[], ...buttons: readonly Button[]): Message =>
  message(lines.map(literal).join('\n'), section(lines.join('\n')), actions(...buttons))

const BLIND: Readonly<Record<LookFailure, (check: string) => string>> = {
  unreachable: () => 'the service does not answer',
  failing: () => 'the service answers that it has a fault of its own',
  refused: () => 'the service refuses to answer: the stored token may lack a right',
  'rate-limited': () => 'the service is asked too often',
  unreadable: () => 'the service answers with something that cannot be read',
  unauthorized: () => 'the service refuses the token. An admin can store another with /hc connect',
  'not-connected': () => 'no token is stored. An admin can store one with /hc connect',
  'not-shown': (check) =>
    `with the token that was stored since, the service shows no health check ${check}. It was deleted, or it is in another account; then this watch can be stopped`,
}

/** What a watch tells its case's thread. Here, "down" is the good news. */
export function newsWords(news: TakedownNews, { madeAt, checkName }: TakedownWatch): string {
  switch (news.kind) {
    case 'down':
      return `Taken down after ${durationWords(news.at.getTime() - madeAt.getTime())} of watching`
    case 'unreachable':
      return UNREACHABLE
    case 'up':
      return 'It is up: it can be reached from here now'
    case 'back':
      return `Back again, after ${durationWords(news.downMs)} down`
    case 'blind':
      return `The watch sees nothing: ${BLIND[news.why](defang(checkName))}`
    case 'sees-again':
      return 'The watch sees again'
    case 'check-deleted':
      return `The watch has ended: somebody deleted its health check ${defang(checkName)} at the service`
    case 'ended':
      return `The watch has ended: the case has been closed for ${CLOSED_WATCHED_DAYS} days. Its health check ${defang(checkName)} is still at the service`
  }
}

/** One watch among those that may be stopped to make room. */
export const roomWords = ({ checkName, madeAt }: TakedownWatch, now: Date): string =>
  `${defang(checkName)}, watched for ${durationWords(now.getTime() - madeAt.getTime())}`

/** Never names a person: the view adds the name, so that an erasure finds every one. */
export const startedWords = ({ checkName }: TakedownWatch): string =>
  `Watched until it is down, with the health check ${defang(checkName)}; started`

export const STOPPED_WORDS = 'No longer watched; stopped'

/** The present state of the watch, for a person who looks at the case. */
export function watchedWords({ madeAt, state, checkUuid }: TakedownWatch, now: Date): string {
  const since = `Watched for ${durationWords(now.getTime() - madeAt.getTime())}`
  if (checkUuid === '') return 'Somebody is just starting to watch this'
  if (state.isBlind) return `${since}; just now the watch sees nothing`
  if (state.downAt)
    return `${since}: down for ${durationWords(now.getTime() - state.downAt.getTime())}; you are told if it comes back`
  if (state.unreachableAt) return `${since}: never reachable from here`
  return state.upAt ? `${since}: still up` : `${since}: not seen up yet`
}
