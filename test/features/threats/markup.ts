/**
 * Finds Slack markup as documented (https://docs.slack.dev/messaging/formatting-message-text, read November 2026). Written
 * only for these tests and independent of the app's escaping. When in doubt, reports too much.
 */
export interface Node {
  kind: 'link' | 'user' | 'channel' | 'usergroup' | 'broadcast' | 'emoji' | 'date' | 'image' | 'unknown'
  what: string
}

type Part = Readonly<Record<string, unknown>>

/** Everything clickable or formatted in a message: its text, and any text object, rich text element, or address in its blocks. */
export function nodesOf({ text, blocks }: { text: string; blocks: readonly unknown[] }): Node[] {
  return [...mrkdwnNodes(text, false), ...blocks.flatMap((block) => partNodes(block))]
}

function partNodes(part: unknown): Node[] {
  if (Array.isArray(part)) return part.flatMap(partNodes)
  if (typeof part !== 'object' || part === null) return []
  const own = ownNodes(part as Part)
  return [...own, ...Object.values(part).flatMap(partNodes)]
}

/** The nodes of one object, without its children. */
function ownNodes(part: Part): Node[] {
  const { type, text, url, image_url, title_url, thumbnail_url, slack_file, emoji, verbatim } = part
  const found: Node[] = []
  if (type === 'mrkdwn') found.push(...mrkdwnNodes(String(text), verbatim === true))
  if (type === 'plain_text' && emoji !== false) found.push(...emojiNodes(String(text)))
  for (const address of [url, title_url]) if (typeof address === 'string') found.push(node('link', address))
  for (const address of [image_url, thumbnail_url, slack_file])
    if (address !== undefined) found.push(node('image', String(address)))
  const rich = typeof type === 'string' ? RICH[type] : undefined
  // A date is an element too. A text with `type: text` is rendered literally.
  if (rich) found.push(node(rich, JSON.stringify(part)))
  if (type === 'markdown' || type === 'video' || type === 'rich_text_link')
    found.push(node('unknown', String(type)))
  return found
}

const RICH: Readonly<Record<string, Node['kind']>> = {
  user: 'user',
  channel: 'channel',
  usergroup: 'usergroup',
  team: 'unknown',
  broadcast: 'broadcast',
  emoji: 'emoji',
  color: 'unknown',
}

const node = (kind: Node['kind'], what: string): Node => ({ kind, what })

/** Parses angle brackets first, as Slack does. Then searches the rest for emoji and, unless verbatim, for addresses. */
function mrkdwnNodes(source: string, verbatim: boolean): Node[] {
  const found: Node[] = []
  let rest = ''
  let at = 0
  while (at < source.length) {
    const end = source[at] === '<' ? source.indexOf('>', at) : -1
    if (end === -1) {
      rest += source[at]
      at += 1
      continue
    }
    found.push(bracketNode(source.slice(at + 1, end)))
    rest += ' '
    at = end + 1
  }
  return [...found, ...emojiNodes(rest), ...(verbatim ? [] : addressNodes(rest))]
}

function bracketNode(inside: string): Node {
  if (inside.startsWith('@')) return node('user', inside)
  if (inside.startsWith('#')) return node('channel', inside)
  if (/^!date\^-?\d+\^[^^|]*\|[^|]*$/.test(inside)) return node('date', inside)
  if (inside.startsWith('!subteam')) return node('usergroup', inside)
  if (inside.startsWith('!')) return node('broadcast', inside)
  return node('link', inside)
}

const emojiNodes = (text: string): Node[] =>
  [...text.matchAll(/:[\p{L}\p{N}_+'-]+:/gu)].map(([found]) => node('emoji', found))

const ADDRESSES: readonly (readonly [Node['kind'], RegExp])[] = [
  // Except hxxp, which no client opens and which replaces http in defanged text.
  ['link', /(?<![a-z0-9+.-])(?!hxxps?:)[a-z][a-z0-9+.-]*:\/\/[^\s<>]*/gi],
  ['link', /(?<![\p{L}\p{N}])(?:mailto|tel|javascript|data|vbscript|sms|file|blob):(?=\S)/giu],
  ['link', /(?<![\p{L}\p{N}.])(?:[\p{L}\p{N}_-]+[.\u3002\uff0e\uff61])+\p{L}{2,}(?![\p{L}\p{N}])/gu],
  ['link', /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/g],
  ['link', /[\p{L}\p{N}.+_-]+[@\uff20][\p{L}\p{N}-]+/gu],
  ['broadcast', /(?<![p{L}p{N}])@(?:here|channel|everyone)\b/gi],
  ['user', /(?<![\p{L}\p{N}])@[\p{L}\p{N}][\p{L}\p{N}._-]*/gu],
  ['channel', /(?<![\p{L}\p{N}&])#[\p{L}\p{N}][\p{L}\p{N}_-]*/gu],
]

/** Text that one pattern has matched isn't searched by the next. */
function addressNodes(text: string): Node[] {
  let rest = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  return ADDRESSES.flatMap(([kind, pattern]) => {
    const found = [...rest.matchAll(pattern)].map(([what]) => node(kind, what))
    rest = rest.replace(pattern, ' ')
    return found
  })
}
