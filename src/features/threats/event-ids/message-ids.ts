import { wordsOf } from '../../../bot/typed/command-line.ts'
import { UserError } from '../../../errors.ts'
import { FORM, HELP } from '../parse.ts'
import { findIds } from './ids.ts'

/**
 * The fields of a message that people read: text, links, captions, file names. Slack's own ids (`client_msg_id`, `block_id`)
 * and the values of other apps' buttons have the form of an event's id, and are in other fields.
 */
const READ =
  /^(?:text|fallback|pretext|title|title_link|footer|author_name|author_link|url|from_url|original_url|alt_text|alt_txt|name|value|label|description|caption|preview|plain_text|initial_comment)$/
const PARTS = ['text', 'blocks', 'attachments', 'files', 'message_blocks', 'root']

/** Bounds for a message made to be huge. */
const MAX_DEPTH = 30
const MAX_TEXTS = 5000

/** The line for the threat events that a message names anywhere. Throws UserError when there are none. */
export function lineForMessage(message: Readonly<Record<string, unknown>>): {
  command: string
  text: string
} {
  const ids = idsOfMessage(message)
  if (ids.length === 0) throw new UserError(`This message holds no threat event id. ${FORM}`, [HELP])
  return { command: 'threat', text: ids.join(' ') }
}

/** Ids in a message's text, blocks, attachments and files, each once, in that order. */
export function idsOfMessage(message: Readonly<Record<string, unknown>>): string[] {
  const texts: string[] = []
  for (const part of PARTS) collect(message[part], part, texts, 0)
  return [...new Set(texts.flatMap(idsOfText))]
}

/** Finds ids in the text as typed, with labels for links, and as it is: the address behind a label may contain the id. */
export const idsOfText = (text: string): string[] => [
  ...findIds(wordsOf(text).map((word) => word.text)).ids,
  ...findIds(text.split(/[\s<>|]+/)).ids,
]

function collect(part: unknown, name: string, texts: string[], depth: number): void {
  if (texts.length >= MAX_TEXTS || depth > MAX_DEPTH) return
  if (typeof part === 'string') {
    if (READ.test(name)) texts.push(part)
    return
  }
  if (typeof part !== 'object' || part === null) return
  if (Array.isArray(part)) {
    for (const item of part) collect(item, name, texts, depth + 1)
    return
  }
  // An element with a type has a `value` of the other app's own; the `value` of an attachment's field is text.
  const acts = 'type' in part
  for (const [key, inner] of Object.entries(part))
    if (key !== 'value' || !acts || typeof inner !== 'string') collect(inner, key, texts, depth + 1)
}
