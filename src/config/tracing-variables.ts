import { z } from 'zod'
import type { TracingOptions } from '../tracing/open-tracing.ts'
import { blankAsUnset, optional, url } from './variable-forms.ts'

/** By https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables (November 2026). */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const collector = () => optional(url("an OTLP collector's"))
const anyText = () => optional(z.string())
const milliseconds = () =>
  optional(z.coerce.number({ error: 'is no number of milliseconds' }).positive({ error: 'is not above 0' }))
const compression = () => optional(z.enum(['none', 'gzip'], { error: 'is neither none nor gzip' }))

/** OpenTelemetry's own, as far as they do something here; the exporter reads what is not read below by itself. */
export const TRACING_VARIABLES = {
  OTEL_SDK_DISABLED: optional(z.enum(['true', 'false'], { error: 'is neither true nor false' })),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector(),
  OTEL_EXPORTER_OTLP_HEADERS: anyText(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: anyText(),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds(),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: milliseconds(),
  OTEL_EXPORTER_OTLP_COMPRESSION: compression(),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression(),
  OTEL_EXPORTER_OTLP_CERTIFICATE: anyText(),
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: anyText(),
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: anyText(),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: anyText(),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: anyText(),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: anyText(),
  OTEL_SERVICE_NAME: anyText(),
  OTEL_RESOURCE_ATTRIBUTES: anyText(),
  OTEL_TRACES_SAMPLER: z.preprocess(
    blankAsUnset,
    z.enum(SAMPLERS, { error: `is none of ${SAMPLERS.join(', ')}` }).default('parentbased_always_on'),
  ),
  OTEL_TRACES_SAMPLER_ARG: z.preprocess(
    blankAsUnset,
    z.coerce
      .number({ error: 'is not a number; give the share of traces to keep, from 0 to 1' })
      .min(0, { error: 'is below 0' })
      .max(1, { error: 'is above 1' })
      .default(1),
  ),
}

interface TracingVariables {
  OTEL_SDK_DISABLED?: 'true' | 'false' | undefined
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined
  OTEL_TRACES_SAMPLER: (typeof SAMPLERS)[number]
  OTEL_TRACES_SAMPLER_ARG: number
}

/** Undefined where nothing is to be exported. An address for everything has the path of traces put behind it. */
export function tracingOf(variables: TracingVariables): TracingOptions | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_TRACES_SAMPLER: sampler } = variables
  const address =
    variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (all && `${all.replace(/\/+$/, '')}/v1/traces`)
  if (!address || variables.OTEL_SDK_DISABLED === 'true') return undefined
  return {
    url: address,
    sampler: {
      kind: KINDS.find((kind) => sampler.endsWith(kind)) ?? 'always_on',
      isByParent: sampler.startsWith('parentbased_'),
      arg: variables.OTEL_TRACES_SAMPLER_ARG,
    },
  }
}

const KINDS = ['always_on', 'always_off', 'traceidratio'] as const
