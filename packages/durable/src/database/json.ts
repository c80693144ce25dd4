import { StoreError } from './errors.ts'

/** The JSON of a value. Throws StoreError `bad-value` for what JSON cannot hold; `what` names it, e.g. "A draft". */
export function jsonText(value: unknown, what: string): string {
  const json = attempt(value)
  if (json === undefined) throw new StoreError('bad-value', `${what} must be a JSON value, and this is none.`)
  return json
}

/** A cycle or a bigint throws, and its message may quote a value; a function or undefined gives undefined. */
function attempt(value: unknown): string | undefined {
  try {
    // JSON.stringify's type hides that it may give undefined.
    return JSON.stringify(value) as string | undefined
  } catch {
    return undefined
  }
}

/** The object in a text; undefined for what is none. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // Any object is a record of something.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
