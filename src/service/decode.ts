import { isRecord } from '@signalman/runtime'
import type { ParseIssueCollector } from './parse-issues.ts'
import type { Redact } from './redact.ts'
import { redactToken } from './redact.ts'

/** Options for decoding one answer. */
export interface DecodeContext {
  readonly redact: Redact
  /** Collects what couldn't be parsed. */
  readonly issues: ParseIssueCollector
}

/** Turns the text of a 2xx answer into a value, synchronously. Throws Unreadable. */
export type Decode<T> = (text: string, context: DecodeContext) => T

/** Like Decode, for a file. `mediaType` is in lower case, and empty if the response has none. */
export type DecodeBytes<T> = (answer: { bytes: Buffer; mediaType: string }, context: DecodeContext) => T

/** The response has a success status but an unusable body. The message names the path and the problem, and never quotes the body. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Decodes a JSON object. `read` returns undefined if a required part is missing or wrong. */
export function decodeJson<T>(
  read: (body: Record<string, unknown>, context: DecodeContext) => T | undefined,
): Decode<T> {
  return (text, context) => {
    const body = parseJson(text)
    throwIfFailed(body)
    const value = decodeWithExactIntegers(text, body, context, (record) => {
      if (!isRecord(record)) throw new Unreadable('the body: not an object')
      return read(record, context)
    })
    if (value === undefined)
      throw new Unreadable(`${context.issues.paths[0] ?? 'the body'}: missing, or not as expected`)
    return redactToken(value, text, context.redact)
  }
}

/** Like `decodeJson`, for a response that is wrapped in `data`, as nearly all are. */
export function decodeData<T>(read: (data: unknown, context: DecodeContext) => T | undefined): Decode<T> {
  return decodeJson(({ data }, context) => {
    if (data !== undefined && data !== null) return read(data, context)
    context.issues.add('data', data, context.redact)
    return undefined
  })
}

/** Like `decodeData`, for a list. */
export const decodeList = <T>(read: (list: readonly unknown[], context: DecodeContext) => T): Decode<T> =>
  decodeData((data, context) => {
    if (Array.isArray(data)) return read(data, context)
    context.issues.add('data', data, context.redact)
    return undefined
  })

/** Decodes the response of an operation without a specified result. The body may be empty. */
export function decodeNothing(text: string): void {
  if (text.trimStart().startsWith('<')) throw new Unreadable('the body: a page, where JSON was expected')
  throwIfFailed(parseIfJson(text) ?? text)
}

/** The JSON value of a text, or undefined if it isn't JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/**
 * JSON.parse rounds long integers. If one appeared where a text such as an ID was expected, this parses the body again with all
 * long integers as text.
 */
function decodeWithExactIntegers<T>(
  text: string,
  body: unknown,
  { issues }: DecodeContext,
  read: (body: unknown) => T,
): T {
  const value = read(body)
  if (!issues.hasRoundedInteger) return value
  issues.clear()
  return read(parseJson(text.replaceAll(STRING_OR_NUMBER, quoteIfLong)))
}

/** In JSON, only strings and numbers contain digits. Matches whole strings, so that digits inside them aren't matched as numbers. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

function quoteIfLong(token: string): string {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token
}

/** Throws if the body of a successful response reports a failure. */
function throwIfFailed(body: unknown): void {
  const part = findFailure(body)
  if (part) throw new Unreadable(`${part}: says that it failed, although the status says success`)
}

/** Typical beginnings of error sentences. */
const FAILURE =
  /^\W*(?:an? |the |internal )*(?:error|fail|fault|denied|refused|rejected|invalid|unauthori[sz]ed|forbidden)/i

/**
 * Finds the part of a body that reports a failure: `error` or `errors` in any form, a flag (`success` or `ok`), JSend's status,
 * or a message other than `OK`, if it begins like an error or the body contains nothing else.
 */
function findFailure(body: unknown): string | undefined {
  if (typeof body === 'string') return FAILURE.test(body) ? 'the body' : undefined
  if (!isRecord(body)) return undefined
  const { success, ok, status, message, code: _, ...rest } = body
  const errorField = ['errors', 'error'].find((name) => hasContent(body[name]))
  if (errorField) return errorField
  if (success === false || ok === false) return success === false ? 'success' : 'ok'
  if (typeof status === 'string' && /^(?:error|fail|failure|failed)$/i.test(status)) return 'status'
  const isOk = typeof message !== 'string' || /^\s*(?:ok(?:ay)?|success)?\W*$/i.test(message)
  return isOk || (Object.values(rest).some(hasContent) && !FAILURE.test(message)) ? undefined : 'message'
}

const hasContent = (part: unknown): boolean =>
  typeof part === 'object' && part !== null
    ? Object.keys(part).length > 0
    : part !== undefined && part !== null && part !== false && part !== 0 && part !== ''

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new Unreadable('the body: empty, where JSON was expected')
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text)
  } catch {
    throw new Unreadable('the body: not JSON')
  }
}
