import type { Tracer } from '@signalman/runtime'

export interface TracingLog {
  warn(fields: object, message: string): void
  info(message: string): void
}

export interface TracingOptions {
  /** The full URL that spans are posted to. */
  url: string
  sampler: TraceSampler
}

/** Uses the names of the OpenTelemetry specification. `arg` is the sampling ratio. */
export interface TraceSampler {
  kind: 'always_on' | 'always_off' | 'traceidratio'
  /** Whether the sampling decision of a parent trace is kept. */
  followsParent: boolean
  arg: number
}

/** Loads OpenTelemetry only if traces are exported, to save startup time and memory. */
export async function openTracing(
  options: TracingOptions | undefined,
  log: TracingLog,
): Promise<Tracer | undefined> {
  if (!options) return undefined
  const { createOtlpTracer } = await import('./otlp-tracer.ts')
  return createOtlpTracer(options, log)
}

/** Posts an empty batch to the collector. Resolves with the error, if any. */
export async function testTracing(options: TracingOptions): Promise<string | undefined> {
  const { exportEmptyBatch } = await import('./otlp-tracer.ts')
  return exportEmptyBatch(options)
}
