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
const protocol = () =>
  optional(z.literal('http/json', { error: 'names what Signalman does not speak: it sends http/json' }))

/** OpenTelemetry's own, as far as they decide something here; the exporter reads headers, time-outs and the like by itself. */
const FORMS = {
  OTEL_SDK_DISABLED: optional(z.enum(['true', 'false'], { error: 'is neither true nor false' })),
  OTEL_TRACES_EXPORTER: optional(z.enum(['otlp', 'none'], { error: 'is neither otlp nor none' })),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol(),
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

/**
 * What OpenTelemetry's variables ask for, and a sentence for each that is ignored: they are set for many programs at once, so that
 * none of them may keep this one from starting.
 */
export function readTracing(environment: Readonly<Record<string, string | undefined>>): {
  tracing: TracingOptions | undefined
  ignored: readonly string[]
} {
  const ignored: string[] = []
  function read<T>(name: keyof typeof FORMS, form: z.ZodType<T>): T | undefined {
    const { data, error } = form.safeParse(environment[name])
    for (const { message } of error?.issues ?? []) ignored.push(`${name} ${message}. It is ignored.`)
    return error ? form.safeParse(undefined).data : data
  }
  read('OTEL_EXPORTER_OTLP_PROTOCOL', FORMS.OTEL_EXPORTER_OTLP_PROTOCOL)
  read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', FORMS.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL)
  const isOff = [
    read('OTEL_SDK_DISABLED', FORMS.OTEL_SDK_DISABLED) === 'true',
    read('OTEL_TRACES_EXPORTER', FORMS.OTEL_TRACES_EXPORTER) === 'none',
  ].includes(true)
  const all = read('OTEL_EXPORTER_OTLP_ENDPOINT', FORMS.OTEL_EXPORTER_OTLP_ENDPOINT)
  // An address for everything has the path of traces put behind it.
  const address =
    read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', FORMS.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) ??
    (all && `${all.replace(/\/+$/, '')}/v1/traces`)
  const sampler = read('OTEL_TRACES_SAMPLER', FORMS.OTEL_TRACES_SAMPLER) ?? 'parentbased_always_on'
  const arg = read('OTEL_TRACES_SAMPLER_ARG', FORMS.OTEL_TRACES_SAMPLER_ARG) ?? 1
  if (!address || isOff) return { tracing: undefined, ignored }
  const kind = KINDS.find((one) => sampler.endsWith(one)) ?? 'always_on'
  const isByParent = sampler.startsWith('parentbased_')
  return { tracing: { url: address, sampler: { kind, isByParent, arg } }, ignored }
}

const KINDS = ['always_on', 'always_off', 'traceidratio'] as const
