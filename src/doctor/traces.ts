import type { Config } from '../config.ts'
import { tryTracing } from '../tracing/open-tracing.ts'
import { type DoctorFinding, fault, ok } from './finding.ts'

/** Whether the collector takes what the app would send it. Its path and its headers may hold keys: neither is named. */
export async function examineTraces({ tracing }: Config): Promise<DoctorFinding[]> {
  if (!tracing) return []
  const { origin } = new URL(tracing.url)
  const wrong = await tryTracing(tracing)
  if (wrong === undefined) return [ok('traces', `The collector at ${origin} takes them.`)]
  return [
    fault(
      'traces',
      `The collector at ${origin} does not take them (${wrong}); the app goes on without.`,
      wrong.startsWith('status 4')
        ? 'It wants OTLP over HTTP with JSON, usually on port 4318: correct OTEL_EXPORTER_OTLP_ENDPOINT, and what it asks for in OTEL_EXPORTER_OTLP_HEADERS.'
        : 'Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT; its port for HTTP is usually 4318.',
    ),
  ]
}
