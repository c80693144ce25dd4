/**
 * State icons that the page draws itself, so that a machine without an emoji font shows them too. The character stays in the text
 * for copying and for screen readers; the style sheet paints over it.
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

const SIGNS = new RegExp(
  `(${Object.keys(ART)
    .sort((a, b) => b.length - a.length)
    .join('|')})`,
  'u',
)

export interface Run {
  text: string
  /** The class names of its drawing; undefined for ordinary text. */
  art?: string
}

/** A text split at the icons that have a drawing. */
export function artRuns(text: string): Run[] {
  return text
    .split(SIGNS)
    .filter((part) => part !== '')
    .map((part) => {
      const art = ART[part]
      return art === undefined ? { text: part } : { text: part, art }
    })
}
