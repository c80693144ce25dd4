import { StoreError } from './errors.ts'

/**
 * Formats a value as JSON. Throws StoreError `bad-value` for values that aren't JSON. `valueName` names the value, such as "A draft".
 */
export function jsonText(value: unknown, valueName: string): string {
  const json = tryStringify(value)
  if (json === undefined) throw new StoreError('bad-value', `${valueName} isn’t a JSON value.`)
  return json
}

/** Undefined for a function or undefined. Also for a cycle or a bigint, because the message of that error may quote a value. */
function tryStringify(value: unknown): string | undefined {
  try {
    // JSON.stringify may return undefined, which its type doesn't say.
    return JSON.stringify(value) as string | undefined
  } catch {
    return undefined
  }
}
