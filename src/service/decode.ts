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
    if (!isRecord(body)) throw new Unreadable('the body: not an object')
    const value = read(body, context)
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

/** Throws if the body of a successful response has the form of the service's errors. */
function throwIfFailed(body: unknown): void {
  if (isRecord(body) && Array.isArray(body.errors) && body.errors.length > 0)
    throw new Unreadable('errors: says that it failed, although the status says success')
}

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new Unreadable('the body: empty, where JSON was expected')
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text)
  } catch {
    throw new Unreadable('the body: not JSON')
  }
}
