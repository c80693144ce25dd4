import { expect, it } from 'vitest'
import { listFiles, readSource } from '../source-files.ts'

it('imports OpenTelemetry in only one place, and only if traces are exported', () => {
  const loading = listFiles('src').filter((file) => /from '@opentelemetry\//.test(readSource(file)))
  expect(loading.toSorted()).toEqual(['src/tracing/otlp-tracer.ts'])
  const importing = listFiles('src').filter((file) =>
    /from '\.[^']*\/otlp-tracer\.ts'/.test(readSource(file)),
  )
  expect(importing).toEqual([])
  expect(readSource('src/tracing/open-tracing.ts')).toContain("await import('./otlp-tracer.ts')")
})
