import { asRecord } from './scalars.ts'
import { type ReadContext, required, topOf, type ValueReader } from './shape.ts'
import type { UnreadParts } from './unread.ts'

/** Turns the text of a 2xx answer into a value, in one synchronous step; throws Unreadable when it cannot. */
export type Read<T> = (text: string, context: ReadContext) => T

/** The same for an answer that is not text, or not JSON; `mediaType` is lower case and empty when it names none. */
export type ReadBytes<T> = (answer: { bytes: Buffer; mediaType: string }, context: ReadContext) => T

/** The answer is a success by its status and not by its body. The message names the place and the fault, no content. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Reads a JSON object by its shape. */
export function json<T>(part: ValueReader<T | undefined>): Read<T> {
  return (text, context) => {
    const { unread } = context
    const body = parse(text)
    refuseErrors(body)
    const value = exactly(text, body, unread, (record) => {
      if (!asRecord(record)) throw new Unreadable('the body: not an object')
      return part(record, topOf(context))
    })
    if (value !== undefined) return value
    throw new Unreadable(`${unread.paths[0] ?? 'the body'}: missing, or not as expected`)
  }
}

/** The same for an answer that is wrapped, as nearly all are. */
export function jsonData<T>(part: ValueReader<T | undefined>): Read<T> {
  const data = required<T | undefined>(part)
  return json<T>((body, { context }) => data(asRecord(body)?.data, { context, name: 'data' }))
}

/** The same where nothing is promised: any text that is no page and speaks of no failure will do, and may hold no field. */
export function lenient<T, U>(
  part: ValueReader<T | undefined>,
  use: (read: T | undefined, text: string) => U,
): Read<U> {
  return (text, context) => {
    nothing(text)
    return exactly(text, parseIfJson(text), context.unread, (body) =>
      use(asRecord(body) && part(body, topOf(context)), context.hide(text)),
    )
  }
}

/** Reads once more, with long whole numbers as texts, when one of them stood where a text is wanted: an id, say. */
function exactly<T>(text: string, body: unknown, unread: UnreadParts, read: (body: unknown) => T): T {
  const value = read(body)
  if (!unread.isInexact) return value
  unread.clear()
  return read(parse(text.replaceAll(STRING_OR_NUMBER, quotedIfLong)))
}

/** A JSON text holds digits in strings and in numbers only: whoever matches strings as a whole never looks into one. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

function quotedIfLong(token: string): string {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token
}

/** For an operation that returns nothing, or nothing that is promised: an empty body will do. */
export function nothing(text: string): void {
  refusePage(text)
  refuseErrors(parseIfJson(text) ?? text)
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

/** Throws when the body of a success says that it failed: the status and the body then contradict each other. */
function refuseErrors(body: unknown): void {
  const said = failureIn(body)
  if (said) throw new Unreadable(`${said}: says that it failed, although the status says success`)
}

/** Sentences of a failure, as they begin. */
const FAILURE =
  /^\W*(?:an? |the |internal )*(?:error|fail|fault|denied|refused|rejected|invalid|unauthori[sz]ed|forbidden)/i

/**
 * Which part of an answer says that it failed: `error` or `errors` in any form, a flag, JSend's status, or the envelope's
 * message where it is not the `OK` of a success and nothing came with it.
 */
function failureIn(body: unknown): string | undefined {
  if (typeof body === 'string') return FAILURE.test(body) ? 'the body' : undefined
  const record = asRecord(body)
  if (!record) return undefined
  const { success, ok, status, message, code: _, ...rest } = record
  const listed = ['errors', 'error'].find((name) => holdsSome(record[name]))
  if (listed) return listed
  if (success === false || ok === false) return success === false ? 'success' : 'ok'
  if (typeof status === 'string' && /^(?:error|fail|failure|failed)$/i.test(status)) return 'status'
  const isOk = typeof message !== 'string' || /^\s*(?:ok(?:ay)?|success)?\W*$/i.test(message)
  return isOk || (Object.values(rest).some(holdsSome) && !FAILURE.test(message)) ? undefined : 'message'
}

const holdsSome = (part: unknown): boolean =>
  typeof part === 'object' && part !== null
    ? Object.keys(part).length > 0
    : part !== undefined && part !== null && part !== false && part !== 0 && part !== ''

function parse(text: string): unknown {
  if (text.trim() === '') throw new Unreadable('the body: empty, where JSON was expected')
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text)
  } catch {
    throw new Unreadable('the body: not JSON')
  }
}
