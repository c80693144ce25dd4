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
const WHAT = { workspaceId: 'T1', kind: 'k', key: 'a' }

describe('a claim whose database response is late', () => {
  let answers = 0
  async function delay<T>(answer: T): Promise<T> {
    await setTimeout(3 * TIMES.leaseMs)
    answers += 1
    return answer
  }

  it.each<{ by: string; slow: (work: WorkStore) => Partial<WorkStore>; ask: (engine: Engine) => unknown }>([
    {
      by: 'a search for what is due',
      slow: (work) => ({
        async *claimDue(...asked) {
          for await (const claimed of work.claimDue(...asked)) yield await delay(claimed)
        },
      }),
      ask: (engine) => engine.wake(),
    },
    {
      by: 'its name',
      slow: (work) => ({ claim: async (...asked) => delay(await work.claim(...asked)) }),
      ask: (engine) => engine.runNow(WHAT),
    },
    {
      by: 'its beginning',
      slow: (work) => ({ begin: async (...asked) => delay(await work.begin(...asked)) }),
      ask: async (engine) => {
        const begun = await engine.begin({ ...WHAT, key: 'b' })
        if ('leased' in begun) await engine.end(begun.leased, { state: 'done' })
      },
    },
  ])('isn’t taken over from itself by $by', async ({ by, slow, ask }) => {
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
    if (by !== 'its beginning') await store.work.schedule(WHAT)
    // Work that may only be started by name isn't found by the search.
    const search = by === 'its name' ? { async *claimDue() {} } : {}
    await using engine = startEngine({
      store: { ...store.work, ...search, ...slow(store.work) },
      kinds: [kind],
      log: createLog('silent'),
      times: TIMES,
    })
    await ask(engine)
    const isOver = async () => (await store.work.listOpen('T1', ['k'])).length === 0
    await expect.poll(async () => answers > 0 && (await isOver())).toBe(true)
    expect(runs).toBe(by === 'its beginning' ? 0 : 1)
  })

  it('is taken over by the same process once none of its claims is pending', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    await store.work.schedule(WHAT)
    let isLost = false
    const runs: number[] = []
    await using _engine = startEngine({
      store: {
        ...store.work,
        async *claimDue(...asked) {
          for await (const claimed of store.work.claimDue(...asked)) {
            if (isLost) yield claimed
            isLost = true
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

it('takes nothing over after a database outage during which nobody could send a heartbeat', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await store.work.schedule(WHAT)
  await store.work.claim(WHAT, 'another')
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
    async before() {
      times.at += times.outageMs
    },
    stopwatch: () => times.at,
  })
  await takeOver.check()
  // The check waits for the time of a lease. When the database is back, it's faster than the other process.
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
  expect(begun).toEqual([WHAT.key])
})
