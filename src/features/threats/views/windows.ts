import {
  actions,
  clip,
  commandButton,
  context,
  controlRow,
  header,
  type Line,
  lineElements,
  lines,
  paragraph,
  richText,
  words,
} from '@signalman/slack'
import type { Button, KnownBlock, RichTextBlock } from '@slack/types'
import type { Modal } from '../../../bot/routes/routes.ts'
import { slicePage } from '../../../bot/views/list-page.ts'
import type { Environment } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { OddPart } from '../../../service/unread.ts'
import { safeDomain, safeLine, safeText } from '../rules/defang.ts'
import type { ShownEvent } from '../rules/shown-event.ts'
import {
  dnsLine,
  factLine,
  formatDate,
  mainLines,
  pageFileLines,
  unexpectedLines,
  websiteLines,
  whoisLines,
} from './fields.ts'
import { pagingBlocks } from './paging.ts'

interface Frame {
  /** The requested ID. The event's own may be missing or differ. */
  id: string
  now: Date
  /** The service's own origin. Files are only fetched from there. */
  origin: string
  environment: Environment
  /** Its screenshot, as a Slack file. */
  picture: KnownBlock | undefined
  /** The buttons that this person may use. Secondary ones are behind `···`. */
  controls: readonly [shown: readonly Button[], folded: readonly Button[]]
}

const NAME = 150
const MOST_RECORDS = 25
const MOST_COMMENTS = 5
/** Characters of one comment. */
const COMMENT = 600

/** Everything that the card doesn't show, most urgent first. */
export function detailsWindow(shown: ShownEvent, frame: Frame): Modal {
  const { event, signals } = shown
  const { observedData: { dnsRecords = [], website, whois } = {}, comments = [] } = event
  const { id, now, origin, environment, picture, controls } = frame
  const records = dnsRecords.slice(0, MOST_RECORDS)
  const said = comments.slice(0, MOST_COMMENTS)
  return buildWindow('Threat event', { event, id, environment }, [
    section(
      'Signals',
      signals.flatMap(({ says, because }) =>
        factLine(capitalize(safeLine(says, NAME)), safeLine(because, 400)),
      ),
    ),
    picture ?? [],
    lines(...mainLines(event, safeLine(event.id || id, NAME), now)),
    section('Website', websiteLines(website)),
    section(counted(dnsRecords.length, 'DNS record'), records.map(dnsLine)),
    restLine(
      dnsRecords.length - records.length,
      'DNS record',
      `All ${dnsRecords.length} DNS records`,
      `dns ${id}`,
    ),
    section('WHOIS', [...ownerLine(shown), ...whoisLines(whois, { now, reported: event.date })]),
    said.map((comment, index) => commentBlock(comment, index + 1, { now, most: COMMENT })),
    restLine(
      comments.length - said.length,
      'comment',
      `All ${counted(comments.length, 'comment')}`,
      `comments ${id}`,
      said.some(({ content = '' }) => content.length > COMMENT),
    ),
    section('Captures', pageFileLines(website, origin)),
    unexpectedSection(event.oddParts, event.unreadable.count),
    [hiddenNote(shown), ...otherIdNote(event, id)].map((note) => context(note)),
    actions(...controlRow(...controls)),
  ])
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const section = (heading: string, all: readonly Line[]): KnownBlock[] =>
  all.length === 0 ? [] : [lines([words(heading, { bold: true })], ...all)]

/** How much is left out, with a button for the window that shows all of it. */
function restLine(left: number, noun: string, label: string, verb: string, isCut = left > 0): KnownBlock[] {
  return [
    ...(left > 0 ? [context(`and ${counted(left, `more ${noun}`)}`)] : []),
    ...(isCut || left > 0 ? actions(commandButton(label, `/threat ${verb}`)) : []),
  ]
}

/** Quotes each comment, so that none of its lines can look like ours. */
function commentBlock(
  { content = '', date }: NonNullable<ThreatEvent['comments']>[number],
  number: number,
  { now, most }: { now: Date; most: number },
): RichTextBlock {
  const at = formatDate(date, now)
  return richText(
    paragraph(
      words(`Comment ${number}`, { bold: true }),
      ...(at.length > 0 ? [words(' · ')] : []),
      ...lineElements(at),
    ),
    { type: 'rich_text_quote', elements: [words(safeText(content, most) || '(empty)')] },
  )
}

function ownerLine({ event, hiddenOwner }: ShownEvent): Line[] {
  const { ownerName, ownerEmail } = event.observedData?.whois ?? {}
  return hiddenOwner && !ownerName && !ownerEmail ? factLine('Owner', `${hiddenOwner} hidden`) : []
}

const MOST_ODD = 15

/** Fields in an unexpected format, as received: counts all, shows as many as fit. */
function unexpectedSection(oddParts: readonly OddPart[], count: number): KnownBlock[] {
  const shown = unexpectedLines(oddParts.slice(0, MOST_ODD))
  const left = count - shown.length
  return [
    ...section('In an unexpected format, as received', shown),
    ...(shown.length > 0 && left > 0 ? [context(`and ${counted(left, 'more part')}`)] : []),
  ]
}

/** What isn't shown here, and what may still be personal data. */
const hiddenNote = ({ isFactsOnly }: ShownEvent): string =>
  isFactsOnly
    ? 'Guests see facts only. Titles, comments, pictures, and the paths of addresses are for members.'
    : 'Hidden in these texts: email addresses, phone numbers, and the exact name of the domain’s owner. Other spellings of it, and other people’s names, aren’t found.'

/** The service may answer with an event that has a different ID. */
export function otherIdNote({ id }: Pick<ThreatEvent, 'id'>, asked: string): string[] {
  if (!id || id.toLowerCase() === asked.toLowerCase()) return []
  return [`Asked for ${asked}; the service answered with event ${safeLine(id, NAME)}.`]
}

/** The event of a window, and the page of its list. */
export interface OpenedDetails {
  id: string
  event: ThreatEvent
  now: Date
  environment: Environment
  page: number
}

const RECORDS = 25
const COMMENTS = 10
/** Characters of one comment on a page. Slack shows about 3,000 of one text. */
const WHOLE_COMMENT = 2500

/** All DNS records, in pages. Windows don't accept tables, so each record is a line. */
export function dnsWindow(opened: OpenedDetails): Modal {
  const { event, id } = opened
  const page = slicePage(event.observedData?.dnsRecords ?? [], opened.page, RECORDS)
  return buildWindow('DNS records', opened, [
    linesOrText(page.items.map(dnsLine), 'This event has no DNS records.'),
    ...pagingBlocks(page, 'Records', (number) => `/threat dns ${id} --page ${number}`),
  ])
}

/** All comments, in pages, in the service's order. */
export function commentsWindow(opened: OpenedDetails): Modal {
  const { event, id, now } = opened
  const page = slicePage(event.comments ?? [], opened.page, COMMENTS)
  const comments = page.items.flatMap((comment, index) => [
    commentBlock(comment, page.start + 1 + index, { now, most: WHOLE_COMMENT }),
    ...((comment.content?.length ?? 0) > WHOLE_COMMENT
      ? [context('The rest of this comment isn’t shown.')]
      : []),
  ])
  return buildWindow('Comments', opened, [
    comments.length > 0 ? comments : lines('This event has no comments.'),
    ...pagingBlocks(page, 'Comments', (number) => `/threat comments ${id} --page ${number}`),
  ])
}

/** The WHOIS record with its personal data. */
export function whoisWindow(opened: OpenedDetails): Modal {
  const { event } = opened
  const whois = event.observedData?.whois
  const all = whoisLines(whois, { now: opened.now, reported: event.date })
  const odd = event.oddParts.filter(({ path }) => /^observed_data(?:$|\.whois)/.test(path))
  return buildWindow('WHOIS', opened, [
    all.length > 0 || odd.length === 0 ? linesOrText(all, 'This event has no WHOIS record.') : [],
    unexpectedSection(odd, odd.length),
    ...(all.length > 0 ? [context('The owner’s name and email address are personal data.')] : []),
  ])
}

/** A window about one event, which its heading names. */
export function buildWindow(
  title: string,
  { event, id, environment }: Pick<OpenedDetails, 'event' | 'id' | 'environment'>,
  blocks: readonly (KnownBlock | readonly KnownBlock[])[],
): Modal {
  const about = event.domain ? safeDomain(event.domain, 120) : safeLine(id, NAME)
  return {
    title,
    blocks: [
      header(clip(about, 150)),
      environment === 'ote' ? [context('OTE test environment')] : [],
      blocks.flat(),
    ],
  }
}

/** Lines, or a sentence if there are none. */
const linesOrText = (all: readonly Line[], instead: string): KnownBlock =>
  lines(...(all.length > 0 ? all : [instead]))
