/**
 * Status emoji that the page draws with CSS, so that they look right on machines without an emoji font. The style sheet draws over the
 * character, which stays in the text for copying and for screen readers.
 */
const ART: Readonly<Record<string, string>> = {
  '🔴': 'red',
  '🟠': 'orange',
  '🟡': 'yellow',
  '🟢': 'green',
  '🔵': 'blue',
  '🟣': 'purple',
  '⚪': 'white',
  '⚫': 'black',
  '🟥': 'red square',
  '🟧': 'orange square',
  '🟨': 'yellow square',
  '🟩': 'green square',
  '✅': 'check',
  '❌': 'cross',
  '⚠️': 'warning',
  '⚠': 'warning',
  '⛔': 'stop',
  ℹ️: 'info',
}

/** Matches any of these emoji. The longest come first, so that `⚠️` isn't matched as `⚠`. */
const DRAWN_EMOJI = new RegExp(
  `(${Object.keys(ART)
    .sort((a, b) => b.length - a.length)
    .join('|')})`,
  'u',
)

export interface TextRun {
  text: string
  /** The CSS classes of the drawing; undefined for ordinary text. */
  art?: string
}

/** Splits a text at the emoji that have a drawing. */
export function splitArt(text: string): TextRun[] {
  return text
    .split(DRAWN_EMOJI)
    .filter((part) => part !== '')
    .map((part) => {
      const art = ART[part]
      return art === undefined ? { text: part } : { text: part, art }
    })
}
