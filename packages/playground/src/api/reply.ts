import type { Caller } from '../installs.ts'
import type { Fields, Json } from '../protocol.ts'
import type { Slack } from '../slack.ts'

/** The arguments of a Web API call, forms already read: JSON in fields of a form stays text. */
export type Args = Fields
/** A method: what it answers beside `ok: true`. Throws ApiRefusal. */
export type Method = (slack: Slack, args: Args, caller: Caller) => Fields

/** `{ok: false, error}`, with the sentences that Slack puts into `response_metadata.messages`. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal'
  readonly code: string
  readonly notes: string[]
  readonly retryAfter: number | undefined
  /** Further fields of the answer. */
  readonly more: Fields
  constructor(code: string, notes: string[] = [], retryAfter?: number, more: Fields = {}) {
    super(code)
    this.more = more
    this.code = code
    this.notes = notes
    this.retryAfter = retryAfter
  }
}

/** A required argument as text. */
export function required(args: Args, name: string): string {
  const value = args[name]
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || value === '')
    throw new ApiRefusal('invalid_arguments', [`missing required field: ${name}`])
  return value
}

export function optional(args: Args, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A flag, as JSON or as a form's text. */
export function isSet(value: Json | undefined): boolean {
  return value === true || value === 'true' || value === '1' || value === 1
}

const MOST = 1000

/** How many are asked for: a whole number, as JSON or as a form's text. */
function limitOf(args: Args, byDefault: number): number {
  if (args.limit === undefined || args.limit === '') return byDefault
  const limit = Number(args.limit)
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new ApiRefusal('invalid_limit', [`\`limit\` must be a whole number from 1 to ${MOST}.`])
  return limit
}

/** Where to go on from: a cursor that this playground gave out for a list at least as long. */
function startOf(args: Args, length: number): number {
  const cursor = optional(args, 'cursor')
  if (cursor === undefined) return 0
  const from = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString())?.[1]
  if (from === undefined || Number(from) > length)
    throw new ApiRefusal('invalid_cursor', ['That cursor is not one of this list.'])
  return Number(from)
}

/** A page of a list by `limit` and `cursor` (here the index to go on from). */
export function pageOf<T>(
  all: readonly T[],
  args: Args,
  byDefault = 100,
): { page: T[]; response_metadata: { next_cursor: string } } {
  const limit = limitOf(args, byDefault)
  const from = startOf(args, all.length)
  const next = from + limit < all.length ? Buffer.from(`next:${from + limit}`).toString('base64') : ''
  return { page: all.slice(from, from + limit), response_metadata: { next_cursor: next } }
}
