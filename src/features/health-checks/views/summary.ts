import {
  actions,
  commandButton,
  context,
  divider,
  header,
  literal,
  type Message,
  message,
  section,
} from '@signalman/slack'
import { statusLabel, statusWord } from '../../../bot/replies/check-facts.ts'
import { asOf } from '../../../bot/replies/list-page.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import type { Summary } from '../read-listing.ts'
import { checkLine, checkRow } from './check.ts'

export function summaryView(summary: Summary, environment: Environment, now: Date): Message {
  const { total, down } = summary
  const counts = [
    [summary.unhealthy, 'UNHEALTHY'],
    [summary.installing, 'INSTALLING'],
    [summary.healthy, 'HEALTHY'],
  ] as const
  const other = total - counts.reduce((sum, [count]) => sum + count, 0)
  const words = [
    ...counts.map(([count, status]) => `${count} ${statusWord(status)}`),
    ...(other > 0 ? [`${other} with another status`] : []),
  ]
  const more = summary.unhealthy - down.length
  const text = [
    `${counted(total, 'health check')}${badgeOf(environment)}: ${words.join(', ')}.`,
    ...down.map(checkLine),
    ...(more > 0 ? [`and ${more} more that are down`] : []),
  ]
  return message(
    literal(text.join('\n')),
    header(`Health checks${badgeOf(environment)}`),
    section(
      total === 0
        ? 'There are no health checks yet. Create the first one.'
        : [
            ...counts.map(([count, status]) => `${statusLabel(status)}: ${count}`),
            ...(other > 0 ? [`⚪ Another status: ${other}`] : []),
          ].join('\n'),
    ),
    down.length > 0 ? [divider(), ...down.map(checkRow)] : [],
    more > 0 ? [context(`${more} more that are down.`)] : [],
    actions(
      ...counts
        .filter(([count]) => count > 0)
        .map(([count, status]) =>
          commandButton(`${statusWord(status)} (${count})`, `/hc list --status ${status}`),
        ),
      commandButton('All', '/hc list'),
      commandButton('Create', '/hc create'),
      commandButton('Refresh', '/hc', { inPlace: true }),
      commandButton('Share to channel', '/hc --share'),
    ),
    asOf(environment, now),
  )
}
