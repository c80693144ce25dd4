import { expect, it } from 'vitest'
import { filesIn, textOf } from '../source-files.ts'

it('loads OpenTelemetry in only one place, and only if traces are exported', () => {
  const loading = filesIn('src').filter((file) => /from '@opentelemetry\//.test(textOf(file)))
  expect(loading.toSorted()).toEqual(['src/tracing/otlp-tracer.ts'])
  const asked = filesIn('src').filter((file) => /from '\.[^']*\/otlp-tracer\.ts'/.test(textOf(file)))
  expect(asked).toEqual([])
  expect(textOf('src/tracing/open-tracing.ts')).toContain("await import('./otlp-tracer.ts')")
})
