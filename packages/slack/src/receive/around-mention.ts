const MAX_SEARCHED = 4000
const MENTION = /<@([UW][A-Z0-9]{1,30})(?:\|[^>]{0,200})?>/g
/** Mentions of other people at the start, and punctuation between a name and the text. */
const LEADING = /^(?:\s|<@[UW][A-Z0-9]{1,30}(?:\|[^<>]{0,200})?>|[:,;.!\u2013\u2014-](?=\s))+/

/**
 * Returns the text after the app's mention, or before it if there is none after. Runs before the request is acknowledged, so its
 * time is bounded for any text.
 */
export function readTextAroundMention(message: string, ownId: string | undefined, isDirect: boolean): string {
  const mentions = [...message.slice(0, MAX_SEARCHED).matchAll(MENTION)]
  const ownMention =
    mentions.find(([, id]) => id === ownId) ?? (ownId === undefined ? mentions[0] : undefined)
  const mention = ownMention ?? (isDirect ? undefined : mentions[0])
  if (!mention) return message.replace(LEADING, '').trim()
  const after = message.slice(mention.index + mention[0].length).replace(LEADING, '')
  return /[\p{L}\p{N}]/u.test(after)
    ? after.trim()
    : message.slice(0, mention.index).replace(LEADING, '').trim()
}
