const MENTION_WITHIN = 4000
const MENTION = /<@([UW][A-Z0-9]{1,30})(?:\|[^>]{0,200})?>/g
/** Mentions of other people at the beginning, and signs that people put between a name and their words. */
const IN_FRONT = /^(?:\s|<@[UW][A-Z0-9]{1,30}(?:\|[^<>]{0,200})?>|[:,;.!\u2013\u2014-](?=\s))+/

/**
 * The words after the mention of the app, or those before it when none follow. This runs before Slack has its
 * acknowledgement, so its time is bounded for any text.
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
