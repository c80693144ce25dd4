const MAX_SEARCHED = 4000
const MENTION = /<@([UW][A-Z0-9]{1,30})(?:\|[^>]{0,200})?>/g
/** Mentions of other people at the start, the mark of a quotation or a list, and punctuation between a name and the text. */
const LEADING =
  /^(?:\s|<@[UW][A-Z0-9]{1,30}(?:\|[^<>]{0,200})?>|(?:&gt;|[\u2022\u25e6\u25aa:,;.!\u2013\u2014-]|\d{1,3}[.)])(?=\s))+/

/**
 * Returns the text after the app's mention, or before it if there is none after. Runs before the request is acknowledged, so its
 * time is bounded for any text.
 */
export function readTextAroundMention(message: string, ownId: string | undefined, isDirect: boolean): string {
  const mentions = [...message.slice(0, MAX_SEARCHED).matchAll(MENTION)]
  const ownMention =
    mentions.find(([, id]) => id === ownId) ?? (ownId === undefined ? mentions[0] : undefined)
  const mention = ownMention ?? (isDirect ? undefined : mentions[0])
  if (!mention) return unwrap('', message)
  const before = message.slice(0, mention.index)
  const after = unwrap(before, message.slice(mention.index + mention[0].length))
  return /[\p{L}\p{N}]/u.test(after) ? after : unwrap('', before)
}

/** The most marks around a line: ``` or *_~. */
const MAX_MARKS = 3

/** Removes Slack's formatting: a line in code ends where the code does, and other marks around it or its words go. */
function unwrap(before: string, text: string): string {
  const [opening = ''] = /[`*_~]*$/.exec(before.slice(-MAX_MARKS)) ?? []
  const closing = [...opening].toReversed().join('')
  // Only the mention itself is in bold.
  if (closing !== '' && text.startsWith(closing)) return unwrap('', text.slice(closing.length))
  const line = text.replace(LEADING, '')
  if (opening.includes('`') || line.startsWith('`')) {
    const [code = ''] = line.replace(/^`+/, '').split('`', 1)
    if (code.trim() !== '') return code.trim()
  }
  const plain = line.replaceAll('`', '').trim()
  return closing !== '' && plain.endsWith(closing) ? plain.slice(0, -closing.length).trim() : plain
}
