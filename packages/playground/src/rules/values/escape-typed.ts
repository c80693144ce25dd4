import { findEmojiName } from '../../protocol/emoji.ts'
import type { Channel, Person } from '../../protocol/protocol.ts'

const TOKENS =
  /<(?:@[UW][A-Z0-9]+|#C[A-Z0-9]+|!(?:here|channel|everyone))>|https?:\/\/[^\s<>|]+|@[a-z0-9._-]+|[&<>]/gi
const COMMAND_TOKENS = /https?:\/\/[^\s<>|]+|[@#][\p{L}\p{N}._-]+|[&<>]/giu
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

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

/**
 * Converts typed text to what Slack's client sends: escapes it, puts URLs in `<…>`, replaces `@name` with `<@ID>`, and emoji with their
 * names.
 */
export function escapeTyped(text: string, people: readonly Person[]): string {
  return nameEmoji(text).replace(TOKENS, (token) => {
    if (ENTITIES[token]) return ENTITIES[token]
    if (token.startsWith('<')) return token
    if (token.startsWith('http')) return `<${token.replaceAll('&', '&amp;')}>`
    const person = findByName(people, token)
    return person ? `<@${person.id}>` : token
  })
}

/**
 * Converts a command's text as Slack does if the manifest sets `should_escape`: people and channels become `<@ID|name>` and
 * `<#ID|name>`, URLs are put in `<…>`, and all other text is escaped.
 * (https://docs.slack.dev/interactivity/implementing-slash-commands, November 2026)
 */
export function escapeArguments(
  text: string,
  people: readonly Person[],
  channels: readonly Channel[],
): string {
  return text.replace(COMMAND_TOKENS, (token) => {
    if (ENTITIES[token]) return ENTITIES[token]
    if (token.startsWith('http')) return `<${token.replaceAll('&', '&amp;')}>`
    const target = token.startsWith('@') ? findByName(people, token) : findByName(channels, token)
    return target ? `<${token[0]}${target.id}|${target.name}>` : token
  })
}
