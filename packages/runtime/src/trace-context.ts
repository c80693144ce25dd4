import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

/** The person's request or background job that the current code runs for. */
interface Origin {
  /** Identifies the log lines of this origin. */
  readonly reference: string
  /** The command, such as `/hc list`. For background work, the kind of work. */
  verb: string
  readonly startedAtMs: number
  /** The prefix of the span name. */
  readonly kind: string
  readonly span: TraceSpan | undefined
}

/** What the current code runs for, and the current span of its trace. */
interface TraceContext {
  readonly origin: Origin
  readonly span: TraceSpan | undefined
}

/** Stored with a background job, so that its log lines and spans continue the request's trace. */
export interface StoredTraceContext {
  reference: string
  traceparent: string | undefined
}

/**
 * Ten hexadecimal digits that identify the log lines of one request or job. They're cut from a UUID, because Node generates UUIDs
 * cheaply from a pool.
 */
export const createReference = (): string => randomUUID().slice(-10)

const contexts = new AsyncLocalStorage<TraceContext>()

/** Runs `work` in a new trace context. All of its log lines and spans get the reference. */
export function runWithTraceContext<T>(
  options: {
    reference: string
    verb: string
    tracer: Tracer | undefined
    start: SpanStart
    traceparent?: string | undefined
  },
  work: () => Promise<T>,
): Promise<T> {
  const { reference, verb, tracer, start, traceparent } = options
  const span = tracer?.begin(start, traceparent)
  span?.set({ 'signalman.reference': reference, 'signalman.verb': verb })
  const origin = { reference, verb, startedAtMs: performance.now(), kind: start.name, span }
  return contexts.run({ origin, span }, span ? () => runInSpan(span, work, errorName) : work)
}

/** Runs the work as a span of the current trace. Without a trace, it only runs the work. */
export function traced<T>(
  start: SpanStart,
  work: () => Promise<T>,
  describeErrorType: (error: unknown) => string = errorName,
): Promise<T> {
  const context = contexts.getStore()
  if (!context?.span) return work()
  const span = context.span.begin(start)
  return contexts.run({ ...context, span }, () => runInSpan(span, work, describeErrorType))
}

/** Adds attributes to the current span. An error type marks the span as failed. */
export function annotate(attributes: SpanAttributes, errorType?: string): void {
  const span = contexts.getStore()?.span
  span?.set(attributes)
  if (errorType !== undefined) span?.fail(errorType)
}

/** Records the wait since `since` as a span, unless it's zero. */
export function recordWait(since: Date, name: string): void {
  if (Date.now() > since.getTime()) contexts.getStore()?.span?.begin({ name, kind: 'internal', since }).end()
}

/** Runs `work` outside the current trace context, because other requests will share its result. */
export const runWithoutTraceContext = <T>(work: () => T): T => contexts.exit(work)

/** Sets the verb of the current request or job, once it's known. */
export function setVerb(verb: string): void {
  const origin = contexts.getStore()?.origin
  if (!origin) return
  origin.verb = verb
  origin.span?.set({ 'signalman.verb': verb })
  origin.span?.rename(`${origin.kind} ${verb}`)
}

/** Sets the outcome of the current request or job: `problem` if the person got an explanation, `failed` if the code threw. Only the type of an error is recorded. */
export function setOutcome(outcome: 'done' | 'problem' | 'failed', error?: unknown): void {
  const span = contexts.getStore()?.origin.span
  span?.set({ 'signalman.outcome': outcome })
  if (outcome === 'failed') span?.fail(errorName(error))
}

/** Returns the current trace context in the form that is stored with background work. */
export function captureTraceContext(): StoredTraceContext | undefined {
  const context = contexts.getStore()
  return context && { reference: context.origin.reference, traceparent: context.span?.traceparent }
}

/** Milliseconds since the current request or job began, or 0 outside of both. */
export function elapsedMs(): number {
  const sinceMs = contexts.getStore()?.origin.startedAtMs
  return sinceMs === undefined ? 0 : performance.now() - sinceMs
}

/** Fields for every log line: the reference, the verb, and the time since the request or job began. */
export function traceContextFields(): object {
  const context = contexts.getStore()
  if (!context) return {}
  const { reference, verb, startedAtMs: sinceMs } = context.origin
  const traceId = context.span?.traceId
  return {
    reference,
    verb,
    ms: Math.round(performance.now() - sinceMs),
    ...(traceId !== undefined && { trace_id: traceId }),
  }
}

async function runInSpan<T>(
  span: TraceSpan,
  work: () => Promise<T>,
  describeErrorType: (error: unknown) => string,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    span.fail(describeErrorType(error))
    throw error
  } finally {
    span.end()
  }
}

const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')

/** The attributes of a span: constants and numbers, never an ID, a name, or user text. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface SpanStart {
  name: string
  /** `server` handles a request, `consumer` handles stored work, `client` calls another system. */
  kind: 'server' | 'consumer' | 'client' | 'internal'
  attributes?: SpanAttributes
  /** When the span began. By default, now. */
  since?: Date
}

/** A span in a trace. */
export interface TraceSpan {
  /** 32 hexadecimal digits. Undefined if the sampler drops the trace. */
  readonly traceId: string | undefined
  /** The span's ID for another process: https://www.w3.org/TR/trace-context/#traceparent-header (November 2026). */
  readonly traceparent: string
  begin(start: SpanStart): TraceSpan
  rename(name: string): void
  set(attributes: SpanAttributes): void
  /** Marks the span as failed, with a code or a class name, never a message. */
  fail(errorType: string): void
  end(): void
}

/** Exports spans. Disposing of it flushes the rest, with a time limit. */
export interface Tracer extends AsyncDisposable {
  /** Begins a root span. `traceparent` continues a trace from another process. */
  begin(start: SpanStart, traceparent?: string | undefined): TraceSpan
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
  /** The HTTP status, if there was a response. */
  status?: number | undefined
  /** The attempt, starting with 1. */
  attempt?: number
  ms: number
}

export type ObserveCall = (call: OutgoingCall) => void

/**
 * Runs a call in its own span and reports it to `observe`, whether it succeeds or fails. `describeError` returns an error's code.
 */
export function observed<T>(
  observe: ObserveCall | undefined,
  { to, method }: Pick<OutgoingCall, 'to' | 'method'>,
  work: () => Promise<T>,
  describeError: (error: unknown) => string,
): Promise<T> {
  const attributes = { 'rpc.system.name': to, 'rpc.method': method }
  const since = performance.now()
  let outcome = 'ok'
  const runAndReport = async (): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      outcome = describeError(error)
      throw error
    } finally {
      observe?.({ to, method, outcome, ms: performance.now() - since })
    }
  }
  return traced({ name: `${to} ${method}`, kind: 'client', attributes }, runAndReport, describeError)
}
