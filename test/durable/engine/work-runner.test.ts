import { expect, it } from 'vitest'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import type { WorkKind } from '../../../packages/durable/src/engine/work-kind.ts'
import { createWorkRunner } from '../../../packages/durable/src/engine/work-runner.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import type { WorkEnd } from '../../../packages/durable/src/work/work-store.ts'
import { createLog } from '../../../src/log.ts'

const log = createLog('silent')
/** What doesn't matter here. */
const REST = {
  owner: 'me',
  release: async () => undefined,
  log,
  times: { leaseMs: 5000, pollMs: 1000, retryMs: 2000 },
  onFree: () => undefined,
}

const NOTHING_DUE = { listDueKinds: async () => new Set<string>(), claimDue: async () => [] }

const byName = (...kinds: WorkKind[]) => new Map(kinds.map((kind) => [kind.kind, kind]))

it('takes a slot for work, unless someone is waiting for it', async () => {
  const ended = Promise.withResolvers<void>()
  const leasedWork = trackLeasedWork('me')
  const runner = createWorkRunner({
    store: NOTHING_DUE,
    kinds: byName({
      kind: 'sweep',
      lane: 'maintenance',
      async run() {
        await ended.promise
        return { state: 'done' }
      },
    }),
    ...REST,
    leasedWork,
  })
  const sweep = { kind: 'sweep', workspaceId: '' }
  const lease = (id: string) => leasedWork.add({ ...sweep, id, attempts: 1, dueAt: new Date() } as Work)
  const running = ['a', 'b', 'c'].map((id) => runner.start(lease(id), { takesSlot: false }))
  expect(runner.hasSlotFor(sweep)).toBe(true)
  // This lane has two slots, and work for all workspaces may take both.
  for (const id of ['d', 'e']) {
    expect(runner.hasSlotFor(sweep)).toBe(true)
    running.push(runner.start(lease(id), { takesSlot: true }))
  }
  expect(runner.hasSlotFor(sweep)).toBe(false)
  ended.resolve()
  await Promise.all(running)
  expect(runner.hasSlotFor(sweep)).toBe(true)
})

it('leaves work of a kind that it doesn’t know to a newer version, however often it was tried', async () => {
  const leasedWork = trackLeasedWork('me')
  const ends: WorkEnd[] = []
  const runner = createWorkRunner({
    store: NOTHING_DUE,
    kinds: byName(),
    ...REST,
    release: async (_, end) => void ends.push(end),
    leasedWork,
  })
  const work = { kind: 'newer', workspaceId: 'T1', id: 'a', attempts: 100 } as Work
  await runner.start(leasedWork.add(work), { takesSlot: true })
  expect(ends).toEqual([{ state: 'waiting', dueInMs: REST.times.leaseMs }])
})

it('waits longer after each attempt, and never less than a rate limit asks for', async () => {
  const leasedWork = trackLeasedWork('me')
  const ends: WorkEnd[] = []
  let retryAfter = 1
  const runner = createWorkRunner({
    store: NOTHING_DUE,
    kinds: byName({
      kind: 'export',
      lane: 'long',
      run: async () => {
        throw Object.assign(new Error('limited'), { retryAfter })
      },
    }),
    ...REST,
    release: async (_, end) => void ends.push(end),
    leasedWork,
  })
  const listWaits = async (attempts: number) => {
    ends.length = 0
    for (let run = 0; run < 100; run++)
      await runner.start(
        leasedWork.add({ kind: 'export', workspaceId: 'T1', id: `${attempts} ${run}`, attempts } as Work),
        { takesSlot: true },
      )
    return ends.map((end) => ('dueInMs' in end ? end.dueInMs : 0))
  }
  expect(Math.min(...(await listWaits(1)))).toBe(1000)
  const later = await listWaits(7)
  expect(Math.min(...later)).toBeGreaterThanOrEqual(1000)
  expect(Math.max(...later)).toBeGreaterThan(20_000)
  retryAfter = 600
  expect(new Set(await listWaits(7))).toEqual(new Set([600_000]))
})
