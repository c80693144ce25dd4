/** A clickable or formatted part of a message. */
export interface MarkupNode {
  kind: 'link' | 'user' | 'channel' | 'usergroup' | 'broadcast' | 'emoji' | 'date' | 'image' | 'unknown'
  source: string
}

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Finds everything clickable or formatted in a message's text and blocks, as Slack documents it
 * (https://docs.slack.dev/messaging/formatting-message-text, read November 2026). Independent of the app's escaping. If in doubt,
 * reports too much.
 */
export function findMarkup({ text, blocks }: { text: string; blocks: readonly unknown[] }): MarkupNode[] {
  return [...findInMrkdwn(text, false), ...blocks.flatMap((block) => findInPart(block))]
}

function findInPart(part: unknown): MarkupNode[] {
  if (Array.isArray(part)) return part.flatMap(findInPart)
  if (typeof part !== 'object' || part === null) return []
  const ownNodes = findInObject(part as JsonObject)
  return [...ownNodes, ...Object.values(part).flatMap(findInPart)]
}

/** Finds the markup of one object, but not of its children. */
function findInObject(part: JsonObject): MarkupNode[] {
  const { type, text, url, image_url, title_url, thumbnail_url, slack_file, emoji, verbatim } = part
  const found: MarkupNode[] = []
  if (type === 'mrkdwn') found.push(...findInMrkdwn(String(text), verbatim === true))
  if (type === 'plain_text' && emoji !== false) found.push(...findEmoji(String(text)))
  for (const address of [url, title_url])
    if (typeof address === 'string') found.push(createNode('link', address))
  for (const address of [image_url, thumbnail_url, slack_file])
    if (address !== undefined) found.push(createNode('image', String(address)))
  const kind = typeof type === 'string' ? RICH_TEXT_KINDS[type] : undefined
  // An element with `type: text` is rendered literally, so it isn't in the table.
  if (kind) found.push(createNode(kind, JSON.stringify(part)))
  if (type === 'markdown' || type === 'video' || type === 'rich_text_link')
    found.push(createNode('unknown', String(type)))
  return found
}

const RICH_TEXT_KINDS: Readonly<Record<string, MarkupNode['kind']>> = {
  user: 'user',
  channel: 'channel',
  usergroup: 'usergroup',
  team: 'unknown',
  broadcast: 'broadcast',
  emoji: 'emoji',
  color: 'unknown',
}

const createNode = (kind: MarkupNode['kind'], source: string): MarkupNode => ({ kind, source })

/** Parses angle brackets first, as Slack does. Then searches the rest for emoji and, unless `verbatim` is set, for addresses. */
function findInMrkdwn(source: string, verbatim: boolean): MarkupNode[] {
  const found: MarkupNode[] = []
  let rest = ''
  let at = 0
  while (at < source.length) {
    const end = source[at] === '<' ? source.indexOf('>', at) : -1
    if (end === -1) {
      rest += source[at]
      at += 1
      continue
    }
    found.push(parseBracket(source.slice(at + 1, end)))
    rest += ' '
    at = end + 1
  }
  return [...found, ...findEmoji(rest), ...(verbatim ? [] : findAddresses(rest))]
}

function parseBracket(inside: string): MarkupNode {
  if (inside.startsWith('@')) return createNode('user', inside)
  if (inside.startsWith('#')) return createNode('channel', inside)
  if (/^!date\^-?\d+\^[^^|]*\|[^|]*$/.test(inside)) return createNode('date', inside)
  if (inside.startsWith('!subteam')) return createNode('usergroup', inside)
  if (inside.startsWith('!')) return createNode('broadcast', inside)
  return createNode('link', inside)
}

const findEmoji = (text: string): MarkupNode[] =>
  [...text.matchAll(/:[\p{L}\p{N}_+'-]+:/gu)].map(([match]) => createNode('emoji', match))

const ADDRESSES: readonly (readonly [MarkupNode['kind'], RegExp])[] = [
  // Not hxxp, which replaces http in defanged text. No client opens it.
  ['link', /(?<![a-z0-9+.-])(?!hxxps?:)[a-z][a-z0-9+.-]*:\/\/[^\s<>]*/gi],
  ['link', /(?<![\p{L}\p{N}])(?:mailto|tel|javascript|data|vbscript|sms|file|blob):(?=\S)/giu],
  ['link', /(?<![\p{L}\p{N}.])(?:[\p{L}\p{N}_-]+[.\u3002\uff0e\uff61])+\p{L}{2,}(?![\p{L}\p{N}])/gu],
  ['link', /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/g],
  ['link', /[\p{L}\p{N}.+_-]+[@\uff20][\p{L}\p{N}-]+/gu],
  ['broadcast', /(?<![p{L}p{N}])@(?:here|channel|everyone)\b/gi],
  ['user', /(?<![\p{L}\p{N}])@[\p{L}\p{N}][\p{L}\p{N}._-]*/gu],
  ['channel', /(?<![\p{L}\p{N}&])#[\p{L}\p{N}][\p{L}\p{N}_-]*/gu],
]

/** Searches with one pattern after another. Each one only searches what the earlier ones didn't match. */
function findAddresses(text: string): MarkupNode[] {
  let rest = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  return ADDRESSES.flatMap(([kind, pattern]) => {
    const found = [...rest.matchAll(pattern)].map(([source]) => createNode(kind, source))
    rest = rest.replace(pattern, ' ')
    return found
  })
}
