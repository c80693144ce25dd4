import { z } from 'zod'
import type { TracingOptions } from '../tracing/tracing-options.ts'
import { webAddress } from './variables.ts'

/** From https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables (November 2026). */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const collector = webAddress("an OTLP collector's").optional()
const protocol = z.literal('http/json', { error: 'isn’t supported; Signalman sends http/json' }).optional()

/** The OpenTelemetry variables that Signalman reads. The exporter itself reads headers, timeouts, and so on. */
const TracingVariables = z.object({
  OTEL_SDK_DISABLED: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none' }).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { error: `must be one of ${SAMPLERS.join(', ')}` })
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'isn’t a number; give the share of traces to keep, from 0 to 1' })
    .min(0, { error: 'is below 0' })
    .max(1, { error: 'is above 1' })
    .default(1),
})

/**
 * Reads the OpenTelemetry variables. Ignores invalid ones with a warning: they are often set for many programs at once, so they
 * must not keep Signalman from starting.
 */
export function readTracing(environment: Readonly<Record<string, string>>): {
  tracing: TracingOptions | undefined
  warnings: readonly string[]
} {
  const issues = TracingVariables.safeParse(environment).error?.issues ?? []
  const warnings = issues.map(({ path, message }) => `${path.join('.')} ${message}. Ignored.`)
  const badNames = issues.map(({ path: [name] }) => name)
  const variables = TracingVariables.parse(
    Object.fromEntries(Object.entries(environment).filter(([name]) => !badNames.includes(name))),
  )
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: arg } = variables
  // An endpoint for all signals gets the path for traces appended.
  const urlForAllSignals = variables.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/*$/, '/v1/traces')
  const url = variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? urlForAllSignals
  const isOff = variables.OTEL_SDK_DISABLED === 'true' || variables.OTEL_TRACES_EXPORTER === 'none'
  if (!url || isOff) return { tracing: undefined, warnings }
  const kind = SAMPLER_KINDS.find((kind) => sampler.endsWith(kind)) ?? 'always_on'
  const followsParent = sampler.startsWith('parentbased_')
  return { tracing: { url, sampler: { kind, followsParent, arg } }, warnings }
}

const SAMPLER_KINDS = ['always_on', 'always_off', 'traceidratio'] as const
