import { type Field, findProblems, integer, isObject, oneOf } from './fields.ts'
import { HttpError, type Problem } from './http-error.ts'

const KINDS = ['delay', 'hold', 'hang', 'reset', 'drop-reply', 'status', 'body', 'drip'] as const

/**
 * An error or delay that the sandbox simulates for matching requests, even if their token isn't valid:
 * - `delay` waits `ms`, then handles the request as usual.
 * - `hold` waits until the list of faults is replaced, then handles the request as usual.
 * - `hang` never responds. With `ms`, it closes the connection after that time.
 * - `reset` closes the connection without handling the request.
 * - `drop-reply` handles the request, then closes the connection instead of responding.
 * - `status` responds with `status` and an error object, or with `body`, without handling the request.
 * - `body` handles the request, but responds with `body`. The status stays the same unless `status` is given.
 * - `drip` handles the request, and sends one byte of the response every `ms`.
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

const validateHeaders = (value: unknown): string | undefined =>
  isObject(value) && Object.entries(value).every(isHeader)
    ? undefined
    : 'must be an object of header names and strings'

function isHeader([name, value]: [string, unknown]): boolean {
  // Only characters that HTTP allows in a header (RFC 9110, section 5). For others, Node would throw while responding.
  return (
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) &&
    typeof value === 'string' &&
    /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  )
}

const validateMethod = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z]{1,20}$/.test(value) ? undefined : 'must be an HTTP method'

const validatePath = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith('/') ? undefined : 'must be a string that starts with /'

const FIELDS: Record<string, Field> = {
  kind: { required: true, validate: oneOf(KINDS) },
  method: { validate: validateMethod },
  path: { validate: validatePath },
  ms: { validate: integer(0, 3_600_000) },
  status: { validate: integer(200, 599) },
  headers: { validate: validateHeaders },
  body: { validate: () => undefined },
  times: { validate: integer(1, 1_000_000_000) },
}

const REQUIRED_FIELD: Partial<Record<Fault['kind'], string>> = {
  delay: 'ms',
  drip: 'ms',
  status: 'status',
  body: 'body',
}
const RESPONSE_FIELDS = ['status', 'headers', 'body']

function findFaultProblems(value: unknown, path: string): Problem[] {
  if (!isObject(value)) return [{ field: path, message: `${path} must be an object.` }]
  const problems = findProblems(value, FIELDS, `${path}.`)
  // An unknown kind isn't in the table, and `oneOf` has already reported it.
  const kind = value.kind as Fault['kind']
  const requiredField = REQUIRED_FIELD[kind]
  if (requiredField !== undefined && value[requiredField] === undefined)
    problems.push({
      field: `${path}.${requiredField}`,
      message: `${path}.${requiredField} is missing: ${kind} needs it.`,
    })
  if (KINDS.includes(kind) && kind !== 'status' && kind !== 'body')
    for (const field of RESPONSE_FIELDS.filter((name) => value[name] !== undefined))
      problems.push({
        field: `${path}.${field}`,
        message: `${path}.${field} is only for the kinds status and body.`,
      })
  return problems
}

/** Validates a list of faults. Throws a 400 that names every mistake in it. */
export function readFaults(value: unknown): Fault[] {
  if (!Array.isArray(value))
    throw new HttpError(400, 'The body must be a list of faults: [{"path": "/", "kind": "hang"}].')
  const problems = value.flatMap((item, index) => findFaultProblems(item, `[${index}]`))
  if (problems.length > 0) throw new HttpError(400, problems)
  // Each item was validated field by field above.
  return value as Fault[]
}

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
