import { expect, it } from 'vitest'
import { RESTORED, WHOLE_STORE } from '../../../packages/durable/src/backup.ts'
import { SealError } from '../../../packages/durable/src/secrets/seal.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import type { Order, OrderContent } from '../../../src/features/cert-orders/rules/order.ts'
import { type PlaceDeps, prepareToPlace } from '../../../src/features/cert-orders/submit-order.ts'
import { ApiError } from '../../../src/service/errors.ts'
import { startApprovedOrder } from './approved-order.ts'
import { exampleRequest, WORKSPACE } from './order-process.ts'
import { addOrder } from './store-orders.ts'

interface Changed {
  change?: (order: Order) => Order
  getApi?: PlaceDeps['getApi']
  createOrder?: () => Promise<string>
  isRestored?: boolean
}

async function placeOrder({ change = (order) => order, getApi, createOrder, isRestored }: Changed = {}) {
  await using world = await startApprovedOrder(getApi && { getApi }, createOrder)
  const restored = { restoredAt: '2026-03-01T11:00:00.000Z' }
  if (isRestored) await world.store.settings.set(WHOLE_STORE, RESTORED, restored)
  const [order] = await Array.fromAsync(
    world.orders.scan({ workspaceId: WORKSPACE, environment: 'production', limit: 1 }),
  )
  if (!order) throw new Error('There is no order.')
  const ready = await prepareToPlace(world.deps, change(order))
  const outcome = 'send' in ready ? await ready.send() : ready
  return { outcome, postCount: world.postCount() }
}

const changeContent =
  (change: (content: OrderContent) => Partial<OrderContent>) =>
  (order: Order): Order => ({ ...order, content: { ...order.content, ...change(order.content) } })

const changeApproval = (changed: Partial<NonNullable<OrderContent['approval']>>) =>
  changeContent(({ approval }) => (approval ? { approval: { ...approval, ...changed } } : {}))

function withoutApproval({ content: { approval: _, ...content }, ...order }: Order): Order {
  return { ...order, content }
}

const fail = (error: Error) => () => Promise.reject(error)
const failToDecrypt = fail(new SealError('unknown-key', 'No key opens it.'))
const changeRequest = changeContent(({ request }) => ({ request: { ...request, orderReference: 'PO 2' } }))

const TOO_LATE = 'Its approval isn’t from the last ten minutes, or the clock was changed, so it wasn’t sent.'
const CHANGED = 'The order no longer matches what was approved, so it wasn’t sent.'
const LONG_AGO = changeApproval({ at: '2026-03-01T11:49:59.999Z' })

it.each<[what: string, changed: Changed, why: string]>([
  ['that was never approved', { change: withoutApproval }, TOO_LATE],
  ['whose approval has no readable time', { change: changeApproval({ at: 'yesterday' }) }, TOO_LATE],
  ['that was approved long ago', { change: LONG_AGO }, TOO_LATE],
  ['with a token that can’t be decrypted anymore', { change: LONG_AGO, getApi: failToDecrypt }, TOO_LATE],
  ['that was stored with another body', { change: (order) => ({ ...order, bodyHash: 'another' }) }, CHANGED],
  ['that was approved with another body', { change: changeApproval({ hash: 'another' }) }, CHANGED],
  ['whose request was changed', { change: changeRequest }, CHANGED],
  [
    'with the token of another account',
    { change: changeContent(() => ({ account: 'another' })) },
    'requested under another account',
  ],
  [
    'whose approval is later than now',
    { change: changeApproval({ at: '2026-03-01T12:10:00.000Z' }) },
    TOO_LATE,
  ],
  ['without a token', { getApi: fail(new UserError('No token is stored.')) }, 'No token is stored.'],
  ['after a restore that nobody confirmed', { isRestored: true }, 'was restored from a backup'],
])('never sends an order %s', async (_, changed, why) => {
  expect(await placeOrder(changed)).toEqual({
    outcome: { kind: 'failed', why: expect.stringContaining(why), said: [] },
    postCount: 0,
  })
})

it('sends an order at the end of the time that an approval is good for', async () => {
  const change = changeApproval({ at: '2026-03-01T11:50:00.000Z' })
  expect((await placeOrder({ change })).postCount).toBe(1)
})

it.each(['submitting', 'unknown'] as const)(
  'never sends a second order for a key while one is %s, however the second one came to be approved',
  async (state) => {
    await using world = await startApprovedOrder()
    const [order] = await Array.fromAsync(
      world.orders.scan({ workspaceId: WORKSPACE, environment: 'production', limit: 1 }),
    )
    if (!order) throw new Error('There is no order.')
    // It can't be requested for the same key, so it gets the key afterward.
    const second = await addOrder(
      world.store,
      { ...order, state, keyHash: 'another key', content: exampleRequest('PO 1') },
      { kind: 'request', at: order.createdAt, userId: 'U3' },
    )
    await world.orders.saveStep(
      { ...second, keyHash: order.keyHash },
      { kind: 'approve', at: order.createdAt },
    )
    expect(await prepareToPlace(world.deps, order)).toEqual({
      kind: 'failed',
      why: expect.stringMatching(/^Order 2, for the same key, (?:is being sent|has an unknown outcome)/),
      said: [],
    })
    expect(world.postCount()).toBe(0)
  },
)

const LOST = new ApiError('timeout', '', { mayHaveHappened: true })
const REFUSED = new ApiError('rejected', '', { status: 400, serviceMessages: ['No.'] })

it.each<[reply: string, createOrder: () => Promise<string>, expected: object]>([
  [
    'an answer without an order ID',
    async () => '{"data":{}}',
    { kind: 'unknown', sender: 'ended', answered: { answer: '{"data":{}}' } },
  ],
  ['no answer', fail(LOST), { kind: 'unknown', sender: 'ended' }],
  ['a bug', fail(new Error('a bug')), { kind: 'unknown', sender: 'ended' }],
  ['a refusal', fail(REFUSED), { kind: 'failed', said: ['No.'] }],
])('records that its call is over, and what the service said, after %s', async (_, createOrder, expected) => {
  expect((await placeOrder({ createOrder })).outcome).toMatchObject(expected)
})

it('doesn’t take an error without a response for the service’s refusal', async () => {
  const { outcome } = await placeOrder({ createOrder: fail(new ApiError('unavailable', 'no connection')) })
  expect(outcome).toMatchObject({ kind: 'failed' })
  expect(outcome).not.toHaveProperty('isAnswer')
})
