import { actions, clip, commandButton, context, header, paragraph, richText, words } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Modal } from '../../../../bot/routes/routes.ts'
import type { Environment } from '../../../../domain/environment.ts'
import { counted } from '../../../../domain/wording.ts'
import { lineElements } from '../lines.ts'
import type { Overview, Section } from '../overview.ts'
import { linesBlock } from './lines.ts'

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
        ...(offers.whois ? [commandButton('WHOIS', `/threat whois ${id}`)] : []),
        ...(offers.screenshot ? [commandButton('Screenshot as a file', `/threat screenshot ${id}`)] : []),
        ...(offers.source ? [commandButton('Page source', `/threat source ${id}`)] : []),
        commandButton('Copy values', `/threat copy ${id}`),
        commandButton('Export indicators', `/threat export ${id}`),
        ...(offers.kit ? [commandButton('Takedown kit', `/threat kit ${id}`)] : []),
        ...(offers.watch ? [commandButton('Watch until it is down', offers.watch)] : []),
      ),
    ],
  }
}

function sectionBlocks(section: Section): KnownBlock[] {
  const { heading, left, noun, style, lines, whole } = section
  const body = style === 'quotes' ? quotesBlock(section) : linesBlock(lines, '', heading)
  return [
    body,
    ...(left > 0 ? [context(`and ${counted(left, `more ${noun}`)}`)] : []),
    ...(whole ? actions(commandButton(whole.label, whole.line)) : []),
  ]
}

/** Each text has a frame of its own, so that no line of it looks like ours. */
function quotesBlock({ heading, lines }: Section): KnownBlock {
  const quotes = lines.map((line) => ({ type: 'rich_text_quote' as const, elements: lineElements(line) }))
  return richText(paragraph(words(heading, { bold: true })), ...quotes)
}
