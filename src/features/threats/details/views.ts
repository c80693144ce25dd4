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
import type { KnownBlock } from '@slack/types'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { safeDomain, safeLine, safeText } from '../defang.ts'
import { type DetailsSource, dnsLine, dnsRow, oddLines, whoisLines, wholePageLines } from './fields.ts'
import { dated } from './lines.ts'
import type { Overview, Section } from './overview.ts'
import { pageOf, pagingBlocks } from './page.ts'

/** The buttons under the details; each is there only when it leads to something that this person may see. */
export interface DetailsOffers {
  whois: boolean
  screenshot: boolean
  source: boolean
  kit: boolean
  watch: string | undefined
}

/** The details as a message; `picture` is a file at Slack. */
export function detailsWindow(
  overview: Overview,
  {
    offers,
    picture,
    environment,
  }: { offers: DetailsOffers; picture: KnownBlock | undefined; environment: Environment },
): Modal {
  const { id } = overview
  return {
    title: 'Threat event',
    blocks: [
      header(clip(overview.title, 150)),
      environment === 'ote' ? [context('OTE test environment')] : [],
      picture ?? [],
      [linesBlock(overview.main, '')],
      overview.sections.flatMap(sectionBlocks),
      overview.notes.map((note) => context(note)),
      actions(
        ...controlRow(
          [
            commandButton('Copy values', `/threat copy ${id}`),
            commandButton('Export indicators', `/threat export ${id}`),
            ...(offers.kit ? [commandButton('Takedown kit', `/threat kit ${id}`)] : []),
            ...(offers.watch ? [commandButton('Watch until it is down', offers.watch)] : []),
          ],
          [
            ...(offers.whois ? [commandButton('WHOIS', `/threat whois ${id}`)] : []),
            ...(offers.screenshot ? [commandButton('Screenshot as a file', `/threat screenshot ${id}`)] : []),
            ...(offers.source ? [commandButton('Page source', `/threat source ${id}`)] : []),
          ],
        ),
      ),
    ],
  }
}

function sectionBlocks(section: Section): KnownBlock[] {
  const { heading, left, noun, style, lines: all, whole } = section
  const body = style === 'quotes' ? quotesBlock(section) : linesBlock(all, '', heading)
  return [
    body,
    ...(left > 0 ? [context(`and ${counted(left, `more ${noun}`)}`)] : []),
    ...(whole ? actions(commandButton(whole.label, whole.line)) : []),
  ]
}

/** Each text has a frame of its own, so that no line of it looks like ours. */
function quotesBlock({ heading, lines: all }: Section): KnownBlock {
  const quotes = all.map((line) => ({ type: 'rich_text_quote' as const, elements: lineElements(line) }))
  return richText(paragraph(words(heading, { bold: true })), ...quotes)
}

/** What a window is about, and which page of its list it shows. */
export interface OpenedDetails extends DetailsSource {
  id: string
  event: ThreatEvent
  environment: Environment
  page: number
}

const RECORDS = 25
const COMMENTS = 10
const NAMES = 50
/** Characters of one comment; Slack shows some 3,000 of a piece of text. */
const COMMENT = 2500
/** Characters of one's own in a list of names. */
const NAME = 200
/** Most parts of the record that are shown although their type is not the expected one. */
const MOST_ODD = 15

/** All DNS records, in pages. A window takes no table, so each record is a line. */
export function dnsWindow(opened: OpenedDetails): Modal {
  const { event, id } = opened
  const page = pageOf(event.observedData?.dnsRecords ?? [], opened.page, RECORDS)
  return windowOf('DNS records', opened, [
    linesBlock(
      page.items.map((record) => dnsLine(dnsRow(record))),
      'This event has no DNS records.',
    ),
    ...pagingBlocks(page, 'Records', (number) => `/threat dns ${id} --page ${number}`),
  ])
}

/** All comments, in pages, in the service's order. */
export function commentsWindow(opened: OpenedDetails): Modal {
  const { event, id, now } = opened
  const page = pageOf(event.comments ?? [], opened.page, COMMENTS)
  const comments = page.items.flatMap(({ content = '', date }, index) => {
    const at = dated(date, now)
    const number = `Comment ${page.first + index}`
    return [
      richText(
        paragraph(
          words(number, { bold: true }),
          ...(at.length > 0 ? [words(' · ')] : []),
          ...lineElements(at),
        ),
        { type: 'rich_text_quote', elements: [words(safeText(content, COMMENT) || '(empty)')] },
      ),
      ...(content.length > COMMENT ? [context('The rest of this comment is not shown.')] : []),
    ]
  })
  return windowOf('Comments', opened, [
    ...(comments.length > 0 ? comments : [linesBlock([], 'This event has no comments.')]),
    ...pagingBlocks(page, 'Comments', (number) => `/threat comments ${id} --page ${number}`),
  ])
}

/** The WHOIS record with its personal data. Only this window can share those too. */
export function whoisWindow(opened: OpenedDetails): Modal {
  const { event, id } = opened
  const whois = event.observedData?.whois
  // The statuses have their own list below.
  const lines = whoisLines(whois && { ...whois, statuses: [] }, { now: opened.now, reported: event.date })
  const page = pageOf(whois?.statuses ?? [], opened.page, NAMES)
  const odd = oddLines(event.asItCame.filter(({ path }) => /^observed_data(?:$|\.whois)/.test(path)))
  return windowOf('WHOIS', opened, [
    lines.length > 0 || odd.length === 0 ? linesBlock(lines, 'This event has no WHOIS record.') : [],
    odd.length > 0 ? linesBlock(odd.slice(0, MOST_ODD), '', 'In another form than expected, as it came') : [],
    ...namesBlocks('Statuses', page.items),
    ...pagingBlocks(page, 'Statuses', (number) => `/threat whois ${id} --page ${number}`),
    ...(lines.length > 0
      ? [
          context('The owner’s name and e-mail address are personal data.'),
          ...actions(
            commandButton('Share card with WHOIS', `/threat ${id} --whois --share --personal --sure`, {
              confirm: {
                title: 'Share personal data?',
                text: 'Everyone in the channel will see the name and the e-mail address of the owner.',
                confirm: 'Share',
              },
            }),
          ),
        ]
      : []),
  ])
}

/** The website fields that the card shortens, in full, and every redirection. */
export function websiteWindow(opened: OpenedDetails): Modal {
  const { event, id } = opened
  const website = event.observedData?.website
  const page = pageOf(website?.redirectionTypes ?? [], opened.page, NAMES)
  return windowOf('Website', opened, [
    linesBlock(wholePageLines(website), 'This event does not mention a website.'),
    ...namesBlocks('Redirections', page.items),
    ...pagingBlocks(page, 'Redirections', (number) => `/threat website ${id} --page ${number}`),
  ])
}

/** A window on one event; its heading names the event. */
export function windowOf(
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

function namesBlocks(heading: string, names: readonly string[]): KnownBlock[] {
  if (names.length === 0) return []
  const shown = names.map((name) => safeLine(name, NAME)).join(', ')
  return [richText(paragraph(words(`${heading}: `, { bold: true }), ...pieces(shown)))]
}

/** A long text in pieces that Slack takes. */
function pieces(text: string): ReturnType<typeof words>[] {
  const found = text.match(/[\s\S]{1,2500}/gu) ?? []
  return found.map((piece) => words(piece))
}

/** Lines under a heading, or a sentence when there are none. */
function linesBlock(all: readonly Line[], instead: string, heading?: string): KnownBlock {
  const head = heading ? [words(heading, { bold: true })] : []
  return lines(...head, ...(all.length > 0 ? all : [instead]))
}
