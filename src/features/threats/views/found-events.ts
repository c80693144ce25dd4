import { formatElapsed } from '@signalman/runtime'
import { clip, commandButton, commandMenu, lines, type Message, textElement } from '@signalman/slack'
import { describePage, listPage } from '../../../bot/views/list-page.ts'
import { cmd } from '../../../domain/command-names.ts'
import type { Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import { defang, safeDomain } from '../rules/defang.ts'
import { type FoundEvent, MAX_COUNTED_EVENTS } from '../rules/loaded-event.ts'

export const PAGE_SIZE = 15

interface FindResult {
  events: readonly FoundEvent[]
  total: number
  /** The registered domain that was searched because the typed subdomain had no results. */
  widerDomain?: string
}

interface FindRequest {
  typed: string
  page: number
  days: number
  now: Date
  environment: Environment
}

/** A page of search results. The texts of a `FoundEvent` are stored defanged. */
export function searchResultsView(result: FindResult, request: FindRequest): Message {
  const { events, total } = result
  const { typed, page, now, environment } = request
  const pageLine = (number: number, targetEnvironment = environment): string =>
    `/threat find ${quoted(typed)} --env ${targetEnvironment}${number > 1 ? ` --page ${number}` : ''}`
  // There may be more events than were counted.
  const isTruncated = total >= MAX_COUNTED_EVENTS
  const lastPage = isTruncated ? Number.POSITIVE_INFINITY : Math.ceil(total / PAGE_SIZE)
  const [otherEnvironment, otherName] =
    environment === 'ote' ? (['production', 'production'] as const) : (['ote', 'OTE'] as const)
  const [title, subtitle] = buildHeading(result, request)
  return listPage({
    title,
    environment,
    subtitle: [
      subtitle,
      events.length > 0 && (isTruncated ? `page ${formatCount(page)}` : describePage(page, lastPage)),
    ]
      .filter(Boolean)
      .join(' · '),
    rows: events.map(({ verdict, domain, readAt, eventId }) =>
      lines(
        [textElement(domain, { bold: true }), ` · ${verdict}`],
        `looked up ${formatElapsed(readAt, now)} ago · ${eventId}`,
      ),
    ),
    openMenu: events.length === 0 ? [] : [openMenu(events)],
    previous: page > 1 ? pageLine(Math.min(page - 1, lastPage)) : undefined,
    next: (isTruncated ? events.length === PAGE_SIZE : page < lastPage) ? pageLine(page + 1) : undefined,
    controls: [commandButton(`Find in ${otherName}`, pageLine(1, otherEnvironment))],
    now,
  })
}

const openMenu = (events: readonly FoundEvent[]) =>
  commandMenu(
    'Look up an event…',
    events.map(({ domain, eventId }) => ({ label: clip(domain, 75), value: `/threat ${eventId}` })),
    { inPlace: false },
  )

function buildHeading(
  { total, widerDomain }: FindResult,
  { typed, days }: FindRequest,
): [title: string, subtitle: string] {
  if (days === 0)
    return [
      'Signalman doesn’t remember threat events in this workspace',
      `an admin turned that off with ${cmd('/threat memory')} 0`,
    ]
  const quotedText = `“${clip(defang(typed), 80)}”`
  // An event may have been looked up and forgotten, because the workspace may have remembered events for fewer days before.
  const kept = `what was looked up in this workspace is remembered for ${pluralize(days, 'day')}`
  const noMatch = `No remembered threat event has ${quotedText}`
  if (total === 0) return [noMatch, `${kept} · to look up an event directly, type ${cmd('/threat')} ID`]
  const countText =
    total >= MAX_COUNTED_EVENTS
      ? `${formatCount(total)} or more threat events`
      : pluralize(total, 'threat event')
  return widerDomain
    ? [`${countText} under ${safeDomain(widerDomain, 120)}`, `${noMatch}; showing the whole domain`]
    : [`${countText} with ${quotedText}`, kept]
}
