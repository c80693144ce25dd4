import { formatElapsed } from '@signalman/runtime'
import {
  actions,
  commandButton,
  type Line,
  literal,
  type Message,
  message,
  mrkdwnSection,
  section,
} from '@signalman/slack'
import type { Button } from '@slack/types'
import { takedownQuestion } from '../../../domain/takedown-checks.ts'
import { isOpen } from '../rules/case-steps.ts'
import { type AskKind, isReadRecently, isWatched } from '../rules/case-watch.ts'
import { defang, safeDomain, safeLine } from '../rules/defang.ts'
import { readSnapshot } from '../rules/event-snapshot.ts'
import type { CheckTarget, ThreatCase, WatchedCheck } from '../rules/threat-case.ts'
import { describeCaseState, withoutNames } from './case-words.ts'

/** Confirms that watching has started, and says what happens next. */
export const startedView = (
  { name, target, protocol }: WatchedCheck,
  {
    eventId,
    checkUuid,
    isReused,
    isDown,
  }: { eventId: string; checkUuid: string; isReused: boolean; isDown: boolean },
): Message =>
  linesView(
    [
      ...(isDown ? ['The page can’t be reached right now. Is it down? Check from another network.'] : []),
      'Watching until it’s down. When the health check can’t reach it twice in a row, Signalman asks whoever has the case then whether it’s down.',
      `The health check ${defang(name)} ${isReused ? 'already existed' : 'was created'}. It connects to ${defang(target)}${!isReused && protocol === 'HTTPS' ? ' and ignores certificates' : ''}.`,
      'Signalman never closes the case automatically.',
    ],
    ...(isDown ? (takedownQuestion({ name })?.answers ?? []) : []).map(({ label, line }) =>
      commandButton(label, line),
    ),
    commandButton('Show the check', `/hc show ${checkUuid}`),
    commandButton('Stop watching', `/threat unwatch ${eventId}`, { inPlace: true }),
  )

export const stoppedView = (name: string, checkUuid: string, eventId: string): Message =>
  linesView(
    ['Stopped watching. The case hasn’t changed.', describeRemainingCheck(name)],
    commandButton('Delete the check', `/hc delete ${checkUuid}`),
    commandButton('Watch again', `/threat watch ${eventId}`, { inPlace: true }),
  )

/** A question about a case. In a thread, `mentions` is the person to notify. */
export function askView(threatCase: ThreatCase, mentions?: string | undefined): Message {
  const { text, buttons } = writeQuestion(threatCase)
  const mention = mentions ? `<@${mentions}> ` : ''
  return {
    ...message(literal(text), section(text), actions(...buttons)),
    ...(mentions && {
      text: `${mention}${text}`,
      blocks: [mrkdwnSection(`${mention}${text}`), ...actions(...buttons)],
    }),
  }
}

/** Why a posted question no longer counts: it's answered, or the case's question is posted elsewhere. */
export type SettledBy = 'answer' | 'newer-question' | 'question-in-thread' | 'question-to-other'

const SETTLED_TEXTS: Readonly<Record<SettledBy, (threatCase: ThreatCase, site: string) => string>> = {
  answer: (threatCase, site) =>
    `Nothing to answer about ${site} anymore. ${describeCaseState(withoutNames(threatCase))}.`,
  'newer-question': (_, site) => `There’s a newer question about ${site}.`,
  'question-in-thread': (_, site) => `Signalman asks about ${site} in the case’s thread now.`,
  'question-to-other': (_, site) => `Signalman asks someone else about ${site} now.`,
}

/** Replaces a posted question that no longer counts. */
export function settledAskView(threatCase: ThreatCase, settledBy: SettledBy): Message {
  const text = SETTLED_TEXTS[settledBy](threatCase, caseSite(threatCase))
  return linesView([text], commandButton('Case', `/threat case ${threatCase.eventId}`))
}

const caseSite = (threatCase: ThreatCase): string => {
  const { domain } = readSnapshot(threatCase)
  return domain ? safeDomain(domain, 100) : threatCase.eventId
}

function writeQuestion(threatCase: ThreatCase): { text: string; buttons: Button[] } {
  const { eventId, askKind = 'quiet', checkUuid, steps } = threatCase
  const isCaseOpen = isOpen(threatCase)
  const site = caseSite(threatCase)
  const button = (label: string, verb: string) => commandButton(label, `/threat ${verb} ${eventId}`)
  const texts: Readonly<Record<AskKind, () => { text: string; buttons: Button[] }>> = {
    down: () => ({
      text: `${site} can’t be reached. Is it down? The page may be hidden from the health check. Check from another network before you answer.`,
      buttons: [button('It’s down', 'down'), button('Still up', 'up'), button('Case', 'case')],
    }),
    'answers-again': () => ({
      text: `The health check reaches ${site}, although its page was recorded as down. Is it back?`,
      buttons: [button('Reopen', 'reopen'), button('Case', 'case')],
    }),
    'stayed-down': () => ({
      text: `A week after ${site} was recorded as down, the health check still can’t reach it. Signalman no longer reads it. Delete it?`,
      buttons: [commandButton('Delete the check', `/hc delete ${checkUuid}`), button('Case', 'case')],
    }),
    unclear: () => ({
      text: `A week after ${site} was recorded as down, the health check doesn’t say whether it can reach the page. Signalman no longer reads it. Look at the page yourself. Is it back?`,
      buttons: [
        button('Reopen', 'reopen'),
        commandButton('Delete the check', `/hc delete ${checkUuid}`),
        button('Case', 'case'),
      ],
    }),
    unwatched: () => ({
      text: `${safeLine(steps.findLast(({ kind, by }) => kind === 'note' && !by)?.noteText ?? `${site} is no longer watched`, 500)}.`,
      buttons: [
        button('Case', 'case'),
        isCaseOpen ? button('Watch again', 'watch') : button('Reopen', 'reopen'),
      ],
    }),
    unread: () => ({
      text: `Signalman can’t read the health check of ${site} from the service, so it doesn’t know whether the page is down. Look at it yourself.`,
      buttons: [
        button('Case', 'case'),
        isCaseOpen ? button('It’s down', 'down') : button('Reopen', 'reopen'),
      ],
    }),
    quiet: () => ({
      text: `Nothing was recorded on the case of ${site} for three days. What’s next?`,
      buttons: [
        button('Case', 'case'),
        button('Takedown sent', 'takedown-sent'),
        button('It’s down', 'down'),
      ],
    }),
  }
  return texts[askKind]()
}

/** Whether the case is watched, and when its check was last read. */
export function describeWatch(threatCase: ThreatCase, now: Date): string {
  const { lastReadAt, watchUntil } = threatCase
  const read = lastReadAt ? `last read ${formatElapsed(lastReadAt, now)} ago` : 'not read yet'
  if (!isReadRecently(threatCase, now))
    return `Signalman can’t tell whether it’s down: the health check was ${read}.`
  return `${watchUntil ? 'Watched in case it comes back' : 'Watched until it’s down'}, ${read}.`
}

/** The same for the card in a channel. It has dates instead of ages, because it isn't edited after each reading. */
export function describeWatchOnCard(threatCase: ThreatCase, now: Date): Line | undefined {
  if (!isWatched(threatCase, now)) return undefined
  const { lastReadAt, watchUntil } = threatCase
  if (!lastReadAt) return 'health check not read yet'
  if (!isReadRecently(threatCase, now)) return ['health check not read since ', lastReadAt]
  return [`${watchUntil ? 'watched in case it comes back' : 'watched until it’s down'}, read `, lastReadAt]
}

export const describeRemainingCheck = (name: string): string =>
  `Signalman didn’t delete the health check ${defang(name)}.`

const linesView = (lines: readonly string[], ...buttons: readonly Button[]): Message =>
  message(lines.map(literal).join('\n'), section(lines.join('\n')), actions(...buttons))

/** The text of a stored note. The person's name is shown after it, and isn't part of it, because erasure doesn't search notes. */
export const describeWatchStart = ({ name }: { name: string }): string =>
  `Watched until it’s down, with the health check ${siteName(name)}; started`

/** The text of a stored note. The person's name is shown after it: `stopped by Ann`. */
export const WATCH_STOPPED = 'No longer watched; stopped'

/** Why the watch ended. `newTarget` is undefined if the check was deleted. */
export const describeEndedWatch = (
  { name, target }: WatchedCheck,
  newTarget: Partial<CheckTarget> | undefined,
): string =>
  newTarget
    ? `The health check ${siteName(name)} was edited and connects to ${describeTarget(newTarget)} instead of ${defang(target)}, so it no longer tests this case’s page. No longer watched`
    : `The health check ${siteName(name)} was deleted. No longer watched`

function describeTarget({ protocol, target, port }: Partial<CheckTarget>): string {
  const portText = port === undefined ? '' : `, port ${port}`
  return `${[protocol, target && defang(target)].filter(Boolean).join(' ') || 'somewhere else'}${portText}`
}

const siteName = (name: string): string => {
  const site = takedownQuestion({ name })?.site
  return site ? `Takedown ${site}` : defang(name)
}
