import { INVISIBLE, JOINING } from '@signalman/runtime'
import type { MrkdwnElement, PlainTextElement } from '@slack/types'

const ELLIPSIS = '…'
/** Created when first needed, because creating it takes 12 ms. */
let graphemes: Intl.Segmenter | undefined

/** Cuts `text` to `max` UTF-16 units, including the `…` at the end. Never splits a grapheme. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  return cutAt(text, max - ELLIPSIS.length) + ELLIPSIS
}

const PRINTABLE_PAIR = /^[ -~]{2}$/

function cutAt(text: string, max: number): string {
  // There is always a boundary between two ASCII letters (https://unicode.org/reports/tr29/#GB999).
  if (PRINTABLE_PAIR.test(text.slice(max - 1, max + 1))) return text.slice(0, max)
  // A window a little past the cut is enough to find the last whole grapheme, without segmenting megabytes.
  const window = text.slice(0, max + 64)
  let end = 0
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { index, segment } of graphemes.segment(window)) {
    if (index + segment.length > max) break
    end = index + segment.length
  }
  // The first grapheme is longer than the limit (a letter with thousands of accents): cut between code points.
  if (end === 0) end = isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max
  return text.slice(0, end)
}

/** Cuts mrkdwn to `max` units. Drops an entity or `<…>` that the cut would split. */
export function clipMrkdwn(text: string, max: number): string {
  if (text.length <= max) return text
  return clip(text, max).replace(/(?:&[a-z]{0,4}|<[^<>]*)…$/, ELLIPSIS)
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

/**
 * Slack rejects initial text and values of buttons with control characters or an unpaired surrogate. This removes all control
 * characters except tabs and line breaks, and replaces unpaired surrogates.
 */
export const withoutControlCharacters = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: taking control characters out is the purpose
  text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')

// Control characters and line separators, too. Joiners and variation selectors stay: emoji and words consist of them.
const UNSEEN = new RegExp(
  String.raw`(?![${JOINING}])[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029${INVISIBLE}]`,
  'gu',
)

/**
 * Makes invisible characters of untrusted text visible: control, bidirectional, and zero-width characters become a code in
 * brackets, such as `[U+202E]`.
 */
export function visible(text: string): string {
  if (PRINTABLE.test(text)) return text
  return (
    text
      // An unpaired surrogate isn't text. JSON allows it, but Slack rejects it or shows a replacement character.
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replace(
        UNSEEN,
        (found) => `[U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
      )
  )
}

/** Nearly every text, and faster than three replacements. */
const PRINTABLE = /^[\n -~]*$/

/** Collapses untrusted text to one line. */
export function oneLine(text: string): string {
  const line = visible(text)
  return (/\s\s|[^\S ]/.test(line) ? line.replace(/\s+/g, ' ') : line).trim()
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const WORD_JOINER = '\u2060'
// Characters that Slack would parse as the start of bold, italic, strike, code, an emoji, a URL, a mention, or a channel. A broadcast may
// also follow a letter, but a letter before any other `@` makes it an address, and so may a Latin one before a longer word.
const OPENS_MARKUP =
  /(?<![\p{L}\p{N}])(?:[*_~`#](?=\S)|@(?=[^\s\]]))|@(?=(?:here|channel|everyone)(?![\w-]|\.\w))|(?<![\w.+-])@(?=(?:here|channel|everyone)\b)|:(?=[^\s:[\]]+:|(?<!hxxps?:)\/\/)/gu

/**
 * Prepares untrusted text for a message's `text`, which Slack always parses as mrkdwn: escapes it, and adds a word joiner after
 * anything that would start other markup. Blocks contain untrusted text as plain or rich text instead, which Slack never parses.
 */
export function literal(text: string): string {
  const shown = visible(text)
  // Most texts have none of these characters.
  if (!/[&<>*_~`#@:]/.test(shown)) return shown
  return shown
    .replace(/[&<>]/g, (found) => ENTITIES[found] ?? found)
    .replace(OPENS_MARKUP, (mark) => mark + WORD_JOINER)
}

/**
 * A plain text object of 1 to `max` characters. Emoji codes stay as typed. Empty text becomes a dash, because Slack rejects empty
 * text.
 */
export function plain(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: clip(visible(text), max).trim() || '–', emoji: false }
}

/** Our own text as mrkdwn; `verbatim` keeps Slack from linking names and URLs in it. Never for untrusted text. */
export function mrkdwn(text: string, max: number): MrkdwnElement {
  return { type: 'mrkdwn', text: clipMrkdwn(text, max), verbatim: true }
}
