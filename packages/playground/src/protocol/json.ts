export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The maximum depth of parsed JSON, so that no function that walks it runs out of stack. */
const MAX_DEPTH = 500

const isDeeperThan = (depth: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner)))

/** Parses JSON. Returns undefined if the text isn't valid, or is nested more than 500 levels deep. */
export function parseJson(text: string): Json | undefined {
  try {
    // JSON.parse returns only JSON values.
    const value = JSON.parse(text) as Json
    return isDeeperThan(MAX_DEPTH, value) ? undefined : value
  } catch {
    return undefined
  }
}

/** Parses a string that contains JSON, as form fields may. Returns all other values unchanged. */
export function parseEmbeddedJson(value: Json | undefined): Json | undefined {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value
}

/** Copies an object through JSON, which drops undefined fields and gives it the type of parsed JSON. */
export function toJson(value: object): Fields {
  // Objects stay objects when they are stringified and parsed.
  return JSON.parse(JSON.stringify(value)) as Fields
}

export function asString(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

export function objectsIn(value: Json | undefined): Fields[] {
  return asList(value).filter(isFields)
}

/** Whether a boolean argument is true. Form fields are strings, and Slack accepts strings in JSON too. */
export function isTrue(value: Json | undefined): boolean {
  return value === true || value === 'true' || value === '1' || value === 1
}

/** The `text` of a text object, or '' for anything else. */
export function textIn(value: Json | undefined): string {
  return isFields(value) ? (asString(value.text) ?? '') : ''
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export type Fields = { [key: string]: Json }
