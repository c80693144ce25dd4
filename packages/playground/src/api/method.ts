import type { Fields } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import type { Caller } from '../state/installs.ts'
import type { World } from '../state/world.ts'

/** The arguments of a Web API call. If they were sent as a form, nested objects are still JSON text. */
export type Args = Fields

/** A call of a Web API method, after its token and scopes were checked. */
export interface Call {
  args: Args
  caller: Caller
  world: World
}

/** Runs a Web API method. Returns the response's fields without `ok`, or throws ApiError. */
export type RunMethod = (call: Call) => Fields

/** Thrown by methods to respond with `{ok: false, error: code}`. `notes` go into `response_metadata.messages`. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly notes: string[]
  constructor(code: string, notes: string[] = []) {
    super(code)
    this.code = code
    this.notes = notes
  }
}

/** An `invalid_arguments` error with an explanation. */
export const invalidArguments = (note: string): ApiError => new ApiError('invalid_arguments', [note])

/** Reads a required argument as text. Throws ApiError if it's missing. */
export function required(args: Args, name: string): string {
  const value = optional(args, name)
  if (value === undefined) throw invalidArguments(`missing required field: ${name}`)
  return value
}

/** Reads an argument as text. Throws ApiError if it's neither text nor a number, so that no argument is ignored because of its type. */
export function optional(args: Args, name: string): string | undefined {
  const value = args[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' && typeof value !== 'number')
    throw invalidArguments(`must provide a string [json-pointer:/${name}]`)
  return String(value)
}

/**
 * The highest `limit` of a list call (https://docs.slack.dev/reference/methods/conversations.members and users.list, November
 * 2026).
 */
const MAX_LIMIT = 999

/** The default limit of methods that return everything if it's missing or 0. */
export const ALL_ITEMS = Number.POSITIVE_INFINITY

/** Reads the `limit` argument. Form-encoded arguments are strings, so this parses them. */
function readLimit(args: Args, maxLimit = MAX_LIMIT, defaultLimit = 100): number {
  if (args.limit === undefined || args.limit === '') return defaultLimit
  const limit = Number(args.limit)
  if (limit === 0 && defaultLimit === ALL_ITEMS) return defaultLimit
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw new ApiError('invalid_limit', [`\`limit\` must be a whole number from 1 to ${maxLimit}.`])
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
 * Returns the page that `limit` and `cursor` select. A cursor contains the key of the next page's first item, so that no item is repeated
 * or skipped if the list changes between two calls. If items can be deleted, pass `startsPage`: the page then starts at the first item for
 * which it is true, even if the item with the cursor's key no longer exists.
 */
export function paginate<T>(
  items: readonly T[],
  args: Args,
  {
    getKey = defaultKey,
    startsPage,
    maxLimit,
    defaultLimit,
  }: {
    getKey?: (item: T) => string
    startsPage?: (item: T, key: string) => boolean
    maxLimit?: number
    defaultLimit?: number
  } = {},
): { page: T[]; response_metadata: { next_cursor: string } } {
  const limit = readLimit(args, maxLimit, defaultLimit)
  const cursor = optional(args, 'cursor')
  const key = /^next:(.+)$/s.exec(Buffer.from(cursor ?? '', 'base64').toString())?.[1]
  const foundIndex =
    key === undefined
      ? 0
      : items.findIndex((item) => (startsPage ? startsPage(item, key) : getKey(item) === key))
  if ((cursor !== undefined && key === undefined) || (foundIndex < 0 && !startsPage))
    throw new ApiError('invalid_cursor', ["This cursor doesn't belong to this list."])
  const start = foundIndex < 0 ? items.length : foundIndex
  const next = items[start + limit]
  return {
    page: items.slice(start, start + limit),
    response_metadata: {
      next_cursor: next === undefined ? '' : Buffer.from(`next:${getKey(next)}`).toString('base64'),
    },
  }
}
