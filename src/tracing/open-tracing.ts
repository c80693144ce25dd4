import type { Tracer } from '@signalman/runtime'

/** The log, as far as it is needed here. */
export interface TracingLog {
  warn(fields: object, words: string): void
  info(words: string): void
}

export interface TracingOptions {
  /** Where spans are posted, its path included. */
  url: string
  sampler: TraceSampler
}

/** By the specification's names; `arg` is the share of traces that is kept, of those kinds that keep a share. */
export interface TraceSampler {
  kind: 'always_on' | 'always_off' | 'traceidratio'
  /** Whether a trace that has begun elsewhere is kept where it was kept there. */
  isByParent: boolean
  arg: number
}

/** OpenTelemetry is loaded here and nowhere else: who does not export traces pays neither its time nor its memory. */
export async function openTracing(
  options: TracingOptions | undefined,
  log: TracingLog,
): Promise<Tracer | undefined> {
  if (!options) return undefined
  const { createOtlpTracer } = await import('./otlp-tracer.ts')
  return createOtlpTracer(options, log)
}

/** Posts no spans to the collector, as the app would post some. Resolves with what was wrong, if anything was. */
export async function tryTracing(options: TracingOptions): Promise<string | undefined> {
  const { postNothing } = await import('./otlp-tracer.ts')
  return postNothing(options)
}
