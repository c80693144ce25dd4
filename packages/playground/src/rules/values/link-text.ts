import type { Channel, Person } from '../../protocol/protocol.ts'

/** How an app's text is read. `full` and `linkNames` also link names. */
export interface Parsing {
  parse: string | undefined
  linkNames: boolean
}

/** Markup and code, which stay as they are; URLs; names; and an `&` that isn't escaped. */
const TOKENS =
  /<[^<>\n]*>|```[\s\S]*?```|`[^`\n]+`|https?:\/\/[^\s<>|]*[^\s<>|.,;:!?'")\]}]|(?<![\p{L}\p{N}])[@#][\p{L}\p{N}._-]*[\p{L}\p{N}_-]|&(?!(?:amp|lt|gt);)/giu

/**
 * Converts an app's text as Slack does when it is posted: puts URLs in `<…>`, escapes a bare `&`, and if the app asks for it, replaces
 * `@name` and `#name`. (https://docs.slack.dev/messaging/formatting-message-text, November 2026)
 */
export function linkText(
  text: string,
  { parse, linkNames }: Parsing,
  { people, channels }: { people: readonly Person[]; channels: readonly Channel[] },
): string {
  if (parse === 'none') return text
  const linksNames = linkNames || parse === 'full'
  return text.replace(TOKENS, (token) => {
    if (token === '&') return '&amp;'
    if (/^https?:/i.test(token)) return `<${token.replace(/&(?!amp;)/g, '&amp;')}>`
    if (!linksNames || !/^[@#]/.test(token)) return token
    const name = token.slice(1).toLowerCase()
    if (token.startsWith('@')) {
      const person = people.find((candidate) => candidate.name.toLowerCase() === name)
      return person ? `<@${person.id}>` : token
    }
    const channel = channels.find((candidate) => candidate.kind === 'channel' && candidate.name === name)
    return channel ? `<#${channel.id}|${channel.name}>` : token
  })
}
