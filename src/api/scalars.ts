/** Text as it came; a bare number counts as its digits, since the service quotes some numbers and not others. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

const NUMBER = /^\s*-?\d+(?:\.\d+)?\s*$/

/** A number as such or as a quoted string; never NaN or infinite, nor a whole number too long to be held exactly. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return isExact(value) ? value : undefined
  if (typeof value !== 'string' || !NUMBER.test(value)) return undefined
  const number = Number(value)
  return isExact(number) ? number : undefined
}

function isExact(number: number): boolean {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number))
}

/** A boolean as such or as the quoted words true and false. */
export function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  const word = value.trim().toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}

/** A JSON object, or undefined for anything else. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // A JSON object is a record of unknown values by construction.
  return value as Record<string, unknown>
}

/** A JSON list, or undefined for anything else. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}
