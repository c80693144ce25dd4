import type { MrkdwnElement, PlainTextElement } from '@slack/types'

const ELLIPSIS = '…'
/** Made for the first text that needs it: that takes 12 ms. */
let graphemes: Intl.Segmenter | undefined

/** At most `max` UTF-16 units of `text`; what was cut shows as `…`. Never splits a character a person sees. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  return cutAt(text, max - ELLIPSIS.length) + ELLIPSIS
}

const PRINTABLE_PAIR = /^[ -~]{2}$/

function cutAt(text: string, max: number): string {
  // Between two letters of ASCII there is always a boundary (https://unicode.org/reports/tr29/#GB999).
  if (PRINTABLE_PAIR.test(text.slice(max - 1, max + 1))) return text.slice(0, max)
  // A window a little past the cut is enough to find the last whole grapheme; segmenting megabytes is not needed.
  const window = text.slice(0, max + 64)
  let end = 0
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { index, segment } of graphemes.segment(window)) {
    if (index + segment.length > max) break
    end = index + segment.length
  }
  // One grapheme longer than the whole limit (a letter with thousands of accents): cut between code points.
  if (end === 0) end = isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max
  return text.slice(0, end)
}

/** Mrkdwn of at most `max` units: an entity or a `<…>` that the cut would split goes whole. */
export function clipMrkdwn(text: string, max: number): string {
  if (text.length <= max) return text
  return clip(text, max).replace(/(?:&[a-z]{0,4}|<[^<>]*)…$/, ELLIPSIS)
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

// Control characters that no client draws, bidirectional overrides that reorder what follows, and zero-width marks.
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/** Outside text made visible as it is: control, bidirectional and zero-width characters become `U+202E` in brackets. */
export function visible(text: string): string {
  // Half a surrogate pair is not text: JSON carries it, Slack refuses it or shows a replacement sign.
  const whole = text.toWellFormed()
  // Most text holds nothing of the kind, and one look costs less than two replacements.
  if (whole.search(INVISIBLE) === -1) return whole
  return whole
    .replace(/\r\n?/g, '\n')
    .replace(
      INVISIBLE,
      (found) => `[U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    )
}

/** Outside text on one line. */
export function oneLine(text: string): string {
  const seen = visible(text)
  return (/\s\s|[^\S ]/.test(seen) ? seen.replace(/\s+/g, ' ') : seen).trim()
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The three characters that Slack's markup is made of, escaped: no link, mention or broadcast can come out of the text. */
export const escapeMrkdwn = (text: string): string =>
  text.replace(/[&<>]/g, (found) => ENTITIES[found] ?? found)

const WORD_JOINER = '\u2060'
// What Slack would read as the start of bold, italic, strike, code, an emoji, a web address, a mention or a channel.
const OPENS_MARKUP = /(?<![\p{L}\p{N}])(?:[*_~`#](?=\S)|@(?=[^\s\]]))|:(?=[^\s:[\]]+:|(?<!hxxps?:)\/\/)/gu

/**
 * Outside text for a message's `text`, which Slack always reads as mrkdwn: escaped, and with a word joiner behind whatever
 * would open markup of another kind. Blocks carry outside text as plain or rich text instead, which Slack never parses.
 */
export function literal(text: string): string {
  return escapeMrkdwn(visible(text)).replace(OPENS_MARKUP, (mark) => mark + WORD_JOINER)
}

/** A plain text object of 1 to `max` characters, emoji codes left as typed. Empty text becomes a dash: Slack refuses empty. */
export function plain(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: clip(visible(text), max).trim() || '–', emoji: false }
}

/** Our own words as mrkdwn; `verbatim` keeps Slack from turning names and addresses in them into links. Never outside text. */
export function mrkdwn(text: string, max: number): MrkdwnElement {
  return { type: 'mrkdwn', text: clipMrkdwn(text, max), verbatim: true }
}
