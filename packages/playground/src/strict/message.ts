import { isFields, objectsIn } from '../json.ts'
import type { Block, Fields } from '../protocol.ts'
import { getKind, MAX_ATTACHMENTS, MAX_BLOCK_TEXT_LENGTH, MAX_TEXT_LENGTH } from '../rules/kinds.ts'
import type { Level } from '../rules/rule.ts'
import { textLength } from '../rules/text-length.ts'
import { checkBlocks, hasTwoTables } from './blocks.ts'
import {
  CAREFUL,
  type Check,
  checkEscaped,
  checkKind,
  createCheck,
  type Fault,
  formatFault,
} from './check.ts'
import { toStoredBlocks } from './stored.ts'
import { isPrintable } from './values.ts'

export interface Refusal {
  error: string
  notes: string[]
  /** The position of each problem, if the rules found it. */
  faults?: Fault[]
}
export type CheckedMessage = { text: string; blocks: Block[]; attachments: Fields[] } | Refusal

export interface Strictness {
  textLimit?: number
  /** Which rules apply; by default Slack's and the careful ones. */
  levels?: readonly Level[]
}

const refusal = (error: string, faults: Fault[]): Refusal => ({
  error,
  notes: faults.map(formatFault),
  faults,
})

function textFault(message: Fields, limit: number, check: Check): Refusal | undefined {
  const text = message.text ?? ''
  const refuse = (note: string) => refusal('invalid_arguments', [{ pointer: '/text', message: note }])
  if (typeof text !== 'string') return refuse('must provide a string')
  const hasNoContent =
    text.trim() === '' && !objectsIn(message.blocks).length && !objectsIn(message.attachments).length
  if (hasNoContent) return { error: 'no_text', notes: ['A message needs `text` or `blocks`.'] }
  if ([...text].length > limit)
    return { error: 'msg_too_long', notes: [`\`text\` must be at most ${limit} characters.`] }
  if (!isPrintable(text)) return refuse('must not contain control characters')
  if (message.mrkdwn !== false) checkEscaped(text, '/text', check)
  return check.faults.length > 0 ? refusal('invalid_arguments', check.faults) : undefined
}

function attachmentFault(given: readonly Fields[], check: Check): Refusal | undefined {
  if (given.length > MAX_ATTACHMENTS)
    return {
      error: 'too_many_attachments',
      notes: [`A message can have at most ${MAX_ATTACHMENTS} attachments.`],
    }
  for (const [index, one] of given.entries()) {
    checkKind(getKind('attachment'), one, `/attachments/${index}`, check)
    if (one.blocks !== undefined) checkBlocks(one.blocks, `/attachments/${index}/blocks`, check)
    if (one.actions !== undefined && one.blocks === undefined)
      check.faults.push({
        pointer: `/attachments/${index}/actions`,
        message: "the playground doesn't support legacy interactive attachments; use blocks",
      })
  }
  return check.faults.length > 0 ? refusal('invalid_attachments', check.faults) : undefined
}

/**
 * Validates a message as Slack does. Returns `text`, `blocks`, and `attachments` as Slack would store them, or Slack's error: `no_text`,
 * `msg_too_long`, `invalid_blocks_format`, `invalid_blocks` or `invalid_attachments` (with one note per problem and its JSON pointer),
 * or `msg_blocks_too_long`.
 */
export function checkMessage(
  message: Fields,
  { textLimit = MAX_TEXT_LENGTH, levels = CAREFUL }: Strictness = {},
): CheckedMessage {
  const given = message.blocks ?? []
  if (!Array.isArray(given) || !given.every(isFields))
    return { error: 'invalid_blocks_format', notes: ['`blocks` must be an array of objects.'] }
  const attachments = message.attachments ?? []
  if (!Array.isArray(attachments) || !attachments.every(isFields))
    return { error: 'invalid_attachments', notes: ['`attachments` must be an array of objects.'] }
  const check = createCheck('message', levels)
  const textRefusal = textFault(message, textLimit, check)
  if (textRefusal) return textRefusal
  checkBlocks(given, '/blocks', check)
  if (check.faults.length > 0) return refusal('invalid_blocks', check.faults)
  const attachmentRefusal = attachmentFault(attachments, check)
  if (attachmentRefusal) return attachmentRefusal
  if (hasTwoTables(given, ...attachments.map(({ blocks }) => blocks)))
    return { error: 'invalid_attachments', notes: ['only_one_table_allowed'] }
  if (textLength(given) > MAX_BLOCK_TEXT_LENGTH)
    return {
      error: 'msg_blocks_too_long',
      notes: [`The text of all blocks together must be at most ${MAX_BLOCK_TEXT_LENGTH} characters.`],
    }
  return {
    text: typeof message.text === 'string' ? message.text : '',
    blocks: toStoredBlocks(given),
    attachments: attachments.map((one) =>
      one.blocks === undefined ? one : { ...one, blocks: toStoredBlocks(objectsIn(one.blocks)) },
    ),
  }
}
