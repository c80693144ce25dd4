import { actions, commandButton, context, lines, richText } from '@signalman/slack'
import type { Button, KnownBlock } from '@slack/types'
import type { Modal, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { pluralize } from '../../../domain/wording.ts'
import { isMember } from '../audience.ts'
import type { ThreatDependencies } from '../dependencies.ts'
import { leftOutNote } from '../indicators/export.ts'
import { normalizeServiceUrl } from '../rules/defang.ts'
import { writeEventCommand } from '../rules/ids.ts'
import { findIndicators, type Indicator } from '../rules/indicators.ts'
import type { ShownEvent } from '../rules/shown-event.ts'
import {
  buildWindow,
  commentsWindow,
  detailsWindow,
  dnsWindow,
  type OpenedDetails,
  whoisWindow,
} from '../views/windows.ts'
import { type EventRequest, eventVerbs } from './event-verbs.ts'

/** The verbs that show one event in a window. Buttons run them. */
export function detailsCommands(threats: ThreatDependencies): VerbDeclaration[] {
  const eventVerb = eventVerbs(threats)
  const opensWindow = { hidden: true, opensModal: 'to-read' } as const
  const paged = { flags: flagSpecs(PAGE_FIELDS) }
  return [
    eventVerb(
      {
        ...{ line: '/threat details', label: 'open the details of', ...opensWindow, guests: true },
        description: 'Show all details of an event, without the domain’s owner',
      },
      async (request) => openDetails(request),
    ),
    eventVerb(
      {
        ...{ line: '/threat dns', label: 'open the DNS records of', ...opensWindow, ...paged, guests: true },
        description: 'Show all DNS records of an event',
      },
      async (request) => dnsWindow(toOpenedDetails(request)),
    ),
    eventVerb(
      {
        ...{ line: '/threat comments', label: 'open the comments on', ...opensWindow, ...paged },
        description: 'Show all comments on an event',
      },
      async (request) => commentsWindow(toOpenedDetails(request)),
    ),
    eventVerb(
      {
        ...{ line: '/threat whois', label: 'open the WHOIS record of', ...opensWindow },
        description: 'Show the WHOIS record with the owner’s personal data, only to you',
      },
      async (request) => whoisWindow({ ...toOpenedDetails(request), event: request.loadedEvent.fullEvent }),
    ),
    eventVerb(
      {
        ...{ line: '/threat copy', label: 'open the values of', ...opensWindow, guests: true },
        description: 'Show the real values for copying, only to you',
      },
      async (request) => copyWindow(toOpenedDetails(request), request.shown),
    ),
  ]
}

function toOpenedDetails({ context, id, shown: { event }, args: { flags } }: EventRequest): OpenedDetails {
  const { environment, now } = context
  return { id, event, now, environment, page: readFields(PAGE_FIELDS, flags).page ?? 1 }
}

function openDetails({ context, id, loadedEvent, shown, origin }: EventRequest): Modal {
  const { fullEvent } = loadedEvent
  const { environment, now } = context
  const canSeeAll = isMember(context)
  const { website, whois, dnsRecords = [] } = fullEvent.observedData ?? {}
  const { comments = [] } = shown.event
  const canFetch = (address = ''): boolean => canSeeAll && normalizeServiceUrl(address, origin) !== undefined
  // Leaves out buttons for content that this person may not see or that doesn't exist.
  const buttonIf = (isAllowed: boolean, label: string, line: string): Button[] =>
    isAllowed ? [commandButton(label, line)] : []
  return detailsWindow(shown, {
    id,
    now,
    environment,
    controls: [
      [
        ...buttonIf(
          canFetch(website?.screenshotResourceUrl),
          'Screenshot',
          writeEventCommand('screenshot', id),
        ),
        ...buttonIf(
          dnsRecords.length > 0,
          pluralize(dnsRecords.length, 'DNS record'),
          writeEventCommand('dns', id),
        ),
        ...buttonIf(
          comments.length > 0,
          pluralize(comments.length, 'comment'),
          writeEventCommand('comments', id),
        ),
        ...buttonIf(true, 'Copy values', writeEventCommand('copy', id)),
        ...buttonIf(true, 'Export indicators', writeEventCommand('export', id)),
      ],
      [
        ...buttonIf(canSeeAll && whois !== undefined, 'WHOIS', writeEventCommand('whois', id)),
        ...buttonIf(canFetch(website?.sourceResourceUrl), 'Page source', writeEventCommand('source', id)),
      ],
    ],
  })
}

/** In characters. Longer values are left out, because a truncated address is a different address. */
const MAX_VALUE_LENGTH = 2900
const MAX_TOTAL_LENGTH = 20_000
const MAX_VALUES = 300

/**
 * Shows the real values for copying. They aren't defanged, so they are only shown in a window, which nobody else sees, and in
 * preformatted rich text, where Slack never creates links.
 */
export async function copyWindow(
  opened: Parameters<typeof buildWindow>[1],
  { event, isFactsOnly }: ShownEvent,
): Promise<Modal> {
  // Leaves out URLs for guests. They only see URLs without paths, which are different addresses.
  const indicators = await findIndicators(
    isFactsOnly ? { ...event, observedData: { ...event.observedData, website: undefined } } : event,
  )
  const { all } = indicators
  const leftOutText = leftOutNote(indicators).trim()
  const shown = fitInWindow(all)
  const hiddenCount = all.length - shown.length
  return buildWindow('Copy', opened, [
    context('These are the real values. Don’t open them. They may be harmful.'),
    shown.length > 0
      ? valuesBlock(shown)
      : lines('This event has no values to copy that Signalman can read.'),
    ...(hiddenCount > 0
      ? [context(`${pluralize(hiddenCount, 'more value')}: only an export has all of them.`)]
      : []),
    ...(leftOutText ? [context(leftOutText)] : []),
    ...(all.length > 0
      ? actions(commandButton('Export indicators', writeEventCommand('export', opened.id)))
      : []),
  ])
}

function fitInWindow(indicators: readonly Indicator[]): Indicator[] {
  let size = 0
  const shown = indicators.filter(({ value }) => {
    if (value.length > MAX_VALUE_LENGTH || size + value.length > MAX_TOTAL_LENGTH) return false
    size += value.length + 1
    return true
  })
  return shown.slice(0, MAX_VALUES)
}

/** One value a line. */
function valuesBlock(values: readonly Indicator[]): KnownBlock {
  const elements = values.map(({ kind, value }, index) => ({
    type: 'text' as const,
    text: `${index === 0 ? '' : '\n'}${kind === 'as' ? 'AS' : ''}${value}`,
  }))
  return richText({ type: 'rich_text_preformatted', elements })
}
