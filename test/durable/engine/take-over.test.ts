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
        claimDue: async (...parameters) => delay(await work.claimDue(...parameters)),
      }),
      triggerClaim: (engine) => engine.wake(),
    },
    {
      by: 'a new act',
      slowDown: (work) => ({ begin: async (...parameters) => delay(await work.begin(...parameters)) }),
      triggerClaim: async (engine) => {
        const begun = await engine.begin({ ...WORK, key: 'b' })
        if ('leased' in begun) await engine.run(begun.leased)
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
    await using engine = startEngine({
      store: { ...store.work, ...slowDown(store.work) },
      kinds: [kind],
      log: createLog('silent'),
      times: TIMES,
    })
    await triggerClaim(engine)
    const isOver = async () => (await store.work.listOpen('T1', ['k'])).length === 0
    await expect.poll(async () => answers > 0 && (await isOver())).toBe(true)
    expect(runs).toBe(1)
  })

  it('is taken over by the same process once its claim has failed, although it is always claiming', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    await store.work.schedule(WORK)
    let hasFailed = false
    let wakeAgain = () => undefined as unknown
    const runs: number[] = []
    await using engine = startEngine({
      store: {
        ...store.work,
        async claimDue(...parameters) {
          const claimed = await store.work.claimDue(...parameters)
          if (hasFailed) {
            wakeAgain()
            await setTimeout(TIMES.pollMs)
          }
          if (hasFailed || claimed.length === 0) return claimed
          hasFailed = true
          throw new Error('The connection was closed before the response arrived.')
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
    wakeAgain = () => engine.wake()
    await expect.poll(() => runs).toEqual([2])
  })
})

it('is taken over half a lease after its process was last expected, and not after an outage of the database', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await store.work.schedule(WORK)
  await store.work.claimDue('another', [WORK.kind], 1)
  await store.work.renew('another')
  const begun: string[] = []
  let at = 0
  let isDown = false
  const takeOver = createTakeOver({
    store: {
      ...store.work,
      async listLeases(leaseMs) {
        if (isDown) throw new Error('The database is down.')
        return await store.work.listLeases(leaseMs)
      },
    },
    owner: 'this',
    leaseMs: TIMES.leaseMs,
    leasedWork: trackLeasedWork('this'),
    runner: { start: async ({ work }) => void begun.push(String(work.key)), hasSlotFor: () => true },
    log: createLog('silent'),
    stopwatch: () => at,
  })
  const check = async (afterMs: number) => {
    at += afterMs
    await takeOver.check().catch(() => takeOver.reset())
  }
  await check(0)
  isDown = true
  await setTimeout(2 * TIMES.leaseMs)
  await check(2 * TIMES.leaseMs)
  isDown = false
  // When the database is back, this check runs before the other process sends a heartbeat.
  await check(1)
  expect(begun).toEqual([])
  await store.work.renew('another')
  await check(TIMES.leaseMs)
  expect(begun).toEqual([])
  await setTimeout(2 * TIMES.leaseMs)
  await check(1)
  await check(TIMES.leaseMs / 2 - 1)
  expect(begun).toEqual([])
  await check(1)
  expect(begun).toEqual([WORK.key])
})

it('makes waiting work due whose times are in the future, because the clock was set back', async () => {
  let now = Date.UTC(2026, 2, 1)
  await using store = await openStore({ url: 'sqlite::memory:', clock: () => new Date(now) })
  await store.work.schedule(WORK)
  now -= 7_200_000
  expect(await store.work.claimDue('this', [WORK.kind], 1)).toEqual([])
  const takeOver = createTakeOver({
    store: store.work,
    owner: 'this',
    leaseMs: TIMES.leaseMs,
    leasedWork: trackLeasedWork('this'),
    runner: { start: async () => undefined, hasSlotFor: () => true },
    log: createLog('silent'),
  })
  await takeOver.check()
  expect(await store.work.claimDue('this', [WORK.kind], 1)).toMatchObject([{ key: WORK.key }])
})
