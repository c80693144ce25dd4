import { type Match, text } from './nodes.ts'
import { decode } from './token.ts'

const HOST = String.raw`(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,8}`
const ENDINGS = 'com|net|org|io|dev|app|info|biz|eu|de|fr|uk|us|co|me|xyz|site|online|top|cloud|example|test'
const URL_AT = /https?:\/\/[^\s<>|`]+/iy
const MAIL_AT = new RegExp(String.raw`[a-z0-9._%+-]{1,64}@${HOST}[a-z]{2,24}\b`, 'iy')
const BARE_AT = new RegExp(String.raw`${HOST}(?:${ENDINGS})\b(?!\.[a-z0-9])(?:\/[^\s<>|\`]*)?`, 'iy')

function matchPattern(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0]
}

/** Removes trailing punctuation and closing brackets, which aren't part of the URL. */
function trimPunctuation(found: string): string {
  return found.replace(/(?:&gt;|[.,;:!?'"*_~)\]}])+$/, '')
}

/**
 * The bare URL, host, or email address that starts exactly at `at`, which Slack's clients turn into a link.
 */
export function autolinkAt(source: string, at: number): Match | undefined {
  const address = matchPattern(URL_AT, source, at)
  if (address !== undefined) return link(trimPunctuation(address), (shown) => shown)
  const mail = matchPattern(MAIL_AT, source, at)
  if (mail !== undefined) return link(mail, (shown) => `mailto:${shown}`)
  const bare = matchPattern(BARE_AT, source, at)
  return bare === undefined ? undefined : link(trimPunctuation(bare), (shown) => `http://${shown}`)
}

function link(raw: string, toUrl: (shown: string) => string): Match | undefined {
  const shown = decode(raw)
  if (/^https?:\/\/$/i.test(shown)) return undefined
  return { node: { kind: 'link', url: toUrl(shown), children: [text(shown)] }, length: raw.length }
}
