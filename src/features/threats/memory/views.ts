import { lasted } from '@signalman/runtime'
import {
  actions,
  clip,
  commandButton,
  context,
  literal,
  type Message,
  message,
  section,
} from '@signalman/slack'
import { badgeOf } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted } from '../../../domain/wording.ts'
import { defang, safeDomain } from '../defang.ts'
import type { FoundEvent } from './remember.ts'

/** Events in one answer; one more is read, to see whether there are more. */
export const SHOWN = 15

/** The events that were found. Their texts are safe already. */
export function findView(
  { events: found, under }: { events: readonly FoundEvent[]; under?: string },
  {
    words,
    days,
    now,
    environment,
  }: { words: string; days: number; now: Date; environment: 'production' | 'ote' },
): Message {
  const what = `“${clip(defang(words), 80)}”`
  const head = headOf({ found, under, what, days })
  const shown = found.slice(0, SHOWN)
  const lines = shown.map(
    ({ verdict, domain, readAt, eventId }) =>
      `${verdict}\n${domain}\nread ${lasted(readAt, now)} ago · ${eventId}`,
  )
  const badge = badgeOf(environment)
  const note = found.length > SHOWN ? [`These are the newest ${SHOWN}.`] : []
  const other = environment === 'ote' ? 'production' : 'ote'
  return message(
    [`${head}${badge}`, ...lines, ...note].map(literal).join('\n'),
    section(`${head}${badge}`),
    ...shown.map(({ eventId, domain }, index) =>
      section(
        lines[index] ?? '',
        commandButton('Look up', `/threat ${eventId}`, { spoken: `Look up ${domain}` }),
      ),
    ),
    note.map((line) => context(line)),
    actions(
      commandButton(
        `Find in ${other === 'ote' ? 'OTE' : other}`,
        `/threat find ${quoted(words)} --env ${other}`,
      ),
    ),
  )
}

function headOf({
  found,
  under,
  what,
  days,
}: {
  found: readonly FoundEvent[]
  under: string | undefined
  what: string
  days: number
}): string {
  if (days === 0)
    return 'This workspace remembers no threat events: an admin has switched that off with /threat memory 0.'
  const within = `in the last ${counted(days, 'day')}`
  const nothing = `Nothing with ${what} was read here ${within}.`
  if (found.length === 0) return `${nothing} The service is asked by id alone: type the id of the event.`
  const many =
    found.length > SHOWN ? `More than ${SHOWN} threat events` : counted(found.length, 'threat event')
  return under
    ? `${nothing} ${many} under ${safeDomain(under, 120)}, of which it is a part:`
    : `${many} with ${what}, read here ${within}:`
}
