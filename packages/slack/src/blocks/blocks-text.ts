import type { KnownBlock, RichTextElement } from '@slack/types'
import { elementText } from './rich-text.ts'
import { literal } from './text.ts'

/** What blocks of our own making say, for a message's `text`: a line for each, without what is only to be pressed. */
export const blocksText = (blocks: readonly KnownBlock[]): string =>
  blocks
    .map(blockText)
    .filter((line) => line.trim() !== '')
    .join('\n')

function blockText(block: KnownBlock): string {
  switch (block.type) {
    case 'header':
      return partText(block.text)
    case 'section':
      return [block.text, ...(block.fields ?? [])].map(partText).filter(Boolean).join('\n')
    case 'context':
      return block.elements.map(partText).filter(Boolean).join(' · ')
    case 'image':
      return literal(block.alt_text)
    case 'rich_text':
      return block.elements.map(richText).join('\n')
    case 'table':
      return block.rows.map((cells) => cells.map(cellText).filter(Boolean).join(' · ')).join('\n')
    default:
      return ''
  }
}

const cellText = (cell: unknown): string => partText(cell) || richText(cell)

/** Markup of our own stays markup; all else is outside text. */
function partText(part: unknown): string {
  if (typeof part !== 'object' || part === null || !('text' in part)) return ''
  const text = String(part.text)
  return 'type' in part && part.type === 'mrkdwn' ? text : literal(text)
}

function richText(part: unknown): string {
  if (typeof part !== 'object' || part === null) return ''
  if ('elements' in part && Array.isArray(part.elements)) return part.elements.map(richText).join('')
  // What has no elements of its own is one.
  return 'type' in part ? elementText(part as RichTextElement) : ''
}
