const MINUTES = { m: 1, h: 60, d: 1440, w: 10_080 } as const
type Unit = keyof typeof MINUTES

const PART = /(\d{1,5}(?:\.\d{1,2})?) ?(m|min(?:ute)?s?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])/gi

/** Parses `30m`, `1h 30m`, `1.5h`, `2 days`, or `an hour`, as minutes. A day has 24 hours. Undefined if it isn't a duration. */
export function parseDuration(text: string): number | undefined {
  const parts = parseDurationParts(text)
  if (!parts) return undefined
  let minutes = 0
  for (const [unit, count] of parts) minutes += count * MINUTES[unit]
  return Math.round(minutes)
}

/** Parses the parts of a duration. Undefined if it isn't one, or if a unit occurs twice. */
export function parseDurationParts(text: string): ReadonlyMap<Unit, number> | undefined {
  const parts = new Map<Unit, number>()
  // In `1h30m`, the second part follows the first without a space.
  const counted = text.replace(/^half an hour$/i, '30m').replace(/^an? (?=minute|hour|day|week)/i, '1 ')
  const spaced = text.length > 60 ? '' : counted.replaceAll(/(?<=\d[a-z]+)(?=\d)/gi, ' ')
  for (const [, count = '', word = ''] of spaced.matchAll(PART)) {
    const unit = word.charAt(0).toLowerCase() as Unit // PART has no other first letters.
    if (parts.has(unit)) return undefined
    parts.set(unit, Number(count))
  }
  return parts.size > 0 && spaced.replaceAll(PART, '').trim() === '' ? parts : undefined
}
