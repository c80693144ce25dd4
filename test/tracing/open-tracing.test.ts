import { expect, it } from 'vitest'
import { listFiles, readSource } from '../source-files.ts'

it('imports OpenTelemetry in one file, which is loaded only if tracing is turned on', () => {
  const openTelemetryImporters = listFiles('src').filter((file) =>
    /from '@opentelemetry\//.test(readSource(file)),
  )
  expect(openTelemetryImporters.toSorted()).toEqual(['src/tracing/otlp-tracer.ts'])
  const staticTracerImporters = listFiles('src').filter((file) =>
    /from '\.[^']*\/otlp-tracer\.ts'/.test(readSource(file)),
  )
  expect(staticTracerImporters).toEqual([])
  expect(readSource('src/tracing/open-tracing.ts')).toContain("await import('./otlp-tracer.ts')")
})
