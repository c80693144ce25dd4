import {
  actions,
  clip,
  context,
  controlRow,
  header,
  type Line,
  lines,
  paragraph,
  richText,
  textElement,
} from '@signalman/slack'
import type { Button, KnownBlock, RichTextBlock } from '@slack/types'
import type { Modal } from '../../../bot/routes/routes.ts'
import { describePage, neighborPages, pageButtons, slicePage } from '../../../bot/views/list-page.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { defang, safeDomain, safeLine, safeText } from '../rules/defang.ts'
import { writeEventCommand } from '../rules/ids.ts'
import type { ShownEvent } from '../rules/shown-event.ts'
import { dnsLine, formatDate, MAX_FIELD_LENGTH, mainLines, websiteLines, whoisLines } from './fields.ts'

interface DetailsOptions {
  /** The requested ID. The event's own ID may be missing or different. */
  id: string
  now: Date
  environment: Environment
  /** The buttons that this person may use. Secondary ones are behind `···`. */
  controls: readonly [shown: readonly Button[], folded: readonly Button[]]
}

/** The window with all details of an event, most urgent first. Its lists have their own. */
export function detailsWindow(shown: ShownEvent, options: DetailsOptions): Modal {
  const { event } = shown
  const { website, whois } = event.observedData ?? {}
  const { id, now, environment, controls } = options
  return buildWindow('Threat event', { event, id, environment }, [
    lines(...mainLines(event, now)),
    context(safeLine(event.id || id, MAX_FIELD_LENGTH)),
    actions(...controlRow(...controls)),
    section('Website', websiteLines(website)),
    section('WHOIS', whoisLines(whois, now)),
    [...(shown.isFactsOnly ? [FACTS_NOTE] : []), ...otherIdNote(event, id)].map((note) => context(note)),
  ])
}

const section = (heading: string, rows: readonly Line[]): KnownBlock[] =>
  rows.length === 0 ? [] : [lines([textElement(heading, { bold: true })], ...rows)]

/** Shows a comment as a quote, so that people can't mistake its lines for Signalman's. */
function commentBlock(
  { content = '', date }: NonNullable<ThreatEvent['comments']>[number],
  number: number,
  now: Date,
): RichTextBlock {
  const at = formatDate(date, now)
  return richText(
    paragraph([textElement(`Comment ${number}`, { bold: true }), at.length > 0 ? ' · ' : '', at]),
    { type: 'rich_text_quote', elements: [textElement(safeText(content, MAX_COMMENT_LENGTH) || '(empty)')] },
  )
}

const FACTS_NOTE =
  'Guests see only technical facts. Titles, comments, pictures, and URL paths are visible only to members.'

/** Warns if the service returned an event with a different ID than requested. */
export function otherIdNote({ id }: Pick<ThreatEvent, 'id'>, requestedId: string): string[] {
  if (!id || id.toLowerCase() === requestedId.toLowerCase()) return []
  return [`You asked for ${requestedId}, but the service returned event ${safeLine(id, MAX_FIELD_LENGTH)}.`]
}

/** The event that a window shows, and which page of the window's list. */
export interface OpenedDetails {
  id: string
  event: ThreatEvent
  now: Date
  environment: Environment
  page: number
}

const RECORDS_PER_PAGE = 25
const COMMENTS_PER_PAGE = 10
/** Slack shows about 3,000 characters of one text. */
const MAX_COMMENT_LENGTH = 2500

/** All DNS records, in pages. Windows don't accept tables, so each record is a line. */
export function dnsWindow(opened: OpenedDetails): Modal {
  const { event, id } = opened
  const page = slicePage(event.observedData?.dnsRecords ?? [], opened.page, RECORDS_PER_PAGE)
  return buildWindow('DNS records', opened, [
    linesOrText(
      page.items.map((record) => dnsLine(record, event)),
      'This event has no DNS records that Signalman can read.',
    ),
    ...pageBlocks(page, writeEventCommand('dns', id)),
  ])
}

/** Which of several pages this is, and buttons for the pages beside it. */
export function pageBlocks(page: ReturnType<typeof slicePage>, line: string): KnownBlock[] {
  const { start, items, total } = page
  const position = describePage(page.page, page.pages)
  if (!position) return []
  return [
    context(`${start + 1} to ${start + items.length} of ${total}, ${position}`),
    ...actions(...pageButtons(neighborPages(page, (number) => `${line} --page ${number}`))),
  ]
}

/** All comments, in pages, sorted as the service returns them. */
export function commentsWindow(opened: OpenedDetails): Modal {
  const { event, id, now } = opened
  const page = slicePage(event.comments ?? [], opened.page, COMMENTS_PER_PAGE)
  const comments = page.items.flatMap((comment, index) => [
    commentBlock(comment, page.start + 1 + index, now),
    // Measured as it's shown.
    ...(defang(comment.content ?? '').trim().length > MAX_COMMENT_LENGTH
      ? [context('The rest of this comment isn’t shown.')]
      : []),
  ])
  return buildWindow('Comments', opened, [
    comments.length > 0 ? comments : lines('This event has no comments that Signalman can read.'),
    ...pageBlocks(page, writeEventCommand('comments', id)),
  ])
}

/** A modal with the WHOIS record, including the owner's personal data. */
export function whoisWindow(opened: OpenedDetails): Modal {
  const { event } = opened
  const whois = event.observedData?.whois
  const whoisRows = whoisLines(whois, opened.now)
  return buildWindow('WHOIS', opened, [
    linesOrText(whoisRows, 'This event has no WHOIS record that Signalman can read.'),
    ...(whoisRows.length > 0 ? [context('The owner’s name and email address are personal data.')] : []),
  ])
}

/** A window about one event. The heading names the event's domain, or its ID. */
export function buildWindow(
  title: string,
  { event, id, environment }: Pick<OpenedDetails, 'event' | 'id' | 'environment'>,
  blocks: readonly (KnownBlock | readonly KnownBlock[])[],
): Modal {
  const subject = event.domain ? safeDomain(event.domain, 120) : safeLine(id, MAX_FIELD_LENGTH)
  return {
    title,
    blocks: [
      header(clip(subject, 150)),
      environment === 'ote' ? [context('OTE test environment')] : [],
      blocks.flat(),
    ],
  }
}

const linesOrText = (rows: readonly Line[], fallback: string): KnownBlock =>
  lines(...(rows.length > 0 ? rows : [fallback]))
