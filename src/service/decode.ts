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
  override readonly name: string = 'Unreadable'
}

/** The response has a success status, and its body says that the call failed. */
export class FailureReported extends Unreadable {
  override readonly name = 'FailureReported'
}

/** Decodes a JSON object. `read` returns undefined if a required part is missing or wrong. */
export function decodeJson<T>(
  read: (body: Record<string, unknown>, context: DecodeContext) => T | undefined,
  isFailure = reportsFailure,
): Decode<T> {
  return (text, context) => {
    const body = parseJson(text)
    if (!isRecord(body)) throw new Unreadable('the body: not an object')
    if (isFailure(body)) throw new FailureReported('the body: reports a failure')
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

/** Decodes the response to a deletion, which is only a message. Nothing else in it would show that something was deleted. */
export const decodeDone: Decode<true> = decodeJson(({ message }) => (isOk(message) ? true : undefined))

/** The JSON value of a text, or undefined if it isn't JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The message of every successful response is `OK`. */
const isOk = (message: unknown): boolean =>
  typeof message === 'string' && message.trim().toUpperCase() === 'OK'

/** Whether the body of a response says that the call failed: by another message than `OK`, or by an error. A message may be missing. */
export function reportsFailure({ message, error, errors }: Record<string, unknown>): boolean {
  return (typeof message === 'string' && !isOk(message)) || hasContent(error) || hasContent(errors)
}

const hasContent = (part: unknown): boolean =>
  typeof part === 'object' && part !== null ? Object.keys(part).length > 0 : Boolean(part)

function parseJson(text: string): unknown {
  if (text.trim() === '') throw new Unreadable('the body: empty, where JSON was expected')
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text)
  } catch {
    throw new Unreadable('the body: not JSON')
  }
}
