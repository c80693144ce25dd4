import { expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { openStore } from '../../../src/app/store.ts'
import { createLog } from '../../../src/log.ts'
import { ANSWER } from './approved-order.ts'
import {
  createOrderProcess,
  createRecordingSlack,
  storeOrder,
  toActionWork,
  WORKSPACE,
} from './order-process.ts'

it('is answered to its approver with its outcome, although another process sends it, and slowly', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const { number, bodyHash: hash } = await storeOrder(store)
  const [isSent, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  async function create(): Promise<string> {
    isSent.resolve()
    await mayAnswer.promise
    return ANSWER
  }
  const { kinds } = createOrderProcess({
    store,
    fakes: {
      api: { orders: { create } },
      poster: createRecordingSlack().poster,
      roles: new Set(['U2']),
    },
    engine: { wake: () => undefined },
    now: () => new Date(),
    maxInFlightMs: 25_000,
  })
  const start = (isFor: 'acts' | 'orders') =>
    startEngine({
      store: store.work,
      kinds: kinds.filter(({ kind }) => (kind === 'act') === (isFor === 'acts')),
      log: createLog('silent'),
      times: { pollMs: 10 },
    })
  await using approving = start('acts')
  await using _sending = start('orders')
  const begun = await approving.begin(toActionWork(WORKSPACE, 'U2', { kind: 'approve', number, hash }))
  if (!('leased' in begun)) throw new Error('Another process has begun it.')
  let isAnswered = false
  const answered = approving.run(begun.leased).then(() => {
    isAnswered = true
  })
  await isSent.promise
  expect(isAnswered).toBe(false)
  mayAnswer.resolve()
  await answered
  expect((await store.orders.find(WORKSPACE, number))?.state).toBe('received')
})
