import { formatElapsed } from '@signalman/runtime'
import { actions, blocksText, clip, commandMenu, type Message, message, section } from '@signalman/slack'
import { writeFields } from '../../../bot/typed/fields.ts'
import { describePage, type findPage, listPage, neighborPages } from '../../../bot/views/list-page.ts'
import { type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { describeNone, pluralize } from '../../../domain/wording.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { ONLY_BY_ID, QUEUE_FIELDS, type QueueFilters } from '../parse.ts'
import { writeEventCommand } from '../rules/ids.ts'
import type { ThreatCase, UndecryptableCase } from '../rules/threat-case.ts'
import { describeState, STATE_NAMES, UNDECRYPTABLE } from './case.ts'

type ListedCase = ThreatCase | UndecryptableCase

export const PAGE_SIZE = 10

interface QueuePage {
  /** How many cases are open, whoever has them. */
  open: number
  cases: readonly ListedCase[]
  page: ReturnType<typeof findPage>
  filters: QueueFilters
  environment: Environment
  now: Date
}

export function queueView({ cases, open, page, filters, environment, now }: QueuePage): Message {
  const { mine } = filters
  const line = (changed: QueueFilters): string =>
    [
      writeCommand('/threat queue', { environment }),
      ...writeFields(QUEUE_FIELDS, { ...filters, page: undefined, ...changed }),
    ].join(' ')
  const { total } = page
  return listPage({
    title:
      total > 0 ? pluralize(total, 'open threat case') : describeNone(open, ['is yours'], 'open threat case'),
    environment,
    subtitle: [
      ...(total > 0
        ? [mine && 'yours', 'most severe and oldest first', describePage(page.page, page.pages)]
        : []),
    ]
      .filter(Boolean)
      .join(' · '),
    rows: cases.map((threatCase) => section(caseLines(threatCase, now))),
    notes: total === 0 ? [`To open one, take a threat event or share its card. ${ONLY_BY_ID}`] : [],
    ...neighborPages(page, (number) => line({ page: number })),
    refreshLine: line({ page: page.page }),
    controls: [
      ...(cases.length > 0 ? [commandMenu('Open a case…', cases.map(caseChoice), { inPlace: false })] : []),
      commandMenu('Show…', [
        { label: 'All open', value: line({ mine: undefined }), chosen: !mine },
        { label: 'Mine', value: line({ mine: true }), chosen: mine === true },
      ]),
    ],
    now,
  })
}

const MAX_IN_THREAD = 20

/** The cases of a thread that has several. */
export function casesView(cases: readonly ListedCase[], now: Date): Message {
  const shown = cases.slice(0, MAX_IN_THREAD)
  const blocks = [
    section(`${pluralize(cases.length, 'threat case')} in this thread`),
    ...shown.map((each) => section(`${caseLines(each, now)}${environmentSuffix(each.environment)}`)),
    ...(cases.length > shown.length ? [section(`and ${cases.length - shown.length} more`)] : []),
    ...actions(commandMenu('Open a case…', shown.map(caseChoice), { inPlace: false })),
  ]
  return message(blocksText(blocks), blocks)
}

function caseLines(listed: ListedCase, now: Date): string {
  const since = `opened ${formatElapsed(listed.openedAt, now)} ago`
  if ('sealError' in listed)
    return `Threat event ${listed.eventId}\n${STATE_NAMES[listed.state]} · ${UNDECRYPTABLE} · ${since}`
  const { verdict, lines } = listed.event
  return [lines[0] ?? listed.eventId, verdict, `${describeState(listed)} · ${since}`].join('\n')
}

const caseChoice = (listed: ListedCase): { label: string; value: string } => ({
  label: clip(('sealError' in listed ? undefined : listed.event.lines[0]) ?? listed.eventId, 75),
  value: writeEventCommand('case', listed.eventId, { environment: listed.environment }),
})
