import { StoreError } from './errors.ts'

/**
 * Formats a value as JSON. Throws StoreError `bad-value` for values that aren't JSON. `valueName` names the value, such as "A draft".
 */
export function jsonText(value: unknown, valueName: string): string {
  let json: string | undefined
  try {
    // Undefined for a function or undefined, which its type doesn't say.
    json = JSON.stringify(value)
  } catch {
    // A cycle or a bigint. The message of that error may quote a value.
  }
  if (json === undefined) throw new StoreError('bad-value', `${valueName} isn’t a JSON value.`)
  return json
}
