import { isObject } from './fields.ts'
import { HttpError } from './http-error.ts'

const KINDS = ['delay', 'hold', 'hang', 'reset', 'drop-reply', 'status', 'body'] as const

/**
 * An error or delay that the sandbox simulates for matching requests, even if their token isn't valid:
 * - `delay` waits `ms`, then handles the request as usual.
 * - `hold` waits until the list of faults is replaced, then handles the request as usual.
 * - `hang` never responds.
 * - `reset` closes the connection without handling the request.
 * - `drop-reply` handles the request, then closes the connection instead of responding.
 * - `status` responds with `status` and an error object, or with `body`, without handling the request.
 * - `body` handles the request, but responds with `body`. The status stays the same unless `status` is given.
 *
 * `reset`, `drop-reply`, `status`, and `body` first wait `ms` if it's given. `headers` apply to `status` and `body`.
 */
export interface Fault {
  kind: (typeof KINDS)[number]
  method?: string
  /** The start of the path, including the query. All paths if omitted. */
  path?: string
  ms?: number
  status?: number
  headers?: Record<string, string>
  /** A string is sent as is, anything else as JSON. */
  body?: unknown
  /** How many requests it affects. Unlimited if omitted. */
  times?: number
}

/** Reads a list of faults. Throws a 400 if one has an unknown kind. The tests and the demo, which send the other fields, are typed. */
export function readFaults(value: unknown): Fault[] {
  if (!Array.isArray(value) || !value.every((fault) => isObject(fault) && isKind(fault.kind)))
    throw new HttpError(400, `The body must be a list of faults. A kind is one of ${KINDS.join(', ')}.`)
  return value as Fault[]
}

const isKind = (kind: unknown): boolean => KINDS.some((known) => known === kind)

export interface FaultStore {
  put(faults: readonly Fault[]): void
  /** Returns the first matching fault with uses left, and counts one use. */
  consume(method: string, path: string): Fault | undefined
  /** Aborted when the current list of faults is replaced. */
  readonly replaced: AbortSignal
}

export function createFaultStore(): FaultStore {
  let activeFaults: { fault: Fault; remaining: number }[] = []
  let replacement = new AbortController()
  return {
    put(faults) {
      activeFaults = faults.map((fault) => ({ fault, remaining: fault.times ?? Number.POSITIVE_INFINITY }))
      replacement.abort()
      replacement = new AbortController()
    },
    consume(method, path) {
      const entry = activeFaults.find(
        ({ fault, remaining }) =>
          remaining > 0 &&
          (fault.method === undefined || fault.method.toUpperCase() === method) &&
          path.startsWith(fault.path ?? '/'),
      )
      if (entry) entry.remaining -= 1
      return entry?.fault
    },
    get replaced() {
      return replacement.signal
    },
  }
}
