import { type Match, text } from './nodes.ts'
import { decodeEntities } from './token.ts'

const HOST = String.raw`(?:[a-z0-9](?:[a-z0-9-]{0,62})\.){1,8}`
const TOP_LEVEL_DOMAINS =
  'com|net|org|io|dev|app|info|biz|eu|de|fr|uk|us|co|me|xyz|site|online|top|cloud|example|test'
const URL_AT = /https?:\/\/[^\s<>|`]+/iy
const EMAIL_AT = new RegExp(String.raw`[a-z0-9._%+-]{1,64}@${HOST}[a-z]{2,24}\b`, 'iy')
const HOST_AT = new RegExp(
  String.raw`${HOST}(?:${TOP_LEVEL_DOMAINS})\b(?!\.[a-z0-9])(?:\/[^\s<>|\`]*)?`,
  'iy',
)

function matchPattern(pattern: RegExp, source: string, index: number): string | undefined {
  pattern.lastIndex = index
  return pattern.exec(source)?.[0]
}

/** Removes trailing punctuation and closing brackets, which aren't part of the URL. */
function trimPunctuation(url: string): string {
  return url.replace(/(?:&gt;|[.,;:!?'"*_~)\]}])+$/, '')
}

/** Matches a URL, host, or email address that starts exactly at `index`. Slack's clients show these as links. */
export function matchAutolink(source: string, index: number): Match | undefined {
  const url = matchPattern(URL_AT, source, index)
  if (url !== undefined) return link(trimPunctuation(url), (label) => label)
  const email = matchPattern(EMAIL_AT, source, index)
  if (email !== undefined) return link(email, (label) => `mailto:${label}`)
  const host = matchPattern(HOST_AT, source, index)
  return host === undefined ? undefined : link(trimPunctuation(host), (label) => `http://${label}`)
}

function link(raw: string, toUrl: (label: string) => string): Match | undefined {
  const label = decodeEntities(raw)
  if (/^https?:\/\/$/i.test(label)) return undefined
  return { node: { kind: 'link', url: toUrl(label), children: [text(label)] }, length: raw.length }
}
