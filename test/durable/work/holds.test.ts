import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { createDatabaseTime } from '../../../packages/durable/src/database/clock.ts'
import { createHolds } from '../../../packages/durable/src/work/holds.ts'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const SETTLE_MS = 25_000
const auditEvent = (outcome: AuditEvent['outcome']): AuditEvent => ({
  workspaceId: 'T1',
  at: new Date(),
  actor: { userId: 'U1' },
  verb: '/hc edit',
  object: 'health-check 1',
  outcome,
  reference: 'R1',
})

describe.each(SHARED_DATABASES)('holds on $name', ({ start }) => {
  /** Two processes, and a third one with a stopwatch of its own. */
  async function startProcesses() {
    await using stack = new AsyncDisposableStack()
    const address = stack.use(await start())
    const [one, two] = [stack.use(await openStore(address)), stack.use(await openStore(address))]
    const raw = stack.use(await openDatabase(address.url))
    const stopwatch = { ms: 0 }
    const third = createHolds(raw, createDatabaseTime(raw.kind), () => stopwatch.ms)
    const begin = async (key: string, owner: string, { workspaceId = 'T1', store = one } = {}) => {
      const { work } = await store.work.begin({ workspaceId, kind: 'act', key }, owner)
      return { workId: work.id, owner, settleMs: SETTLE_MS }
    }
    const moved = stack.move()
    return { one, two, third, stopwatch, begin, raw, [Symbol.asyncDispose]: () => moved.disposeAsync() }
  }

  it('exclude other work in every process and workspace until they’re released', async () => {
    await using world = await startProcesses()
    const [one, two] = [world.one.workSteps, world.two.workSteps]
    const a = await world.begin('a', 'P1')
    const b = await world.begin('b', 'P2', { workspaceId: 'T2', store: world.two })
    const first = (await one.takeHolds(a, ['check 1', 'check 2'])).get('check 1')
    if (!first) throw new Error('The first caller must get a free hold.')
    expect([...(await two.takeHolds(b, ['check 1', 'check 3', 'check 3'])).keys()]).toEqual(['check 3'])
    await one.releaseHolds([first])
    expect([...(await two.takeHolds(b, ['check 1', 'check 2'])).keys()]).toEqual(['check 1'])
    // A late release by the former holder doesn't end someone else's hold.
    await one.releaseHolds([first])
    expect((await one.takeHolds(a, ['check 1'])).size).toBe(0)
    await two.releaseAllHolds(b.workId)
    expect([...(await one.takeHolds(a, ['check 1', 'check 2', 'check 3'])).keys()].toSorted()).toEqual([
      'check 1',
      'check 2',
      'check 3',
    ])
  })

  it('stay the same hold if the same work takes them again', async () => {
    await using world = await startProcesses()
    const work = await world.begin('a', 'P1')
    const first = await world.one.workSteps.takeHolds(work, ['check 1'])
    expect(await world.two.workSteps.takeHolds(work, ['check 1'])).toEqual(first)
  })

  it('go to exactly one of 40 callers at once', async () => {
    await using world = await startProcesses()
    const works = await Promise.all(Array.from({ length: 40 }, (_, i) => world.begin(`w${i}`, `P${i % 2}`)))
    const taken = await Promise.all(
      works.map((work, i) =>
        (i % 2 ? world.one : world.two).workSteps.takeHolds(
          work,
          i % 3 ? ['check 1', 'check 2'] : ['check 2', 'check 1'],
        ),
      ),
    )
    for (const key of ['check 1', 'check 2']) expect(taken.filter((map) => map.has(key))).toHaveLength(1)
  })

  it('are taken over once nothing of their holder can still run, whose next request is then never sent', async () => {
    await using world = await startProcesses()
    const { one, third, stopwatch } = world
    const slow = await world.begin('slow', 'P1')
    await one.workSteps.add(
      slow.workId,
      [1, 2, 3].map((line) => ({ line, body: line })),
    )
    const next = await world.begin('next', 'P2', { store: world.two })
    const hold = (await one.workSteps.takeHolds(slow, ['check 1'])).get('check 1')
    if (!hold) throw new Error('The first caller must get a free hold.')
    expect((await third.takeHolds(next, ['check 1'])).size).toBe(0)
    stopwatch.ms = SETTLE_MS
    expect((await third.takeHolds(next, ['check 1'])).size).toBe(0)
    // It begins a step, so the wait starts again. A hold is renewed with the time in ms.
    await setTimeout(2)
    expect(await one.workSteps.begin(slow.workId, 'P1', [{ line: 1, body: 1, hold }])).toHaveLength(1)
    stopwatch.ms = 2 * SETTLE_MS
    expect((await third.takeHolds(next, ['check 1'])).size).toBe(0)
    stopwatch.ms = 3 * SETTLE_MS + 1
    expect((await third.takeHolds(next, ['check 1'])).get('check 1')?.mark).not.toBe(hold.mark)
    // The former holder wakes up, and begins only what it needs no hold for.
    const begun = await one.workSteps.begin(slow.workId, 'P1', [
      { line: 2, body: 2, hold },
      { line: 3, body: 3 },
    ])
    expect(begun).toMatchObject([{ line: 3 }])
    expect(await one.workSteps.countByState(slow.workId)).toMatchObject({ ready: 1, begun: 2 })
  })

  it('are never taken by a process that no longer has the work', async () => {
    await using world = await startProcesses()
    const work = await world.begin('a', 'P1')
    expect((await world.one.workSteps.takeHolds({ ...work, owner: 'P2' }, ['check 1'])).size).toBe(0)
  })
})

describe.each(SHARED_DATABASES)('a late answer on $name', ({ start }) => {
  it('corrects an unknown outcome of an act once, with one more audit row', async () => {
    await using address = await start()
    await using store = await openStore(address)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: '1' }, 'P1')
    const step = { workId: work.id, line: 1, name: '/hc edit health-check 1' }
    const attempt = await store.recordedSteps.begin('P1', step, auditEvent('begun'))
    if (!attempt) throw new Error('The step must begin.')
    const settle = (state: 'done' | 'refused' | 'unknown', outcome: AuditEvent['outcome'], result: unknown) =>
      store.recordedSteps.settle({ ...attempt, state, result }, auditEvent(outcome))
    await settle('unknown', 'unknown', 'lost')
    await settle('unknown', 'unknown', 'lost')
    expect(await store.recordedSteps.list(work.id)).toMatchObject([{ state: 'refused', result: 'lost' }])
    await settle('done', 'done', 'saved')
    expect(await store.recordedSteps.list(work.id)).toMatchObject([{ state: 'done', result: 'saved' }])
    await settle('refused', 'failed', 0)
    await settle('unknown', 'unknown', 'lost')
    expect(await store.recordedSteps.list(work.id)).toMatchObject([{ state: 'done', result: 'saved' }])
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'unknown', 'begun'])
  })
})
