// This folder finds the IDs of threat events in messages, and reads the events.

import { TEXT_LIMITS, UserError, yieldWhenDue } from '@signalman/runtime'
import type { Topic } from '../../../bot/routes/routes.ts'
import { splitWords } from '../../../domain/quoting.ts'
import { cleanTyped } from '../../../domain/typed-text/clean.ts'
import { parseAddress, refang } from '../../../domain/typed-text/typed-address.ts'
import { HELP, ID_FORMAT, ONLY_BY_ID, WHERE_IDS_ARE } from '../parse.ts'
import { findIds } from '../rules/ids.ts'

/**
 * The fields of a message with text that people see: text, links, captions, and file names. Other fields aren't searched, because
 * Slack's own IDs (`client_msg_id`, `block_id`) and values of other apps' buttons look like event IDs.
 */
const READABLE_FIELDS =
  /^(?:text|fallback|pretext|title|title_link|footer|author_name|author_link|url|from_url|original_url|alt_text|alt_txt|name|value|label|description|caption|preview|plain_text|initial_comment)$/
const MESSAGE_PARTS = ['text', 'blocks', 'attachments', 'files', 'message_blocks', 'root']

/** Finds the event IDs anywhere in a message and returns them as the arguments of a command. Throws UserError if there are none. */
export async function eventIdsAsText(message: Readonly<Record<string, unknown>>): Promise<string> {
  const ids = await findEventIdsInMessage(message)
  if (ids.length > 0) return ids.join(' ')
  throw new UserError(`This message has no threat event ID. ${ID_FORMAT}`, [HELP])
}

/** The unique IDs in a message's text, blocks, attachments, and files, in that order. Yields to other requests. */
export async function findEventIdsInMessage(message: Readonly<Record<string, unknown>>): Promise<string[]> {
  const ids = new Set<string>()
  for (const text of listTexts(message)) {
    await yieldWhenDue()
    for (const id of findTextIds(text)) ids.add(id)
  }
  return [...ids]
}

/** Finds IDs in the text as people see it, and in the raw text, because a link's address may contain an ID that its label lacks. */
export const findTextIds = (text: string): string[] => [
  ...findIds(splitWords(cleanTyped(text)).map((word) => word.text)).ids,
  ...findIds(text.split(/[\s<>|]+/)).ids,
]

/** Lists the readable texts of a message, in order. Stops at the limits for huge messages. */
function listTexts(message: Readonly<Record<string, unknown>>): string[] {
  const { message: maxLength, messageTexts, messageParts, messageDepth } = TEXT_LIMITS
  const texts: string[] = []
  const stack = MESSAGE_PARTS.map((name): Part => ({ name, value: message[name], depth: 0 })).reverse()
  for (let visited = 0; visited < messageParts && texts.length < messageTexts; visited += 1) {
    const part = stack.pop()
    if (!part) break
    if (typeof part.value === 'string' && READABLE_FIELDS.test(part.name))
      texts.push(part.value.slice(0, maxLength))
    if (part.depth < messageDepth) stack.push(...listParts(part).slice(0, messageParts).reverse())
  }
  return texts
}

interface Part {
  name: string
  value: unknown
  depth: number
}

function listParts({ name, value, depth }: Part): Part[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.map((item) => ({ name, value: item, depth: depth + 1 }))
  // In an interactive element, `value` is internal to its app. In an attachment's field, it's text.
  const isInteractive = 'type' in value
  return Object.entries(value)
    .filter(([key, inner]) => key !== 'value' || !isInteractive || typeof inner !== 'string')
    .map(([key, inner]) => ({ name: key, value: inner, depth: depth + 1 }))
}

/** A link with a label: `<https://portal.example.com/e/…|the event>`. */
const LABELED_LINK = /<(https?:[^<>|]{1,4000})\|([^<>]{0,1000})>/g

const hasId = (text: string): boolean => findIds([text]).ids.length > 0

/** Replaces a labeled link with its address if the address contains an ID. */
const replaceLabels = (text: string): string =>
  text.replace(LABELED_LINK, (link, address: string) => (hasId(address) ? address : link))

/** A URL or a defanged address that is the whole text. Not a plain domain, because a health check may have that name. */
function findReportedAddress(text: string): string | undefined {
  const typed = cleanTyped(text)
  const { kind } = parseAddress(typed)
  return kind === 'url' || (kind !== 'text' && refang(typed) !== typed) ? typed : undefined
}

/** What `/threat` is about, and how mentions of the app find event IDs: in the text, and in labeled links. */
export const THREAT_TOPIC = {
  command: 'threat',
  things: /^(?:threats?|cases?|events?)$/i,
  about: /^(?:phish\w*|scams?|spoof\w*|malware|takedowns?)$/i,
  buttons: [{ label: 'Queue', line: '/threat queue' }],
  knows: `${ONLY_BY_ID} ${WHERE_IDS_ARE}`,
  toCommandText: replaceLabels,
  parseIds: (text: string): string | undefined =>
    [...new Set(findTextIds(text))].join(' ') || findReportedAddress(text),
} satisfies Topic
