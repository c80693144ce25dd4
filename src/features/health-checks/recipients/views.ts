import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, context, header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { grouped } from '../../../domain/wording.ts'
import type { BulkPlan } from '../bulk/plan-bulk.ts'
import { nameOf } from '../changes/outcomes.ts'
import { checks } from '../changes/views.ts'
import { type CheckFilters, filterParts, filterWords } from '../parse.ts'
import { asOf } from '../views/summary.ts'

const SHOWN = 15

/** Every health check that mails one address, and what can be done about all of them. */
export function mailedView(
  address: string,
  filters: CheckFilters,
  { changes, not }: BulkPlan,
  environment: Environment,
  now: Date,
): Message {
  const { name, ...others } = filters
  const narrowed = filterWords(name === '*' ? others : filters)
  const count = changes.length
  const shown = changes.slice(0, SHOWN)
  const more = count - shown.length
  const lines = [
    `${checks(count)}${badgeOf(environment)} ${count === 1 ? 'mails' : 'mail'} ${address}${narrowed ? ` (${narrowed})` : ''}.`,
    ...(not.length > 0
      ? [
          `${grouped(not.length)} more mail it, and have recipients that cannot be read: those are changed at the service itself.`,
        ]
      : []),
  ]
  const rest = more > 0 ? [`And ${grouped(more)} more.`] : []
  const names = shown.map(({ change }) => clip(oneLine(nameOf(change)), 150))
  const behind = [quoted(address), ...filterParts(others)].filter(Boolean).join(' ')
  return message(
    literal([...lines, ...names, ...rest].join('\n')),
    header('Who is mailed'),
    section(lines.join('\n')),
    shown.map(({ change }, index) =>
      section(
        names[index] ?? '',
        change.do === 'create'
          ? undefined
          : commandButton('Alerts', `/hc alerts ${quoted(change.uuid)}`, {
              spoken: `Alerts of ${names[index]}`,
            }),
      ),
    ),
    rest.map((line) => context(line)),
    count > 0
      ? actions(
          commandButton('Replace everywhere', `/hc recipient-replace ${behind}`),
          commandButton('Remove everywhere', `/hc recipients ${behind} --remove`, { style: 'danger' }),
        )
      : [],
    asOf(environment, now),
  )
}
