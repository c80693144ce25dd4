import {
  actions,
  clip,
  commandButton,
  context,
  header,
  literal,
  type Message,
  message,
  oneLine,
  section,
} from '@signalman/slack'
import { asOf } from '../../../bot/replies/list-page.ts'
import { JOBS_KEPT_IN_WORDS } from '../../../bot/retention/sweeping.ts'
import { sayFields, writeFields } from '../../../bot/typed/fields.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { grouped } from '../../../domain/wording.ts'
import { nameOf } from '../changes/outcomes.ts'
import { checks, saying } from '../changes/views.ts'
import {
  actionWords,
  type BulkAction,
  type BulkRequest,
  bulkLine,
  MEANT,
  type Meant,
  whichWords,
} from './parse.ts'
import type { BulkPlan } from './plan-bulk.ts'

const SHOWN = 10
const SHORT = 180

const DOES: Readonly<Record<BulkAction, string>> = {
  edit: 'would be changed',
  delete: 'would be deleted, with their alerts',
  clone: 'would be copied, with their alerts',
  recipients: 'would mail other people',
}
const BUTTONS: Readonly<Record<BulkAction, string>> = {
  edit: 'Change',
  delete: 'Delete',
  clone: 'Copy',
  recipients: 'Change',
}

/** What it is called while it runs and in the audit log. */
export const titleOf = (request: BulkRequest): string =>
  clip(oneLine(`${actionWords(request)} ${whichWords(request)}`), 300)

/** What would be done, before anything is: counts, the first of them, and the button that does it. */
export function previewView(
  request: BulkRequest,
  plan: BulkPlan,
  environment: Environment,
  note?: string,
): Message {
  const { changes, meant, same, not, unseen, isShort } = plan
  const more = changes.length - SHOWN
  const apply = `/hc bulk-apply ${bulkLine(request)} --seen ${plan.digest}`
  const window = `/hc bulk ${bulkLine(request)}`
  return saying(
    [
      note,
      `${titleOf(request)}${badgeOf(environment)}. Nothing was changed yet.`,
      `${checks(meant)} ${meant === 1 ? 'matches' : 'match'}; ${grouped(changes.length)} ${DOES[request.what]}.`,
      same > 0 && `${grouped(same)} ${same === 1 ? 'is' : 'are'} so already.`,
      ...changes.slice(0, SHOWN).map(({ says }) => `• ${clip(oneLine(says), SHORT)}`),
      more > 0 && `And ${grouped(more)} more.`,
      not.length > 0 && `${grouped(not.length)} cannot be:`,
      ...not.slice(0, SHOWN).map(({ name, says }) => `${clip(oneLine(name), 80)}: ${says}`),
      unseen && `Others may match as well. ${unseen}`,
      isShort && 'So nothing is begun: show it again when the service lists all of them.',
    ],
    ...(changes.length > 0 && !isShort ? [applyButton(request.what, changes.length, apply)] : []),
    commandButton('Edit this change', window),
  )
}

function applyButton(what: BulkAction, count: number, line: string) {
  const label = `${BUTTONS[what]} ${grouped(count)}`
  if (what !== 'delete') return commandButton(label, line, { style: 'primary', inPlace: true })
  return commandButton(label, line, {
    style: 'danger',
    inPlace: true,
    confirm: {
      title: `Delete ${checks(count)}?`,
      text: `They are no longer checked, and nobody is told when their targets go down. It can be undone for ${JOBS_KEPT_IN_WORDS}.`,
      confirm: 'Delete',
      danger: true,
    },
  })
}

const MOST_MAILED = 15

/** Every health check that mails one address, and what can be done about all of them. */
export function mailedView(
  address: string,
  { names = [], ...others }: Meant,
  { changes, not, unseen }: BulkPlan,
  environment: Environment,
  now: Date,
): Message {
  const isEverywhere = names.length === 1 && names[0] === '*'
  const meant = isEverywhere ? others : { names, ...others }
  const narrowed = sayFields(MEANT, meant).join(', ')
  const count = changes.length
  const shown = changes.slice(0, MOST_MAILED)
  const more = count - shown.length
  const lines = [
    `${checks(count)}${badgeOf(environment)} ${count === 1 ? 'mails' : 'mail'} ${address}${narrowed ? ` (${narrowed})` : ''}.`,
    ...(not.length > 0
      ? [
          `${grouped(not.length)} more mail it, and have recipients that cannot be read: those are changed at the service itself.`,
        ]
      : []),
    ...(unseen ? [`Others may mail it as well. ${unseen}`] : []),
  ]
  const rest = more > 0 ? [`And ${grouped(more)} more.`] : []
  const called = shown.map(({ change }) => clip(oneLine(nameOf(change)), 150))
  const behind = [quoted(address), ...writeFields(MEANT, meant)].join(' ')
  return message(
    literal([...lines, ...called, ...rest].join('\n')),
    header('Who is mailed'),
    section(lines.join('\n')),
    shown.map(({ change }, index) =>
      section(
        called[index] ?? '',
        change.do === 'create'
          ? undefined
          : commandButton('Alerts', `/hc alerts ${quoted(change.uuid)}`, {
              spoken: `Alerts of ${called[index]}`,
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
