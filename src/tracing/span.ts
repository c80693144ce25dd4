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
