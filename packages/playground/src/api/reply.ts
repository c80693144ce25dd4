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

/** A page of a list by `limit` and `cursor` (here the index to go on from). */
export function pageOf<T>(
  all: readonly T[],
  args: Args,
  byDefault = 100,
): { page: T[]; response_metadata: { next_cursor: string } } {
  const limit = Math.min(1000, Math.max(1, Number(args.limit ?? byDefault) || byDefault))
  const from = Number(Buffer.from(optional(args, 'cursor') ?? '', 'base64').toString()) || 0
  const next = from + limit < all.length ? Buffer.from(String(from + limit)).toString('base64') : ''
  return { page: all.slice(from, from + limit), response_metadata: { next_cursor: next } }
}
