import { expect, it } from 'vitest'
import { startEngine } from '../../packages/durable/src/engine/engine.ts'
import type { WorkKind } from '../../packages/durable/src/engine/work-kind.ts'
import { runWithoutTraceContext, runWithTraceContext } from '../../packages/runtime/src/trace-context.ts'
import { createLog } from '../../src/log.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { startStore } from '../databases/store.ts'
import { eitherOf } from '../long.ts'

function createReadableLog() {
  const lines: Record<string, unknown>[] = []
  const log = createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) })
  return { lines, log }
}

const REQUEST = { reference: 'ref-1', verb: '/hc list' } as const

it.each(eitherOf(SHARED_DATABASES))(
  'runs queued work with the reference of the request that added it, on $name',
  async ({ start }) => {
    await using store = await startStore(start)
    await runWithTraceContext(REQUEST, async () => {
      await store.work.add({ workspaceId: 'T1', kind: 'k' }, 'waiting')
      await store.work.schedule({ workspaceId: 'T1', kind: 'later', key: '1' })
    })
    await store.work.add({ workspaceId: 'T1', kind: 'own' }, 'waiting')
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
    })
    // The request that wakes the engine must not become the cause of the work.
    await runWithTraceContext({ ...REQUEST, reference: 'ref-2' }, async () => engine.wake())
    await expect.poll(() => lines.filter(({ at }) => at).length).toBe(3)
    const findLine = (kind: string) => lines.find(({ at }) => at === kind)
    for (const kind of ['k', 'later'])
      expect(findLine(kind)).toMatchObject({
        reference: 'ref-1',
        verb: kind,
        ms: expect.any(Number),
      })
    expect(findLine('own')?.reference).toMatch(/^[\da-f]{10}$/)
  },
)

it('adds the request’s reference and verb to each log line, and keeps the line’s own fields', async () => {
  const { lines, log } = createReadableLog()
  log.info('Before.')
  await runWithTraceContext(REQUEST, async () => {
    log.info({ ms: 1234 }, 'During.')
    runWithoutTraceContext(() => log.info('Outside.'))
  })
  expect(lines[0]).not.toHaveProperty('reference')
  expect(lines[1]).toMatchObject({ reference: 'ref-1', verb: '/hc list', ms: 1234 })
  expect(lines[2]).not.toHaveProperty('reference')
})
