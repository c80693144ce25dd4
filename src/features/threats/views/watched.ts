import { actions, commandButton, literal, type Message, message, section } from '@signalman/slack'
import type { Button } from '@slack/types'
import { takedownQuestion } from '../../../domain/takedown-checks.ts'
import { defang } from '../rules/defang.ts'
import type { CheckTarget, WatchedCheck } from '../rules/threat-case.ts'

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
      'Watching until it’s down. When the health check can’t reach it twice in a row, Signalman asks you in our direct messages whether it’s down.',
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

/** Tells the person who started the watch that its check was edited or deleted. */
export const endedView = (reason: string, eventId: string): Message =>
  linesView(
    [`${reason}.`],
    commandButton('Case', `/threat case ${eventId}`),
    commandButton('Watch again', `/threat watch ${eventId}`),
  )

export const describeRemainingCheck = (name: string): string =>
  `The health check ${defang(name)} still exists in the service.`

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
