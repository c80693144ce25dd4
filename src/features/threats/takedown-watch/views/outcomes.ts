import { actions, commandButton, literal, type Message, message, section } from '@signalman/slack'
import { defang } from '../../defang.ts'
import type { TakedownWatch } from '../../rows/takedown-watches.ts'
import { RULES, watchedWords } from './words.ts'

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
