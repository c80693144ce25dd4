import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

/** The person's request or background job that the current code runs for. */
interface TraceContext {
  /** Identifies its log lines. */
  readonly reference: string
  /** The command, such as `/hc list`. For background work, the kind of work. */
  verb: string
  readonly startedAtMs: number
}

/**
 * Ten hexadecimal digits that identify the log lines of one request or job. They're cut from a UUID, because Node generates UUIDs
 * cheaply from a pool.
 */
export const createReference = (): string => randomUUID().slice(-10)

const contexts = new AsyncLocalStorage<TraceContext>()

/** Runs `work` in a new trace context. All of its log lines get the reference. */
export const runWithTraceContext = <T>(
  { reference, verb }: { reference: string; verb: string },
  work: () => Promise<T>,
): Promise<T> => contexts.run({ reference, verb, startedAtMs: performance.now() }, work)

/** Runs `work` outside the current trace context, because other requests will share its result. */
export const runWithoutTraceContext = <T>(work: () => T): T => contexts.exit(work)

/** Sets the verb of the current request or job, once it's known. */
export function setVerb(verb: string): void {
  const context = contexts.getStore()
  if (context) context.verb = verb
}

/** The reference of the current request or job, which is stored with background work, so that its log lines have it too. */
export const currentReference = (): string | undefined => contexts.getStore()?.reference

/** When the current request or job began, in the milliseconds of `performance.now()`. Outside of both, now. */
export const startedAtMs = (): number => contexts.getStore()?.startedAtMs ?? performance.now()

/** Fields for every log line: the reference, the verb, and the time since the request or job began. */
export function traceContextFields(): object {
  const context = contexts.getStore()
  return context
    ? {
        reference: context.reference,
        verb: context.verb,
        ms: Math.round(performance.now() - context.startedAtMs),
      }
    : {}
}

/** A request that the app sent to another system, and its outcome. */
export interface OutgoingCall {
  to: 'slack' | 'service'
  /** For Slack, the Web API method, such as `chat.postMessage`. For the service, `GET`, `POST`, and so on. */
  method: string
  /** For the service, the path without the query. */
  path?: string
  /** The path with placeholders instead of IDs. */
  route?: string
  /** `ok`, a status, Slack's error code, or a network error. */
  outcome: string
  status?: number | undefined
  attempt?: number
  ms: number
}

export type ObserveCall = (call: OutgoingCall) => void

/** Reports a call to `observe`, whether it succeeds or fails. `describeError` returns an error's code. */
export async function observed<T>(
  observe: ObserveCall | undefined,
  { to, method }: Pick<OutgoingCall, 'to' | 'method'>,
  work: () => Promise<T>,
  describeError: (error: unknown) => string,
): Promise<T> {
  const since = performance.now()
  let outcome = 'ok'
  try {
    return await work()
  } catch (error) {
    outcome = describeError(error)
    throw error
  } finally {
    observe?.({ to, method, outcome, ms: performance.now() - since })
  }
}
