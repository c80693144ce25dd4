import { findEmojiName } from '../../protocol/emoji.ts'
import type { Channel, Person } from '../../protocol/protocol.ts'

/** A URL, without the punctuation that ends a sentence. */
const WEB_URL = String.raw`https?:\/\/[^\s<>|]*[^\s<>|.,;:!?'")\]}]`
const EMAIL = String.raw`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}`
export const CODE = '```[\\s\\S]*?```|`[^`\\n]+`'
const TOKENS = new RegExp(
  String.raw`${CODE}|<(?:@[UW][A-Z0-9]+|#C[A-Z0-9]+|!(?:here|channel|everyone|subteam\^S[A-Z0-9]+))(?:\|[^<>|]*)?>|${WEB_URL}|${EMAIL}|[@#][\p{L}\p{N}._-]+|[&<>]`,
  'giu',
)
export const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const findByName = <T extends { name: string }>(list: readonly T[], token: string): T | undefined => {
  const typedName = token.slice(1).toLowerCase()
  return list.find(({ name }) => name.toLowerCase() === typedName)
}

/** Replaces emoji with their names, as Slack does: `:wave:`. */
const nameEmoji = (text: string): string =>
  text.replace(/\p{RGI_Emoji}/gv, (emoji) => {
    const name = findEmojiName(emoji)
    return name === undefined ? emoji : `:${name}:`
  })

const BROADCASTS: readonly string[] = ['@here', '@channel', '@everyone']

/** Replaces `@name`, `#name`, and `@here` with Slack's markup. Returns unknown names unchanged. */
function markUpName(token: string, people: readonly Person[], channels: readonly Channel[]): string {
  if (BROADCASTS.includes(token.toLowerCase())) return `<!${token.slice(1).toLowerCase()}>`
  // A name can contain a dot, but the one at the end ends the sentence.
  const [, name = '', dots = ''] = /^(.*?)(\.*)$/s.exec(token) ?? []
  const person = token.startsWith('@') ? findByName(people, name) : undefined
  if (person) return `<@${person.id}>${dots}`
  const channel = token.startsWith('#') ? findByName(channels, name) : undefined
  return channel ? `<#${channel.id}|${channel.name}>${dots}` : token
}

/**
 * Converts typed text to what Slack's client sends: escapes it, puts URLs and email addresses in `<…>`, and replaces names of people,
 * channels, and emoji. (https://docs.slack.dev/messaging/formatting-message-text, “Automatic parsing”; email addresses:
 * hubot-archive/hubot-pager-me#39, scrapinghub/slackbot#86; November 2026)
 */
export function escapeTyped(
  text: string,
  people: readonly Person[],
  channels: readonly Channel[] = [],
): string {
  return nameEmoji(text).replace(TOKENS, (token) => {
    if (ENTITIES[token]) return ENTITIES[token]
    if (token.startsWith('<')) return token
    // Nothing is linked in code.
    if (token.startsWith('`')) return token.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)
    if (/^https?:/i.test(token)) return `<${token.replaceAll('&', '&amp;')}>`
    return /^[@#]/.test(token) ? markUpName(token, people, channels) : `<mailto:${token}|${token}>`
  })
}
