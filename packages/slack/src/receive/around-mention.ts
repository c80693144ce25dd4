const MENTION_WITHIN = 4000
const MENTION = /<@([UW][A-Z0-9]{1,30})(?:\|[^>]{0,200})?>/g
/** Mentions of other people at the start, and punctuation between a name and the text. */
const IN_FRONT = /^(?:\s|<@[UW][A-Z0-9]{1,30}(?:\|[^<>]{0,200})?>|[:,;.!\u2013\u2014-](?=\s))+/

/**
 * Returns the text after the app's mention, or before it if there is none after. Runs before the request is acknowledged, so its
 * time is bounded for any text.
 */
export function aroundMention(said: string, ownId: string | undefined, isDirect: boolean): string {
  const mentions = [...said.slice(0, MENTION_WITHIN).matchAll(MENTION)]
  const own = mentions.find(([, id]) => id === ownId) ?? (ownId === undefined ? mentions[0] : undefined)
  const first = own ?? (isDirect ? undefined : mentions[0])
  if (!first) return said.replace(IN_FRONT, '').trim()
  const behind = said.slice(first.index + first[0].length).replace(IN_FRONT, '')
  return /[\p{L}\p{N}]/u.test(behind)
    ? behind.trim()
    : said.slice(0, first.index).replace(IN_FRONT, '').trim()
}
