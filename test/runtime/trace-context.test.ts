import { expect, it } from 'vitest'
import { startEngine } from '../../packages/durable/src/engine/engine.ts'
import type { WorkKind } from '../../packages/durable/src/engine/work-kind.ts'
import type { SpanStart, Tracer, TraceSpan } from '../../packages/runtime/src/trace-context.ts'
import {
  runWithoutTraceContext,
  runWithTraceContext,
  traced,
} from '../../packages/runtime/src/trace-context.ts'
import { openStore } from '../../src/app/store.ts'
import { createLog } from '../../src/log.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'

const TRACE = 'a'.repeat(32)

/** Records every started span as `parent > name`. */
function createRecordingTracer(): Tracer & { spans: string[] } {
  const spans: string[] = []
  const begin = ({ name }: SpanStart, parent: string): TraceSpan => {
    spans.push(`${parent} > ${name}`)
    return {
      traceId: TRACE,
      traceparent: `of ${name}`,
      begin: (start) => begin(start, name),
      rename: () => undefined,
      set: () => undefined,
      fail: (errorType) => void spans.push(`${name} failed: ${errorType}`),
      end: () => undefined,
    }
  }
  return {
    spans,
    begin: (start, traceparent = 'nothing') => begin(start, traceparent),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

function createReadableLog() {
  const lines: Record<string, unknown>[] = []
  const log = createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) })
  return { lines, log }
}

const REQUEST = { reference: 'ref-1', verb: '/hc list', start: { name: 'command', kind: 'server' } } as const

it.each(SHARED_DATABASES)(
  'runs queued work with the reference of the request that added it, on $name',
  async ({ start }) => {
    await using database = await start()
    await using store = await openStore(database)
    const requestTracer = createRecordingTracer()
    await runWithTraceContext({ ...REQUEST, tracer: requestTracer }, async () => {
      await store.work.add({ workspaceId: 'T1', kind: 'k' }, 'waiting')
      await store.work.schedule({ workspaceId: 'T1', kind: 'later', key: '1' })
    })
    await store.work.add({ workspaceId: 'T1', kind: 'own' }, 'waiting')
    const engineTracer = createRecordingTracer()
    const { lines, log } = createReadableLog()
    const createKind = (kind: string): WorkKind => ({
      kind,
      lane: 'quick',
      async run() {
        log.info({ at: kind }, 'At work.')
        return { state: 'done' }
      },
    })
    await using engine = startEngine({
      store: store.work,
      kinds: [createKind('k'), createKind('later'), createKind('own')],
      log,
      tracer: engineTracer,
    })
    // The request that wakes the engine must not become the cause of the work.
    await runWithTraceContext({ ...REQUEST, reference: 'ref-2', tracer: requestTracer }, async () =>
      engine.wake(),
    )
    await expect.poll(() => lines.filter(({ at }) => at).length).toBe(3)
    const findLine = (kind: string) => lines.find(({ at }) => at === kind)
    for (const kind of ['k', 'later'])
      expect(findLine(kind)).toMatchObject({
        reference: 'ref-1',
        verb: kind,
        trace_id: TRACE,
        ms: expect.any(Number),
      })
    expect(findLine('own')?.reference).toMatch(/^[\da-f]{10}$/)
    expect(engineTracer.spans.filter((span) => span === 'of command > work')).toHaveLength(2)
    expect(engineTracer.spans).toContain('nothing > work')
  },
)

it('adds the request’s reference and verb to each log line, and keeps the line’s own fields', async () => {
  const { lines, log } = createReadableLog()
  log.info('Before.')
  await runWithTraceContext({ ...REQUEST, tracer: undefined }, async () => {
    log.info({ ms: 1234 }, 'During.')
    runWithoutTraceContext(() => log.info('Outside.'))
  })
  expect(lines[0]).not.toHaveProperty('reference')
  expect(lines[1]).toMatchObject({ reference: 'ref-1', verb: '/hc list', ms: 1234 })
  expect(lines[1]).not.toHaveProperty('trace_id')
  expect(lines[2]).not.toHaveProperty('reference')
})

it('ends a span with the class of the error, never with its message', async () => {
  const tracer = createRecordingTracer()
  const work = runWithTraceContext({ ...REQUEST, tracer }, () =>
    traced({ name: 'call', kind: 'client' }, () => Promise.reject(new TypeError('planted'))),
  )
  await expect(work).rejects.toThrow('planted')
  expect(tracer.spans).toEqual([
    'nothing > command',
    'command > call',
    'call failed: TypeError',
    'command failed: TypeError',
  ])
})
