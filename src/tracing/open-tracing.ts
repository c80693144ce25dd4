import type { Tracer } from '@signalman/runtime'
import type { TracingLog, TracingOptions } from './tracing-options.ts'

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
