import { formatElapsed } from '@signalman/runtime'
import { clip, commandMenu, type Message, section } from '@signalman/slack'
import { writeFields } from '../../../bot/typed/fields.ts'
import { describePage, type findPage, listPage, neighborPages } from '../../../bot/views/list-page.ts'
import type { Environment } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { ONLY_BY_ID, QUEUE_FIELDS, type QueueFilters } from '../parse.ts'
import { writeEventCommand } from '../rules/ids.ts'
import type { ThreatCase, UndecryptableCase } from '../rules/threat-case.ts'
import { describeState, STATE_NAMES } from './case.ts'

type ListedCase = ThreatCase | UndecryptableCase

export const PAGE_SIZE = 10

interface QueuePage {
  cases: readonly ListedCase[]
  page: ReturnType<typeof findPage>
  filters: QueueFilters
  environment: Environment
  now: Date
}

/** A page of the case queue, most severe and oldest first. */
export function queueView({ cases, page, filters, environment, now }: QueuePage): Message {
  const { mine, closed } = filters
  const line = (changed: QueueFilters): string =>
    [
      writeCommand('/threat queue', { environment }),
      ...writeFields(QUEUE_FIELDS, { ...filters, page: undefined, ...changed }),
    ].join(' ')
  const { total } = page
  const kind = `${closed ? 'closed' : 'open'} threat`
  return listPage({
    title:
      total > 0 ? pluralize(total, `${kind} case`) : `${mine ? 'You have' : 'There are'} no ${kind} cases`,
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
        { label: 'All open', value: line({ mine: undefined, closed: undefined }), chosen: !mine && !closed },
        { label: 'Mine', value: line({ mine: true, closed: undefined }), chosen: mine === true && !closed },
        { label: 'Closed', value: line({ mine: undefined, closed: true }), chosen: closed === true },
      ]),
    ],
    now,
  })
}

function caseLines(listed: ListedCase, now: Date): string {
  const since = `opened ${formatElapsed(listed.openedAt, now)} ago`
  if ('sealError' in listed)
    return `Threat event ${listed.eventId}\n${STATE_NAMES[listed.state]} · its case can’t be decrypted · ${since}`
  const { verdict, lines } = listed.event
  return [lines[0] ?? listed.eventId, verdict, `${describeState(listed)} · ${since}`].join('\n')
}

const caseChoice = (listed: ListedCase): { label: string; value: string } => ({
  label: clip(('sealError' in listed ? undefined : listed.event.lines[0]) ?? listed.eventId, 75),
  value: writeEventCommand('case', listed.eventId, { environment: listed.environment }),
})
