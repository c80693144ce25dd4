import { fieldsOf, isFields } from '../json.ts'
import type { Block, Fields } from '../protocol.ts'
import { ATTACHMENTS_AT_MOST, BLOCK_CHARACTERS, kindOf, TEXT_CHARACTERS } from '../rules/kinds.ts'
import type { Level } from '../rules/rule.ts'
import { textLength } from '../rules/text-length.ts'
import { checkBlocks, hasTwoTables } from './blocks.ts'
import { CAREFUL, type Check, checkEscaped, checkKind, createCheck, type Fault, worded } from './check.ts'
import { asStored } from './stored.ts'
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
  /** Whose rules apply; by default Slack's own and the careful ones. */
  levels?: readonly Level[]
}

const refusal = (error: string, faults: Fault[]): Refusal => ({ error, notes: faults.map(worded), faults })

function textFault(message: Fields, limit: number, check: Check): Refusal | undefined {
  const text = message.text ?? ''
  const wrong = (note: string) => refusal('invalid_arguments', [{ pointer: '/text', message: note }])
  if (typeof text !== 'string') return wrong('must provide a string')
  const isSilent =
    text.trim() === '' && !fieldsOf(message.blocks).length && !fieldsOf(message.attachments).length
  if (isSilent) return { error: 'no_text', notes: ['A message needs `text` or `blocks`.'] }
  if ([...text].length > limit)
    return { error: 'msg_too_long', notes: [`\`text\` must be at most ${limit} characters.`] }
  if (!isPrintable(text)) return wrong('must not contain control characters')
  if (message.mrkdwn !== false) checkEscaped(text, '/text', check)
  return check.faults.length > 0 ? refusal('invalid_arguments', check.faults) : undefined
}

function attachmentFault(given: readonly Fields[], check: Check): Refusal | undefined {
  if (given.length > ATTACHMENTS_AT_MOST)
    return { error: 'too_many_attachments', notes: [`At most ${ATTACHMENTS_AT_MOST} attachments.`] }
  for (const [index, one] of given.entries()) {
    checkKind(kindOf('attachment'), one, `/attachments/${index}`, check)
    if (one.blocks !== undefined) checkBlocks(one.blocks, `/attachments/${index}/blocks`, check)
    if (one.actions !== undefined && one.blocks === undefined)
      check.faults.push({
        pointer: `/attachments/${index}/actions`,
        message: 'the playground has no interactive attachments of old; send blocks',
      })
  }
  return check.faults.length > 0 ? refusal('invalid_attachments', check.faults) : undefined
}

/**
 * `text`, `blocks`, and `attachments` of a message as Slack would accept them, or its refusal: `no_text`, `msg_too_long`,
 * `invalid_blocks_format`, `invalid_blocks` and `invalid_attachments` (one note per problem, with its JSON pointer),
 * `msg_blocks_too_long`.
 */
export function checkMessage(
  message: Fields,
  { textLimit = TEXT_CHARACTERS, levels = CAREFUL }: Strictness = {},
): CheckedMessage {
  const given = message.blocks ?? []
  if (!Array.isArray(given) || !given.every(isFields))
    return { error: 'invalid_blocks_format', notes: ['`blocks` must be an array of objects.'] }
  const attachments = message.attachments ?? []
  if (!Array.isArray(attachments) || !attachments.every(isFields))
    return { error: 'invalid_attachments', notes: ['`attachments` must be an array of objects.'] }
  const check = createCheck('message', levels)
  const wrongText = textFault(message, textLimit, check)
  if (wrongText) return wrongText
  checkBlocks(given, '/blocks', check)
  if (check.faults.length > 0) return refusal('invalid_blocks', check.faults)
  const wrongAttachment = attachmentFault(attachments, check)
  if (wrongAttachment) return wrongAttachment
  if (hasTwoTables(given, ...attachments.map(({ blocks }) => blocks)))
    return { error: 'invalid_attachments', notes: ['only_one_table_allowed'] }
  if (textLength(given) > BLOCK_CHARACTERS)
    return {
      error: 'msg_blocks_too_long',
      notes: [`All text of the blocks must be at most ${BLOCK_CHARACTERS} characters.`],
    }
  return {
    text: typeof message.text === 'string' ? message.text : '',
    blocks: asStored(given),
    attachments: attachments.map((one) =>
      one.blocks === undefined ? one : { ...one, blocks: asStored(fieldsOf(one.blocks)) },
    ),
  }
}
