import { lasted } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  commandMenu,
  type Line,
  lines,
  type Message,
  words,
} from '@signalman/slack'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { defang, safeDomain } from '../defang.ts'
import { MOST_FOUND } from '../rows/memory.ts'
import type { FoundEvent } from './remember.ts'

export const PAGE_SIZE = 15

interface Found {
  events: readonly FoundEvent[]
  total: number
  /** The wider domain in which they were found, when there are none under the typed one. */
  under?: string
}

interface Asked {
  typed: string
  page: number
  days: number
  now: Date
  environment: Environment
}

/** The events that were found. Their texts are safe already. */
export function findView(found: Found, asked: Asked): Message {
  const { events, total } = found
  const { typed, page, now, environment } = asked
  const line = (number: number, on = environment): string =>
    `/threat find ${quoted(typed)} --env ${on}${number > 1 ? ` --page ${number}` : ''}`
  const first = (page - 1) * PAGE_SIZE + 1
  const last = Math.ceil(total / PAGE_SIZE)
  const [other, name] =
    environment === 'ote' ? (['production', 'production'] as const) : (['ote', 'OTE'] as const)
  return card({
    answer: [...answerParts(found, asked), badgeOf(environment)],
    body: [
      events.length === 0
        ? []
        : lines(
            ...events.flatMap(({ verdict, domain, readAt, eventId }): Line[] => [
              [words(domain, { bold: true }), ` · ${verdict}`],
              `read ${lasted(readAt, now)} ago · ${eventId}`,
            ]),
          ),
    ],
    small:
      last > 1 && events.length > 0 ? [`${first} to ${first + events.length - 1} of ${grouped(total)}`] : [],
    controls: [
      ...(events.length === 0
        ? []
        : [
            commandMenu(
              'Look up an event…',
              events.map(({ domain, eventId }) => ({ label: clip(domain, 75), value: `/threat ${eventId}` })),
              { inPlace: false },
            ),
          ]),
      ...(page > 1 ? [commandButton('Previous', line(Math.min(page - 1, last)), { inPlace: true })] : []),
      ...(page < last ? [commandButton('Next', line(page + 1), { inPlace: true })] : []),
      commandButton(`Find in ${name}`, line(1, other)),
    ],
  })
}

/** The answer in its parts, the first of which is drawn bold. */
function answerParts({ total, under }: Found, { typed, days }: Asked): string[] {
  if (days === 0)
    return [
      'This workspace remembers no threat events.',
      ' An admin switched that off with /threat memory 0.',
    ]
  const what = `“${clip(defang(typed), 80)}”`
  const within = `read here in the last ${counted(days, 'day')}`
  const nothing = `No threat event with ${what}`
  if (total === 0) return [nothing, ` was ${within}. The service itself can be asked by id only: /threat ID.`]
  const many =
    total >= MOST_FOUND ? `${grouped(total)} or more threat events` : counted(total, 'threat event')
  return under
    ? [`${many} under ${safeDomain(under, 120)}`, `, of which it is a part. ${nothing} was ${within}.`]
    : [`${many} with ${what}`, ` · ${within}`]
}
