import { freeMemory, isRecord, parseJson } from '@signalman/runtime'
import type { ParseIssueCollector } from './parse-issues.ts'

/** The body of a 2xx answer. */
export interface Body {
  readonly bytes: Buffer
  /** In lower case; empty if the response has none. */
  readonly mediaType: string
  /** Without the caller's token. */
  text(): string
}

/** Turns a body into a value, synchronously, and records what couldn't be parsed. Throws Unreadable. */
export type Decode<T> = (body: Body, issues: ParseIssueCollector) => T

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
  read: (body: Record<string, unknown>, issues: ParseIssueCollector) => T | undefined,
  isFailure = reportsFailure,
): Decode<T> {
  return ({ bytes, text }, issues) => {
    const body = parseBody(text())
    if (!isRecord(body)) throw new Unreadable('the body: not an object')
    if (isFailure(body)) throw new FailureReported('the body: reports a failure')
    const value = read(body, issues)
    if (value === undefined)
      throw new Unreadable(`${issues.paths[0] ?? 'the body'}: missing, or not as expected`)
    // The value is made of the text, and only an error is explained with the bytes.
    freeMemory(bytes)
    return value
  }
}

/** Like `decodeJson`, for a response that is wrapped in `data`, as nearly all are. */
export const decodeData = <T>(
  read: (data: unknown, issues: ParseIssueCollector) => T | undefined,
): Decode<T> =>
  decodeJson(({ data }, issues) =>
    data === undefined || data === null ? issues.add('data') : read(data, issues),
  )

/** Like `decodeData`, for a list. */
export const decodeList = <T>(
  read: (list: readonly unknown[], issues: ParseIssueCollector) => T,
): Decode<T> => decodeData((data, issues) => (Array.isArray(data) ? read(data, issues) : issues.add('data')))

/** Decodes the response to a deletion, which is only a message. Nothing else in it would show that something was deleted. */
export const decodeDone: Decode<true> = decodeJson(({ message }) => (isOk(message) ? true : undefined))

/** The JSON value of a text, or undefined if it isn't JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return parseBody(text)
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

/** Whether an error, or a list of them, says anything. */
export const hasContent = (part: unknown): boolean =>
  typeof part === 'object' && part !== null ? Object.keys(part).length > 0 : Boolean(part)

function parseBody(text: string): unknown {
  if (text.trim() === '') throw new Unreadable('the body: empty, where JSON was expected')
  try {
    return parseJson(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text)
  } catch {
    throw new Unreadable('the body: not JSON')
  }
}
