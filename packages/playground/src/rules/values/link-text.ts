import type { Channel, Person, UserGroup } from '../../protocol/protocol.ts'
import { CODE, ENTITIES, markUpName, WEB_URL } from './escape-typed.ts'

/** How an app's text is read. */
export interface Parsing {
  parse: string | undefined
  linkNames: boolean
}

/** What names in an app's text can link to. */
export interface Names {
  people: readonly Person[]
  channels: readonly Channel[]
  groups: readonly UserGroup[]
}

const MARKUP = String.raw`<[^<>\n]*>`
const NAME = String.raw`(?<![\p{L}\p{N}])[@#][\p{L}\p{N}._-]*[\p{L}\p{N}_-]`
const AMPERSAND = '&(?!(?:amp|lt|gt);)'
/** Markup and code, which stay as they are; URLs; names; and an `&` that isn't escaped. */
const TOKENS = new RegExp([MARKUP, CODE, WEB_URL, NAME, AMPERSAND].join('|'), 'giu')
/** With `parse: full`, the app's markup is text too. */
const PLAIN_TOKENS = new RegExp([CODE, WEB_URL, NAME, AMPERSAND, '[<>]'].join('|'), 'giu')

/**
 * Converts an app's text as Slack does when it is posted: puts URLs in `<…>`, escapes a bare `&`, and if the app asks for it, replaces
 * `#name`, `@here`, and `@group`. Names of people only with `parse: full`, or where `people` has any. Unlike Slack, it keeps emoji
 * characters, which Slack turns into names such as `:tada:`.
 * (https://docs.slack.dev/messaging/formatting-message-text; `link_names` of https://docs.slack.dev/reference/methods/chat.postMessage;
 * `parse` as in Slack’s former page on formatting, quoted in Virtual-Coffee/virtualcoffee.io#1574; November 2026)
 */
export function linkText(text: string, { parse, linkNames }: Parsing, names: Names): string {
  if (parse === 'none') return text
  const linksNames = linkNames || parse === 'full'
  return text.replace(parse === 'full' ? PLAIN_TOKENS : TOKENS, (token) => {
    const entity = ENTITIES[token]
    if (entity) return entity
    if (/^https?:/i.test(token)) return `<${token.replace(/&(?!amp;)/g, '&amp;')}>`
    if (!linksNames || !/^[@#]/.test(token)) return token
    const group = names.groups.find(({ handle }) => token === `@${handle}`)
    return group ? `<!subteam^${group.id}|${token}>` : markUpName(token, names.people, names.channels)
  })
}
