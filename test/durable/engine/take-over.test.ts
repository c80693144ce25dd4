import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { createTakeOver } from '../../../packages/durable/src/engine/take-over.ts'
import type { WorkKind } from '../../../packages/durable/src/engine/work-kind.ts'
import type { WorkStore } from '../../../packages/durable/src/work/work-store.ts'
import { openStore } from '../../../src/app/store.ts'
import { createLog } from '../../../src/log.ts'

const TIMES = { leaseMs: 200, pollMs: 20, retryMs: 20 }
const WORK = { workspaceId: 'T1', kind: 'k', key: 'a' }

describe('work whose database claim is slow', () => {
  let answers = 0
  async function delay<T>(answer: T): Promise<T> {
    await setTimeout(3 * TIMES.leaseMs)
    answers += 1
    return answer
  }

  it.each<{
    by: string
    slowDown: (work: WorkStore) => Partial<WorkStore>
    triggerClaim: (engine: Engine) => unknown
  }>([
    {
      by: 'a search for due work',
      slowDown: (work) => ({
        async *claimDue(...parameters) {
          for await (const claimed of work.claimDue(...parameters)) yield await delay(claimed)
        },
      }),
      triggerClaim: (engine) => engine.wake(),
    },
    {
      by: 'a claim by key',
      slowDown: (work) => ({ claim: async (...parameters) => delay(await work.claim(...parameters)) }),
      triggerClaim: (engine) => engine.runNow(WORK),
    },
    {
      by: 'a new act',
      slowDown: (work) => ({ begin: async (...parameters) => delay(await work.begin(...parameters)) }),
      triggerClaim: async (engine) => {
        const begun = await engine.begin({ ...WORK, key: 'b' })
        if ('leased' in begun) await engine.end(begun.leased, { state: 'done' })
      },
    },
  ])('isn’t taken over by the process that is claiming it: $by', async ({ by, slowDown, triggerClaim }) => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    answers = 0
    let runs = 0
    const kind: WorkKind = {
      kind: 'k',
      lane: 'quick',
      async run() {
        runs += 1
        return { state: 'done' }
      },
    }
    if (by !== 'a new act') await store.work.schedule(WORK)
    // The search must not find work that is only claimed by its key.
    const search = by === 'a claim by key' ? { async *claimDue() {} } : {}
    await using engine = startEngine({
      store: { ...store.work, ...search, ...slowDown(store.work) },
      kinds: [kind],
      log: createLog('silent'),
      times: TIMES,
    })
    await triggerClaim(engine)
    const isOver = async () => (await store.work.listOpen('T1', ['k'])).length === 0
    await expect.poll(async () => answers > 0 && (await isOver())).toBe(true)
    expect(runs).toBe(by === 'a new act' ? 0 : 1)
  })

  it('is taken over by the same process once its claim has failed', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    await store.work.schedule(WORK)
    let hasFailed = false
    const runs: number[] = []
    await using _engine = startEngine({
      store: {
        ...store.work,
        async *claimDue(...parameters) {
          for await (const claimed of store.work.claimDue(...parameters)) {
            if (hasFailed) yield claimed
            hasFailed = true
            throw new Error('The connection was closed before the response arrived.')
          }
        },
      },
      kinds: [
        {
          kind: 'k',
          lane: 'quick',
          async run({ work }) {
            runs.push(work.attempts)
            return { state: 'done' }
          },
        },
      ],
      log: createLog('silent'),
      times: TIMES,
    })
    await expect.poll(() => runs).toEqual([2])
  })
})

it('doesn’t take over work after an outage that stopped every process’s heartbeats', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await store.work.schedule(WORK)
  await store.work.claim(WORK, 'another')
  await store.work.renew('another')
  const begun: string[] = []
  const times = { at: 0, outageMs: 0 }
  const takeOver = createTakeOver({
    store: store.work,
    owner: 'this',
    leaseMs: TIMES.leaseMs,
    leasedWork: trackLeasedWork('this'),
    runner: {
      begin: async ({ work }) => void begun.push(String(work.key)),
      hasSlotFor: () => true,
      mayRequest: () => false,
    },
    log: createLog('silent'),
    async beforeCheck() {
      times.at += times.outageMs
    },
    stopwatch: () => times.at,
  })
  await takeOver.check()
  // This check waits as long as a lease lasts. When the database is back, it runs before the other process sends a heartbeat.
  times.outageMs = TIMES.leaseMs
  await takeOver.check()
  expect(begun).toEqual([])
  times.outageMs = 0
  await store.work.renew('another')
  for (const passed of [TIMES.leaseMs, TIMES.leaseMs - 1]) {
    times.at += passed
    await takeOver.check()
    expect(begun).toEqual([])
  }
  times.at += 1
  await takeOver.check()
  expect(begun).toEqual([WORK.key])
})
