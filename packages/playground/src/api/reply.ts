import type { Caller } from '../installs.ts'
import { isFields } from '../json.ts'
import type { Fields, Json } from '../protocol.ts'
import type { Slack } from '../slack.ts'

/** The arguments of a Web API call. Forms are parsed already, but JSON in their fields is still text. */
export type Args = Fields
/** A Web API method. Returns the fields of its answer besides `ok: true`, or throws ApiRefusal. */
export type Method = (slack: Slack, args: Args, caller: Caller) => Fields

/** An answer with `{ok: false, error}`, and sentences for `response_metadata.messages`. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  readonly code: string
  readonly notes: string[]
  readonly retryAfter: number | undefined
  /** Additional fields of the answer. */
  readonly extraFields: Fields
  constructor(code: string, notes: string[] = [], retryAfter?: number, extraFields: Fields = {}) {
    super(code)
    this.extraFields = extraFields
    this.code = code
    this.notes = notes
    this.retryAfter = retryAfter
  }
}

/** An `invalid_arguments` error with an explanation. */
export const invalidArguments = (note: string): ApiRefusal => new ApiRefusal('invalid_arguments', [note])

/** A required argument as text. Throws ApiRefusal if it's missing. */
export function required(args: Args, name: string): string {
  const value = args[name]
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || value === '') throw invalidArguments(`missing required field: ${name}`)
  return value
}

export function optional(args: Args, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads a flag from JSON or from a form's text. */
export function isSet(value: Json | undefined): boolean {
  return value === true || value === 'true' || value === '1' || value === 1
}

/** The highest `limit` of a list call (https://docs.slack.dev/reference/methods/conversations.members and users.list, November 2026). */
const MAX_LIMIT = 999

/** Reads `limit`, a whole number, from JSON or from a form's text. */
function readLimit(args: Args, maxLimit = MAX_LIMIT): number {
  if (args.limit === undefined || args.limit === '') return 100
  const limit = Number(args.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw new ApiRefusal('invalid_limit', [`\`limit\` must be a whole number from 1 to ${maxLimit}.`])
  return limit
}

/** Reads a comma-separated list of IDs. */
export const readIds = (args: Args, name: string): string[] =>
  (optional(args, name) ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')

const defaultKey = (item: unknown): string => (isFields(item) ? String(item.id) : String(item))

/**
 * Returns a page of a list by `limit` and `cursor`. A cursor names the first item of the next page, so items that are added or removed
 * between two calls aren't repeated or skipped. `isNext` finds where to continue if the item that the cursor names may have been removed.
 */
export function paginate<T>(
  items: readonly T[],
  args: Args,
  {
    keyOf = defaultKey,
    isNext,
    maxLimit,
  }: { keyOf?: (item: T) => string; isNext?: (item: T, key: string) => boolean; maxLimit?: number } = {},
): { page: T[]; response_metadata: { next_cursor: string } } {
  const limit = readLimit(args, maxLimit)
  const cursor = optional(args, 'cursor')
  const key = /^next:(.+)$/s.exec(Buffer.from(cursor ?? '', 'base64').toString())?.[1]
  const foundIndex =
    key === undefined ? 0 : items.findIndex((item) => (isNext ? isNext(item, key) : keyOf(item) === key))
  if ((cursor !== undefined && key === undefined) || (foundIndex < 0 && !isNext))
    throw new ApiRefusal('invalid_cursor', ["This cursor doesn't belong to this list."])
  const start = foundIndex < 0 ? items.length : foundIndex
  const next = items[start + limit]
  return {
    page: items.slice(start, start + limit),
    response_metadata: {
      next_cursor: next === undefined ? '' : Buffer.from(`next:${keyOf(next)}`).toString('base64'),
    },
  }
}
