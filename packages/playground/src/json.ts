import type { Fields, Json } from './protocol.ts'

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parsed text, or undefined if it isn't JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    // JSON.parse returns only JSON values.
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** A form's field may contain JSON as text; any other text stays. */
export function opened(value: Json | undefined): Json | undefined {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value
}

/** A value that `JSON.stringify` would keep unchanged, typed as JSON: for objects built here from plain fields. */
export function toJson(value: object): Fields {
  // A round trip through JSON text returns an object for an object.
  return JSON.parse(JSON.stringify(value)) as Fields
}

export function stringOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

export function fieldsOf(value: Json | undefined): Fields[] {
  return listOf(value).filter(isFields)
}

/** The `text` of a text object, or '' for anything else. */
export function textOf(value: Json | undefined): string {
  return isFields(value) ? (stringOf(value.text) ?? '') : ''
}
