import { examine, type Field, isObject, oneOf, whole } from './fields.ts'
import { type Fault as Problem, Refusal } from './refusal.ts'

const KINDS = ['delay', 'hold', 'hang', 'reset', 'drop-reply', 'status', 'body', 'drip'] as const

/**
 * What is played on the requests that match, whatever their token:
 * - `delay` waits `ms`, then all goes on as usual.
 * - `hold` waits until the list of faults is replaced, then all goes on as usual.
 * - `hang` never answers; with `ms` it cuts the connection after that time.
 * - `reset` cuts the connection before any work.
 * - `drop-reply` does the work, then cuts the connection.
 * - `status` does no work and answers `status` with an error object, or with `body`.
 * - `body` does the work and answers with `body` instead; the status stays unless `status` is given.
 * - `drip` does the work and sends the body a byte every `ms`.
 * `reset`, `drop-reply`, `status` and `body` wait `ms` first when it is given. `headers` go with `status` and `body`.
 */
export interface Fault {
  kind: (typeof KINDS)[number]
  method?: string
  /** Where the path, query included, begins; all paths without it. */
  path?: string
  ms?: number
  status?: number
  headers?: Record<string, string>
  /** A text is sent as it is, anything else as JSON. */
  body?: unknown
  /** How many requests it is played on; for ever without it. */
  times?: number
}

const headers = (value: unknown): string | undefined =>
  isObject(value) && Object.entries(value).every(isHeader)
    ? undefined
    : 'must be an object of header names and texts'

function isHeader([name, value]: [string, unknown]): boolean {
  // What HTTP itself forbids in a header (RFC 9110, section 5); Node would throw while answering.
  return (
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) &&
    typeof value === 'string' &&
    /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  )
}

const method = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z]{1,20}$/.test(value) ? undefined : 'must be an HTTP method'

const path = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith('/') ? undefined : 'must be a text that begins with /'

const FIELDS: Record<string, Field> = {
  kind: { required: true, check: oneOf(KINDS) },
  method: { check: method },
  path: { check: path },
  ms: { check: whole(0, 3_600_000) },
  status: { check: whole(200, 599) },
  headers: { check: headers },
  body: { check: () => undefined },
  times: { check: whole(1, 1_000_000_000) },
}

const NEEDED: Partial<Record<Fault['kind'], string>> = {
  delay: 'ms',
  drip: 'ms',
  status: 'status',
  body: 'body',
}
const ANSWERING = ['status', 'headers', 'body']

function problems(value: unknown, at: string): Problem[] {
  if (!isObject(value)) return [{ field: at, message: `${at} must be an object.` }]
  const found = examine(value, FIELDS, `${at}.`)
  // A kind outside the table has no entry there, and `oneOf` has named it already.
  const kind = value.kind as Fault['kind']
  const needed = NEEDED[kind]
  if (needed !== undefined && value[needed] === undefined)
    found.push({ field: `${at}.${needed}`, message: `${at}.${needed} is missing: ${kind} needs it.` })
  if (KINDS.includes(kind) && kind !== 'status' && kind !== 'body')
    for (const field of ANSWERING.filter((name) => value[name] !== undefined))
      found.push({
        field: `${at}.${field}`,
        message: `${at}.${field} is only for the kinds status and body.`,
      })
  return found
}

/** Reads the list that a person or test sends. Throws a 400 that names every fault in it. */
export function readFaults(value: unknown): Fault[] {
  if (!Array.isArray(value))
    throw new Refusal(400, 'The body must be a list of faults: [{"path": "/", "kind": "hang"}].')
  const found = value.flatMap((item, index) => problems(item, `[${index}]`))
  if (found.length > 0) throw new Refusal(400, found)
  // Each item was examined field by field above.
  return value as Fault[]
}

export interface FaultBoard {
  put(faults: readonly Fault[]): void
  /** The first fault that matches and is not used up; counts the use. */
  take(method: string, path: string): Fault | undefined
  /** Aborted when the present list is replaced. */
  readonly replaced: AbortSignal
}

export function createFaultBoard(): FaultBoard {
  let board: { fault: Fault; left: number }[] = []
  let present = new AbortController()
  return {
    put(faults) {
      board = faults.map((fault) => ({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }))
      present.abort()
      present = new AbortController()
    },
    take(method, path) {
      const slot = board.find(
        ({ fault, left }) =>
          left > 0 &&
          (fault.method === undefined || fault.method.toUpperCase() === method) &&
          path.startsWith(fault.path ?? '/'),
      )
      if (slot) slot.left -= 1
      return slot?.fault
    },
    get replaced() {
      return present.signal
    },
  }
}
