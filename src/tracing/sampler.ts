import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { TraceSampler } from './open-tracing.ts'

/** Which traces are kept, by OTEL_TRACES_SAMPLER. */
export function samplerOf({ kind, isByParent, arg }: TraceSampler): Sampler {
  const root =
    kind === 'traceidratio'
      ? new TraceIdRatioBasedSampler(arg)
      : kind === 'always_on'
        ? new AlwaysOnSampler()
        : new AlwaysOffSampler()
  return isByParent ? new ParentBasedSampler({ root }) : root
}
