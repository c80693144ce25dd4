import type { KnownBlock, RichTextElement } from '@slack/types'
import { context } from './layout.ts'
import { LIMITS } from './limits.ts'
import { elementText } from './rich-text.ts'
import { clipMrkdwn, literal } from './text.ts'

/** A message for a channel or person. `text` contains everything that the blocks show, for notifications and screen readers. */
export interface Message {
  text: string
  blocks: KnownBlock[]
}

/** Builds a message within Slack's limits. Shortens `text`, and replaces excess blocks with a note of how many were left out. */
export function message(text: string, ...blocks: (KnownBlock | KnownBlock[])[]): Message {
  return {
    text: clipMrkdwn(text, LIMITS.messageText),
    blocks: fitMessage(blocks.flat()),
  }
}

/** Keeps at most 50 blocks and 13,000 characters of text in total. A note above the buttons says what was left out. */
function fitMessage(blocks: readonly KnownBlock[]): KnownBlock[] {
  const { messageBlocks: max, messageBlockText: maxText } = LIMITS
  if (countFitting(blocks, max, maxText) === blocks.length) return [...blocks]
  const footer = findFooter(blocks)
  const body = blocks.slice(0, blocks.length - footer.length)
  const shown = body.slice(0, countFitting(body, max - 1 - footer.length, maxText - textSize(footer)))
  const omitted = body.length - shown.length
  return [
    ...shown,
    context(`${omitted} more ${omitted === 1 ? 'part' : 'parts'} left out: too much for one message.`),
    ...footer,
  ]
}

/** Counts how many of the first blocks fit. */
function countFitting(blocks: readonly KnownBlock[], max: number, maxText: number): number {
  let size = 0
  let count = 0
  for (const block of blocks) {
    size += textSize(block)
    if (size > maxText || count === max) break
    count += 1
  }
  return count
}

const MAX_FOOTER_BLOCKS = 5

/** The buttons and menus at the end of a message, with the small print around them. */
function findFooter(blocks: readonly KnownBlock[]): readonly KnownBlock[] {
  const last = blocks.findLastIndex(({ type }) => type !== 'actions' && type !== 'context')
  const footer = blocks.slice(Math.max(last + 1, blocks.length - MAX_FOOTER_BLOCKS))
  return footer.some(({ type }) => type === 'actions') ? footer : []
}

/** The number of characters of visible text in a block or in blocks. */
function textSize(part: unknown): number {
  if (typeof part !== 'object' || part === null) return 0
  let size = 0
  if (Array.isArray(part)) for (const item of part) size += textSize(item)
  // Object.entries would allocate an array for each of a listing's hundreds of cells.
  else
    for (const key in part) {
      const value = (part as Record<string, unknown>)[key]
      size += key === 'text' && typeof value === 'string' ? value.length : textSize(value)
    }
  return size
}

/** The text of our own blocks for a message's `text`: one line per block, without buttons and menus. */
export const blocksText = (blocks: readonly KnownBlock[]): string =>
  blocks.map(blockText).filter(Boolean).join('\n')

function blockText(block: KnownBlock): string {
  switch (block.type) {
    case 'header':
      return partText(block.text)
    case 'section':
      return [block.text, ...(block.fields ?? [])].map(partText).filter(Boolean).join('\n')
    case 'context':
      return block.elements.map(partText).filter(Boolean).join(' · ')
    case 'rich_text':
      return block.elements.map(richText).join('\n')
    default:
      return ''
  }
}

/** The text of a mrkdwn or plain text object. Only the app itself writes mrkdwn, so everything else is escaped. */
function partText(part: unknown): string {
  if (typeof part !== 'object' || part === null || !('text' in part)) return ''
  const text = String(part.text)
  return 'type' in part && part.type === 'mrkdwn' ? text : literal(text)
}

function richText(part: unknown): string {
  if (typeof part !== 'object' || part === null) return ''
  if ('elements' in part && Array.isArray(part.elements)) return part.elements.map(richText).join('')
  // A block without elements is treated as an element.
  return 'type' in part ? elementText(part as RichTextElement) : ''
}
