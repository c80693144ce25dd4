import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

/** What something is done for: a person's request, or a piece of work that is done later. */
interface Occasion {
  /** Finds its lines in the log. */
  readonly reference: string
  /** What was asked for, such as `/hc list`; for work that is done later, the kind of work. */
  verb: string
  readonly sinceMs: number
  /** The name of the occasion's span begins with this. */
  readonly kind: string
  readonly span: TraceSpan | undefined
}

/** An occasion, and the span that is under way in its trace. */
interface Cause {
  readonly occasion: Occasion
  readonly span: TraceSpan | undefined
}

/** A cause as it is kept with work that is done later, here or elsewhere. */
export interface KeptCause {
  reference: string
  traceparent: string | undefined
}

/** Ten hexadecimal digits that find an occasion's lines in the log. Node draws UUIDs from a store of random bytes. */
export const createReference = (): string => randomUUID().slice(-10)

const causes = new AsyncLocalStorage<Cause>()

/** Does the work for one occasion: every log line and every span written meanwhile carries the occasion's reference. */
export function runAs<T>(
  about: {
    reference: string
    verb: string
    tracer: Tracer | undefined
    start: SpanStart
    traceparent?: string | undefined
  },
  work: () => Promise<T>,
): Promise<T> {
  const { reference, verb, tracer, start, traceparent } = about
  const span = tracer?.begin(start, traceparent)
  span?.set({ 'signalman.reference': reference, 'signalman.verb': verb })
  const occasion = { reference, verb, sinceMs: performance.now(), kind: start.name, span }
  return causes.run({ occasion, span }, span ? () => ended(span, work, errorName) : work)
}

/** Does the work as a span of its own within the current trace; without a trace, the work is only done. */
export function traced<T>(
  start: SpanStart,
  work: () => Promise<T>,
  errorTypeOf: (error: unknown) => string = errorName,
): Promise<T> {
  const cause = causes.getStore()
  if (!cause?.span) return work()
  const span = cause.span.begin(start)
  return causes.run({ ...cause, span }, () => ended(span, work, errorTypeOf))
}

/** Adds attributes to the span under way; an error's type marks the span as failed. */
export function annotate(attributes: SpanAttributes, errorType?: string): void {
  const span = causes.getStore()?.span
  span?.set(attributes)
  if (errorType !== undefined) span?.fail(errorType)
}

/** A span for the time in which something waited for its turn, where it waited at all. */
export function waitedSince(since: Date, name: string): void {
  if (Date.now() > since.getTime()) causes.getStore()?.span?.begin({ name, kind: 'internal', since }).end()
}

/** Starts work that belongs to no request, although a request may happen to be the first to need it. */
export const outsideAnyRequest = <T>(work: () => T): T => causes.exit(work)

/** Says what was asked for, once that is known. */
export function nameVerb(verb: string): void {
  const occasion = causes.getStore()?.occasion
  if (!occasion) return
  occasion.verb = verb
  occasion.span?.set({ 'signalman.verb': verb })
  occasion.span?.rename(`${occasion.kind} ${verb}`)
}

/** What came of the occasion; of an error only its kind is told. */
export function nameOutcome(outcome: 'done' | 'problem' | 'failed', error?: unknown): void {
  const span = causes.getStore()?.occasion.span
  span?.set({ 'signalman.outcome': outcome })
  if (outcome === 'failed') span?.fail(errorName(error))
}

/** What is kept with work that is done later. */
export function keptCause(): KeptCause | undefined {
  const cause = causes.getStore()
  return cause && { reference: cause.occasion.reference, traceparent: cause.span?.traceparent }
}

/** How far the occasion has come, in milliseconds since it began; 0 outside of any. */
export function sinceBegun(): number {
  const sinceMs = causes.getStore()?.occasion.sinceMs
  return sinceMs === undefined ? 0 : performance.now() - sinceMs
}

/** For every line of the log: whose it is, and how far its occasion had come when it was written. */
export function fieldsOfCause(): object {
  const cause = causes.getStore()
  if (!cause) return {}
  const { reference, verb, sinceMs } = cause.occasion
  const traceId = cause.span?.traceId
  return {
    reference,
    verb,
    ms: Math.round(performance.now() - sinceMs),
    ...(traceId !== undefined && { trace_id: traceId }),
  }
}

async function ended<T>(
  span: TraceSpan,
  work: () => Promise<T>,
  errorTypeOf: (error: unknown) => string,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    span.fail(errorTypeOf(error))
    throw error
  } finally {
    span.end()
  }
}

const errorName = (error: unknown): string => (error instanceof Error ? error.name : 'unknown')

/** What a span says of its work: constants and figures, never an id, a name or a text of somebody's. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface SpanStart {
  name: string
  /** Server and consumer: asked for from outside, now or earlier. Client: asks somebody else. */
  kind: 'server' | 'consumer' | 'client' | 'internal'
  attributes?: SpanAttributes
  /** When its work began; now unless given. */
  since?: Date
}

/** One stretch of work in a trace. */
export interface TraceSpan {
  /** 32 hexadecimal digits; undefined where the sampler leaves the trace out. */
  readonly traceId: string | undefined
  /** The span for another process: https://www.w3.org/TR/trace-context/#traceparent-header (November 2026). */
  readonly traceparent: string
  begin(start: SpanStart): TraceSpan
  rename(name: string): void
  set(attributes: SpanAttributes): void
  /** It has failed, with a code or the name of a class; never a message. */
  fail(errorType: string): void
  end(): void
}

/** Where spans go. Disposing of it sends what is left, for a bounded time. */
export interface Tracer extends AsyncDisposable {
  /** A span that belongs to no other here; `traceparent` is of one elsewhere that it continues. */
  begin(start: SpanStart, traceparent?: string | undefined): TraceSpan
}

/** One request that the app has made of somebody else, and what came of it. */
export interface OutgoingCall {
  to: 'slack' | 'service'
  /** Of Slack the method, such as `chat.postMessage`; of the others `GET`, `POST` and so on. */
  method: string
  /** Of the service: where, without the query. */
  path?: string
  /** The same with names for its ids. */
  route?: string
  /** `ok`, or what was wrong: a status, Slack's code, or what the network did. */
  outcome: string
  /** Of HTTP, where an answer came. */
  status?: number | undefined
  /** 1 is the first. */
  attempt?: number
  ms: number
}

export type ObserveCall = (call: OutgoingCall) => void

/** Times a call that is one span and tells of it, however it ends. `outcomeOf` names a failure, by a code. */
export function observed<T>(
  observe: ObserveCall | undefined,
  { to, method }: Pick<OutgoingCall, 'to' | 'method'>,
  work: () => Promise<T>,
  outcomeOf: (error: unknown) => string,
): Promise<T> {
  const attributes = { 'rpc.system.name': to, 'rpc.method': method }
  const since = performance.now()
  let outcome = 'ok'
  const told = async (): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      outcome = outcomeOf(error)
      throw error
    } finally {
      observe?.({ to, method, outcome, ms: performance.now() - since })
    }
  }
  return traced({ name: `${to} ${method}`, kind: 'client', attributes }, told, outcomeOf)
}
