import { createId } from '../ids.ts'
import { fieldsOf, isFields, stringOf } from '../json.ts'
import type { Block, Fields } from '../protocol.ts'
import { blocks } from './blocks.ts'
import { escaped } from './escaped.ts'
import { createCheck, isPrintable } from './rules.ts'
import { textLength } from './tables.ts'

/** A message's text (https://docs.slack.dev/changelog/2018-04-truncating-really-long-messages, November 2026). */
const TEXT_LIMIT = 40_000
/** All text of a message's blocks: undocumented, measured by others. */
const BLOCK_TEXT_LIMIT = 13_200

export type CheckedMessage = { text: string; blocks: Block[] } | { error: string; notes: string[] }

/** Gives blocks, and elements that can be acted on, the ids that Slack makes up when they are left out. */
export function withIds(given: Fields[]): Block[] {
  return given.map((block): Block => {
    const named = Object.fromEntries(
      Object.entries(block).map(([name, inner]) => {
        if (name === 'accessory' || name === 'element') return [name, isFields(inner) ? named1(inner) : inner]
        const acting = name === 'elements' && (block.type === 'actions' || block.type === 'context_actions')
        return [name, acting ? fieldsOf(inner).map(named1) : inner]
      }),
    )
    return {
      ...named,
      type: String(block.type),
      block_id: stringOf(block.block_id) ?? createId('').slice(0, 5),
    }
  })
}

function named1(element: Fields): Fields {
  if (element.type === 'image' || element.action_id !== undefined) return element
  return { ...element, action_id: createId('').slice(0, 5) }
}

/**
 * `text` and `blocks` of a message as Slack would take them, or its refusal: `no_text`, `msg_too_long`,
 * `invalid_blocks_format`, `invalid_blocks` (a note per fault, with its JSON pointer), `msg_blocks_too_long`.
 */
export function checkMessage(message: Fields, textLimit = TEXT_LIMIT): CheckedMessage {
  const given = message.blocks ?? []
  if (!Array.isArray(given) || !given.every(isFields))
    return { error: 'invalid_blocks_format', notes: ['`blocks` must be an array of objects.'] }
  if (Array.isArray(message.attachments) && message.attachments.length > 0)
    return { error: 'invalid_attachments', notes: ['The playground does not draw attachments; send blocks.'] }
  const text = message.text ?? ''
  if (typeof text !== 'string')
    return { error: 'invalid_arguments', notes: ['must provide a string [json-pointer:/text]'] }
  if (text.trim() === '' && given.length === 0)
    return { error: 'no_text', notes: ['A message needs `text` or `blocks`.'] }
  if ([...text].length > textLimit)
    return { error: 'msg_too_long', notes: [`\`text\` must be at most ${textLimit} characters.`] }
  if (!isPrintable(text))
    return { error: 'invalid_arguments', notes: ['must not contain control characters [json-pointer:/text]'] }
  const check = createCheck('message')
  if (message.mrkdwn !== false) escaped(text, '/text', check)
  if (check.faults.length > 0) return { error: 'invalid_arguments', notes: check.faults }
  blocks(given, '/blocks', check)
  if (check.faults.length > 0) return { error: 'invalid_blocks', notes: check.faults }
  if (textLength(given) > BLOCK_TEXT_LIMIT)
    return {
      error: 'msg_blocks_too_long',
      notes: [`All text of the blocks must be at most ${BLOCK_TEXT_LIMIT} characters.`],
    }
  return { text, blocks: withIds(given.filter(isFields)) }
}
