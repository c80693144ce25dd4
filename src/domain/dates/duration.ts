const MINUTES = { m: 1, h: 60, d: 1440, w: 10_080 } as const
type Unit = keyof typeof MINUTES

const NUMBER_WORDS = [
  '',
  'an?|one',
  'two|(?:a )?couple(?: of)?',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
]
// A word needs a space after it: `and` isn’t `an d`.
const COUNT = `\\d{1,5}(?:[.,]\\d{1,2})? ?|(?:half an?|${NUMBER_WORDS.slice(1).join('|')}) `
const UNIT = 'm|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?'
const PART = new RegExp(`(?<![\\p{L}\\d.,])(${COUNT})(${UNIT})( and a half)?(?![a-z])`, 'giu')
/** In `1h30m` and `1hour30min`, the second part follows the first without a space. */
const GLUED = new RegExp(`(?<=\\d(?:${UNIT}))(?=\\d)`, 'gi')
/** `for the next 2 hours` */
const NEXT = /^(?:the )?next (?=\d|half |an? |one |two )/i
const HOUR_AND_MINUTES = /(?<=\dh)(\d{2})$/i
const LONGEST = 60

/** The parts of a typed duration. */
export type DurationParts = ReadonlyMap<Unit, number>

/**
 * Reads `30m`, `1h 30m`, `1.5 h`, `two days`, or `an hour and a half`, as minutes. A day has 24 hours. Undefined if it isn't a
 * duration: neither is `2h 3h`, because one of the two would be dropped.
 */
export function readDuration(text: string): number | undefined {
  const parts = readDurationParts(text)
  if (!parts) return undefined
  let minutes = 0
  for (const [unit, count] of parts) minutes += count * MINUTES[unit]
  return Math.round(minutes)
}

/** Reads the parts of a duration. Undefined if it isn't one, or if a unit occurs twice. */
export function readDurationParts(text: string): DurationParts | undefined {
  if (text.length > LONGEST || /^and\b|\band$/i.test(text)) return undefined
  const spaced = text.replace(NEXT, '').replace(HOUR_AND_MINUTES, '$1m').replace(GLUED, ' ')
  const parts = new Map<Unit, number>()
  for (const [, count = '', unitText = '', half] of spaced.matchAll(PART)) {
    const unit = unitText.charAt(0).toLowerCase() as Unit // PART has no other first letters.
    if (parts.has(unit)) return undefined
    parts.set(unit, readCount(count.trim().toLowerCase()) + (half ? 0.5 : 0))
  }
  const rest = spaced.replace(PART, '').replace(/\band\b|[\s,]/gi, '')
  return parts.size > 0 && rest === '' ? parts : undefined
}

function readCount(count: string): number {
  if (/^\d/.test(count)) return Number(count.replace(',', '.'))
  return count.startsWith('half')
    ? 0.5
    : NUMBER_WORDS.findIndex((word) => new RegExp(`^(?:${word})$`).test(count))
}

/** `1d 2h 30m`, which `readDuration` reads back. `0m` for less than a minute. */
export function formatShortDuration(minutes: number): string {
  const parts = [
    `${Math.floor(minutes / 1440)}d`,
    `${Math.floor((minutes % 1440) / 60)}h`,
    `${Math.floor(minutes % 60)}m`,
  ].filter((part) => !part.startsWith('0'))
  return parts.join(' ') || '0m'
}
