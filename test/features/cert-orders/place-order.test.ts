import { expect, it } from 'vitest'
import { prepareToPlace } from '../../../src/features/cert-orders/place-order.ts'
import type { Order, OrderContent } from '../../../src/features/cert-orders/rules/order.ts'
import { ApiError } from '../../../src/service/errors.ts'
import { ANSWER, startApprovedOrder } from './approved-order.ts'
import { exampleRequest, WORKSPACE } from './order-process.ts'

/** What became of the order, as it was approved or as `change` leaves it. */
async function placeOrder(
  change: (order: Order) => Order = (order) => order,
  createOrder?: () => Promise<string>,
) {
  await using world = await startApprovedOrder({}, createOrder)
  const [order] = await world.orders.list({ workspaceId: WORKSPACE, limit: 1 })
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

it('sends what was approved', async () => {
  expect(await placeOrder()).toEqual({
    outcome: { kind: 'received', answered: { id: '500001', answer: ANSWER } },
    postCount: 1,
  })
})

const TOO_LATE = 'Preparing the order took too long, so it wasn’t sent.'
const CHANGED = 'The order no longer matches what was approved, so it wasn’t sent.'

it.each<[what: string, change: (order: Order) => Order, why: string]>([
  ['that was never approved', withoutApproval, TOO_LATE],
  ['whose approval has no readable time', changeApproval({ at: 'yesterday' }), TOO_LATE],
  ['that was approved long ago', changeApproval({ at: '2026-03-01T11:49:59.999Z' }), TOO_LATE],
  ['that was stored with another body', (order) => ({ ...order, bodyHash: 'another' }), CHANGED],
  ['that was approved with another body', changeApproval({ hash: 'another' }), CHANGED],
  [
    'whose request was changed',
    changeContent(({ request }) => ({ request: { ...request, orderReference: 'PO 2' } })),
    CHANGED,
  ],
])('never sends an order %s', async (_, change, why) => {
  expect(await placeOrder(change)).toEqual({ outcome: { kind: 'failed', why, said: [] }, postCount: 0 })
})

it('sends an order at the end of the time that an approval is good for', async () => {
  expect((await placeOrder(changeApproval({ at: '2026-03-01T11:50:00.000Z' }))).postCount).toBe(1)
})

it.each(['submitting', 'unknown'] as const)(
  'never sends a second order for a key while one is %s, however the second one came to be approved',
  async (state) => {
    await using world = await startApprovedOrder()
    const [order] = await world.orders.list({ workspaceId: WORKSPACE, limit: 1 })
    if (!order) throw new Error('There is no order.')
    // It can't be requested for the same key, so it gets the key afterward.
    const second = await world.orders.add(
      { ...order, state, keyHash: 'another key', content: exampleRequest('PO 1') },
      { kind: 'request', at: order.createdAt, userId: 'U3' },
    )
    await world.orders.saveStep(
      { ...second, keyHash: order.keyHash },
      { kind: 'approve', at: order.createdAt },
    )
    expect(await prepareToPlace(world.deps, order)).toEqual({
      kind: 'failed',
      why: expect.stringMatching(/^Order 2, for the same key, (?:is being sent|may have reached)/),
      said: [],
    })
    expect(world.postCount()).toBe(0)
  },
)

const fail = (error: Error) => () => Promise.reject(error)

it.each([
  {
    reply: 'an answer without an order ID',
    createOrder: async () => '{"data":{}}',
    expected: { kind: 'unknown', sender: 'ended', answered: { answer: '{"data":{}}' } },
  },
  {
    reply: 'no answer',
    createOrder: fail(new ApiError('timeout', '', { mayHaveHappened: true })),
    expected: { kind: 'unknown', sender: 'ended' },
  },
  { reply: 'a bug', createOrder: fail(new Error('a bug')), expected: { kind: 'unknown', sender: 'ended' } },
  {
    reply: 'a refusal',
    createOrder: fail(new ApiError('rejected', '', { status: 400, serviceMessages: ['No.'] })),
    expected: { kind: 'failed', said: ['No.'], isAnswer: true },
  },
])(
  'records that its call is over, and what the service said, after $reply',
  async ({ createOrder, expected }) => {
    expect((await placeOrder(undefined, createOrder)).outcome).toMatchObject(expected)
  },
)

it('doesn’t take an error without a response for the service’s refusal', async () => {
  const { outcome } = await placeOrder(undefined, fail(new ApiError('unavailable', 'no connection')))
  expect(outcome).toMatchObject({ kind: 'failed' })
  expect(outcome).not.toHaveProperty('isAnswer')
})
