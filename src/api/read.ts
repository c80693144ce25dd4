import { Fields, type ReadContext, type ReadFields, type UnreadParts } from './fields.ts'
import type { Hide } from './hide.ts'
import { asRecord } from './scalars.ts'

/** Turns the text of a 2xx answer into a value, in one synchronous step; throws Unreadable when it cannot. */
export type Read<T> = (text: string, context: ReadContext) => T

/** The same for an answer that is not text, or not JSON; `mediaType` is lower case and empty when it names none. */
export type ReadBytes<T> = (answer: { bytes: Buffer; mediaType: string }, context: ReadContext) => T

/** The answer is a success by its status and not by its body. The message names the place and the fault, no content. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Reads a JSON object field by field. */
export function json<T>(read: ReadFields<T>): Read<T> {
  return (text, context) => {
    const { unread } = context
    const body = parse(text)
    refuseErrors(body)
    const value = exactly(text, body, unread, (record) => {
      if (!record) throw new Unreadable('the body: not an object')
      return read(new Fields(record, context))
    })
    if (value !== undefined) return value
    throw new Unreadable(`${unread.paths[0] ?? 'the body'}: missing, or not as expected`)
  }
}

/** The same where nothing is promised: any text that is no page and lists no errors will do, and may hold no field. */
export function lenient<T>(read: (fields: Fields, text: string, hide: Hide) => T): Read<T> {
  return (text, context) => {
    nothing(text)
    return exactly(text, parseIfJson(text), context.unread, (record = {}) =>
      read(new Fields(record, context), text, context.hide),
    )
  }
}

/** Reads once more, with long whole numbers as texts, when one of them stood where a text is wanted: an id, say. */
function exactly<T>(
  text: string,
  body: unknown,
  unread: UnreadParts,
  read: (record: Record<string, unknown> | undefined) => T,
): T {
  const value = read(asRecord(body))
  if (!unread.isInexact) return value
  unread.clear()
  return read(asRecord(parse(text.replaceAll(STRING_OR_NUMBER, quotedIfLong))))
}

/** A JSON text holds digits in strings and in numbers only: whoever matches strings as a whole never looks into one. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

function quotedIfLong(token: string): string {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token
}

/** For an operation that returns nothing, or nothing that is promised: an empty body will do. */
export function nothing(text: string): void {
  refusePage(text)
  refuseErrors(parseIfJson(text))
}

/** Throws when the body is a page for people: then something between here and the service answered in its place. */
function refusePage(text: string): void {
  if (text.trimStart().startsWith('<')) throw new Unreadable('the body: a page, where JSON was expected')
}

/** The JSON value of a text, or undefined when it is none. */
export function parseIfJson(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Throws when a body of a success holds `errors`: the status and the body then contradict each other. */
function refuseErrors(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('errors' in body)) return
  const { errors } = body
  const holdsSome = Array.isArray(errors) ? errors.length > 0 : typeof errors === 'object' && errors !== null
  if (holdsSome) throw new Unreadable('errors: listed although the status says success')
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new Unreadable('the body: empty, where JSON was expected')
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text)
  } catch {
    throw new Unreadable('the body: not JSON')
  }
}
