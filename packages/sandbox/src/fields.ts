import { isIP } from 'node:net'
import { HttpError, type Problem } from './http-error.ts'

/** Returns undefined if the value is valid. Otherwise, returns the end of an error message ("must be …"). */
export type Validator = (value: unknown) => string | undefined

/** How to validate one field of a JSON object. */
export interface Field {
  validate: Validator
  required?: true
}

export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A string of 1 to `max` UTF-16 units that isn't blank. */
export function text(max: number): Validator {
  return (value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= max
      ? undefined
      : `must be a string of 1 to ${max} characters`
}

export function integer(min: number, max: number): Validator {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`
}

export function oneOf(allowed: readonly string[]): Validator {
  return (value) =>
    typeof value === 'string' && allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`
}

export const boolean: Validator = (value) =>
  typeof value === 'boolean' ? undefined : 'must be true or false'

export const ipAddress: Validator = (value) =>
  typeof value === 'string' && isIP(value) !== 0 ? undefined : 'must be an IPv4 or IPv6 address'

/**
 * Validates an object's fields, and returns a problem for every missing, invalid, or unknown field. `prefix` is added before the
 * field names, such as `data.attributes.`.
 */
export function findProblems(value: JsonObject, fields: Record<string, Field>, prefix = ''): Problem[] {
  const fieldProblems = Object.entries(fields).flatMap(([name, { validate, required }]) => {
    const field = prefix + name
    const fieldValue = Object.hasOwn(value, name) ? value[name] : undefined
    if (fieldValue === undefined) return required ? [{ field, message: `${field} is missing.` }] : []
    const problem = validate(fieldValue)
    return problem === undefined ? [] : [{ field, message: `${field} ${problem}.` }]
  })
  const unknownFields = Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => ({
      field: prefix + name,
      message: `${prefix}${name} is not a known field; leave it out.`,
    }))
  return [...fieldProblems, ...unknownFields]
}

/** Throws a 400 with all problems, if there are any. */
export function throwIfInvalid(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new HttpError(400, problems)
}
