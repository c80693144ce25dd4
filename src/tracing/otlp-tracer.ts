import {
  type Context,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { SpanStart, Tracer, TraceSpan } from '@signalman/runtime'
import type { TraceSampler, TracingLog, TracingOptions } from './tracing-options.ts'

/** How long shutdown waits for a collector that doesn't respond. */
const SHUTDOWN_TIMEOUT_MS = 2000
/** How long the doctor waits for the collector. Short, because a person waits for the result. */
const TEST_TIMEOUT_MS = 3000
/** More than any of our attributes needs. */
const MAX_ATTRIBUTE_LENGTH = 200

type ExportParameters = Parameters<OTLPTraceExporter['export']>

/** Exports spans in batches by OTLP over HTTP. Drops spans that the collector doesn't accept in time. */
export function createOtlpTracer({ url, sampler }: TracingOptions, log: TracingLog): Tracer {
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'signalman' }))
      // Reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: createSampler(sampler),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [new BatchSpanProcessor({ exporter: new LoggingExporter(url, log) })],
  })
  const tracer = provider.getTracer('signalman')
  return {
    begin: (start, traceparent) => begin(tracer, start, parseTraceparent(traceparent)),
    async [Symbol.asyncDispose]() {
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, SHUTDOWN_TIMEOUT_MS)
      await Promise.race([provider.shutdown().catch(() => undefined), timeout.promise])
      clearTimeout(timer)
    },
  }
}

/** Exports an empty batch. Resolves with the error, if any. */
export function exportEmptyBatch({ url }: TracingOptions): Promise<string | undefined> {
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: TEST_TIMEOUT_MS })
  return new Promise<string | undefined>((resolve) => {
    exporter.export([], ({ code, error }) => resolve(code === 0 ? undefined : describeFault(error)))
  }).finally(() => exporter.shutdown())
}

/** Logs once when exports start failing, and once when they work again. */
class LoggingExporter extends OTLPTraceExporter {
  readonly #log: TracingLog
  #isFailing = false

  constructor(url: string, log: TracingLog) {
    super({ url })
    this.#log = log
  }

  override export(spans: ExportParameters[0], done: ExportParameters[1]): void {
    super.export(spans, (result) => {
      const hasFailed = result.code !== 0
      if (hasFailed && !this.#isFailing)
        this.#log.warn(
          { fault: describeFault(result.error) },
          'Traces cannot be exported. The app continues without them.',
        )
      if (!hasFailed && this.#isFailing) this.#log.info('Traces are exported again.')
      this.#isFailing = hasFailed
      done(result)
    })
  }
}

/** A status or a network error code. The collector's message isn't logged, because it may quote the exported data. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code = 'code' in error && error.code !== undefined ? String(error.code) : ''
  if (/^\d{3}$/.test(code)) return `status ${code}`
  return /^[A-Z_]{3,40}$/.test(code) ? code : error.name
}

const SPAN_KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const

function begin(tracer: OtelTracer, { name, kind, attributes, since }: SpanStart, parent: Context): TraceSpan {
  const startTime = since && { startTime: since }
  const span = tracer.startSpan(
    name,
    { kind: SPAN_KINDS[kind], ...(attributes && { attributes }), ...startTime },
    parent,
  )
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceId: span.isRecording() ? traceId : undefined,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    begin: (start) => begin(tracer, start, trace.setSpan(ROOT_CONTEXT, span)),
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    fail: (errorType) =>
      void span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR }),
    end: () => span.end(),
  }
}

const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/

function parseTraceparent(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags = '00'] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/** The sampler for OTEL_TRACES_SAMPLER. */
function createSampler({ kind, followsParent, arg }: TraceSampler): Sampler {
  const root =
    kind === 'traceidratio'
      ? new TraceIdRatioBasedSampler(arg)
      : kind === 'always_on'
        ? new AlwaysOnSampler()
        : new AlwaysOffSampler()
  return followsParent ? new ParentBasedSampler({ root }) : root
}
