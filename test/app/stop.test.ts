import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { startEngine } from '../../packages/durable/src/engine/engine.ts'
import type { WorkKind } from '../../packages/durable/src/engine/work-kind.ts'
import { createInFlight } from '../../packages/slack/src/receive/deliveries.ts'
import type { Backends } from '../../src/app/backends.ts'
import { createStopBudget, type ShutdownState, stop } from '../../src/app/stop.ts'
import { openStore } from '../../src/app/store.ts'
import { createLog } from '../../src/log.ts'

const log = createLog('silent')

it('starts no new work while requests finish, then waits for running work to finish', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const request = Promise.withResolvers<void>()
  const work = Promise.withResolvers<void>()
  const runs: { key: string | undefined; isAborted: boolean }[] = []
  const kind: WorkKind = {
    kind: 'k',
    lane: 'quick',
    async run({ work: { key }, signal }) {
      const run = { key, isAborted: false }
      runs.push(run)
      await work.promise
      run.isAborted = signal.aborted
      return { state: 'done' }
    },
  }
  let searches = 0
  const countingWork: typeof store.work = {
    ...store.work,
    async claimDue(...args) {
      searches += 1
      try {
        return await store.work.claimDue(...args)
      } finally {
        searches -= 1
      }
    },
  }
  await using engine = startEngine({ store: countingWork, kinds: [kind], log, times: { pollMs: 60_000 } })
  const schedule = (key: string) => store.work.schedule({ workspaceId: 'T1', kind: 'k', key })
  await schedule('runs')
  engine.wake()
  await expect.poll(() => [runs.length, searches]).toEqual([1, 0])

  const inFlight = createInFlight()
  inFlight.add(request.promise)
  const shutdown: ShutdownState = { isDraining: false, isRefusing: false }
  let isStopped = false
  const stopped = stop(shutdown, {
    log,
    // Cast, because shutdown doesn't use anything else of the backends.
    backends: { store, service: { [Symbol.asyncDispose]: async () => undefined } } as unknown as Backends,
    engine,
    slackReceiver: { inFlight } as never,
    mainServer: { server: createServer(), wasReadinessRequestedWithin: () => false } as never,
    sockets: undefined,
    forceStop: new AbortController().signal,
    budget: createStopBudget(),
  }).then(() => {
    isStopped = true
  })
  expect(shutdown).toEqual({ isDraining: true, isRefusing: true })
  await schedule('late')
  engine.wake()
  request.resolve()
  await inFlight.waitUntilIdle(1000)
  expect(isStopped).toBe(false)
  work.resolve()
  await stopped
  expect(runs).toEqual([{ key: 'runs', isAborted: false }])
  expect((await store.work.listOpen('T1', ['k'])).map(({ key }) => key)).toEqual(['late'])
})
