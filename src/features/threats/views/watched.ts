import { actions, commandButton, literal, type Message, message, section } from '@signalman/slack'
import type { Button } from '@slack/types'
import { takedownQuestion } from '../../../domain/takedown-checks.ts'
import { defang } from '../rules/defang.ts'
import type { CheckTarget, WatchedCheck } from '../rules/threat-case.ts'

/** What is watched, where, and what happens next. */
export const startedView = (
  { name, target, protocol }: WatchedCheck,
  {
    eventId,
    checkUuid,
    isOld,
    isDown,
  }: { eventId: string; checkUuid: string; isOld: boolean; isDown: boolean },
): Message =>
  linesView(
    [
      ...(isDown ? ['It can’t be reached right now. Is it down? Look from another network.'] : []),
      'Watching until it’s down. When the health check can’t reach it twice in a row, Signalman asks you in our direct messages whether it’s down.',
      `The health check ${defang(name)} ${isOld ? 'already existed' : 'was created'}. It connects to ${defang(target)}${!isOld && protocol === 'HTTPS' ? ' and ignores certificates' : ''}.`,
      'Signalman doesn’t close the case by itself.',
    ],
    ...(isDown ? (takedownQuestion({ name })?.answers ?? []) : []).map(({ label, line }) =>
      commandButton(label, line),
    ),
    commandButton('Show the check', `/hc show ${checkUuid}`),
    commandButton('Stop watching', `/threat unwatch ${eventId}`, { inPlace: true }),
  )

export const stoppedView = (name: string, checkUuid: string, eventId: string): Message =>
  linesView(
    ['Stopped watching. The case stays as it is.', keptCheckWords(name)],
    commandButton('Delete the check', `/hc delete ${checkUuid}`),
    commandButton('Watch again', `/threat watch ${eventId}`, { inPlace: true }),
  )

/** For the person who started the watch, after its check was edited or deleted. */
export const endedView = (says: string, eventId: string): Message =>
  linesView(
    [`${says}.`],
    commandButton('Case', `/threat case ${eventId}`),
    commandButton('Watch again', `/threat watch ${eventId}`),
  )

export const keptCheckWords = (name: string): string =>
  `The health check ${defang(name)} is still at the service.`

const linesView = (lines: readonly string[], ...buttons: readonly Button[]): Message =>
  message(lines.map(literal).join('\n'), section(lines.join('\n')), actions(...buttons))

/** Never names a person: the view adds the name, so that an erasure finds every one. */
export const startedWords = ({ name }: { name: string }): string =>
  `Watched until it’s down, with the health check ${siteName(name)}; started`

export const STOPPED_WORDS = 'No longer watched; stopped'

/** Why the watch ended; `now` is the check's new target, undefined if it was deleted. */
export const endedWords = ({ name, target }: WatchedCheck, now: Partial<CheckTarget> | undefined): string =>
  now
    ? `The health check ${siteName(name)} was edited and connects to ${targetWords(now)} instead of ${defang(target)}, so it says nothing about this case. No longer watched`
    : `The health check ${siteName(name)} was deleted. No longer watched`

function targetWords({ protocol, target, port }: Partial<CheckTarget>): string {
  const at = port === undefined ? '' : `, port ${port}`
  return `${[protocol, target && defang(target)].filter(Boolean).join(' ') || 'somewhere else'}${at}`
}

const siteName = (name: string): string => {
  const site = takedownQuestion({ name })?.site
  return site ? `Takedown ${site}` : defang(name)
}
