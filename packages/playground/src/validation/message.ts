import type { Fields } from '../protocol/json.ts'
import { isFields, objectsIn } from '../protocol/json.ts'
import type { Block } from '../protocol/protocol.ts'
import { MAX_BLOCK_TEXT_LENGTH, MAX_TEXT_LENGTH } from '../rules/limits.ts'
import { textLength } from '../rules/text-length.ts'
import { checkBlocks } from './blocks.ts'
import { type Check, type ContentError, checkEscaped, createCheck, formatError } from './check.ts'
import { toStoredBlocks } from './stored.ts'
import { isPrintable } from './values.ts'

export interface Rejection {
  error: string
  notes: string[]
}
type CheckedMessage = { text: string; blocks: Block[] } | Rejection

const toRejection = (error: string, errors: ContentError[]): Rejection => ({
  error,
  notes: errors.map(formatError),
})

function findTextRejection(message: Fields, limit: number, check: Check): Rejection | undefined {
  const text = message.text ?? ''
  const rejectText = (note: string) => toRejection('invalid_arguments', [{ pointer: '/text', message: note }])
  if (typeof text !== 'string') return rejectText('must provide a string')
  const hasNoContent = text.trim() === '' && !objectsIn(message.blocks).length
  if (hasNoContent) return { error: 'no_text', notes: ['A message needs `text` or `blocks`.'] }
  if ([...text].length > limit)
    return { error: 'msg_too_long', notes: [`\`text\` must be at most ${limit} characters.`] }
  if (!isPrintable(text)) return rejectText('must not contain control characters')
  checkEscaped(text, '/text', check)
  return check.errors.length > 0 ? toRejection('invalid_arguments', check.errors) : undefined
}

/**
 * Validates a message as Slack does. Returns `text` and `blocks` as Slack would store them, or Slack's error code
 * with a note for each problem.
 */
export function checkMessage(message: Fields, textLimit = MAX_TEXT_LENGTH): CheckedMessage {
  const blocks = message.blocks ?? []
  if (!Array.isArray(blocks) || !blocks.every(isFields))
    return { error: 'invalid_blocks_format', notes: ['`blocks` must be an array of objects.'] }
  if (message.attachments !== undefined)
    return { error: 'invalid_attachments', notes: ['The playground has no attachments. Use blocks.'] }
  const check = createCheck('message')
  const textRejection = findTextRejection(message, textLimit, check)
  if (textRejection) return textRejection
  checkBlocks(blocks, '/blocks', check)
  if (check.errors.length > 0) return toRejection('invalid_blocks', check.errors)
  if (textLength(blocks) > MAX_BLOCK_TEXT_LENGTH)
    return {
      error: 'msg_blocks_too_long',
      notes: [`The text of all blocks together must be at most ${MAX_BLOCK_TEXT_LENGTH} characters.`],
    }
  return {
    text: typeof message.text === 'string' ? message.text : '',
    blocks: toStoredBlocks(blocks),
  }
}
