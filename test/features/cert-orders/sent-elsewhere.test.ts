import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { openStore } from '../../../src/app/store.ts'
import { createLog } from '../../../src/log.ts'
import { ANSWER } from './approved-order.ts'
import {
  createOrderProcess,
  createRecordingSlack,
  formatBody,
  storeOrder,
  toActionWork,
  WORKSPACE,
} from './order-process.ts'

it('is answered to its approver with its outcome, also if another process sends it', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const { number, bodyHash: hash } = await storeOrder(store)
  const lookedAgain = Promise.withResolvers<void>()
  async function create(): Promise<string> {
    await lookedAgain.promise
    return ANSWER
  }
  let looks = 0
  const { kinds } = createOrderProcess({
    store,
    fakes: {
      api: { orders: { formatBody, create } },
      poster: createRecordingSlack().poster,
      roles: new Set(['U2']),
    },
    engine: {
      async runNow() {
        looks += 1
        if (looks > 1) lookedAgain.resolve()
      },
    },
    now: () => new Date(),
    times: {},
    simulatedTime: { stopwatch: () => performance.now(), pause: () => setImmediate() },
  })
  await using _other = startEngine({
    store: store.work,
    kinds: kinds.filter(({ kind }) => kind !== 'act'),
    log: createLog('silent'),
    times: { pollMs: 10 },
  })
  const { work } = await store.work.begin(
    toActionWork(WORKSPACE, 'U2', { kind: 'approve', number, hash }),
    'P1',
  )
  const { signal } = new AbortController()
  await kinds.find(({ kind }) => kind === 'act')?.run({ work, owner: 'P1', signal, wantsStop: () => false })
  expect((await store.orders.find(WORKSPACE, number))?.state).toBe('received')
})
