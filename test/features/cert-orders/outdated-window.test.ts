import { describe, expect, it } from 'vitest'
import { type OrderStep, transition } from '../../../src/features/cert-orders/rules/lifecycle.ts'
import { NOTHING_SEEN } from '../../../src/features/cert-orders/rules/related.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { makeCsr } from './csr/make-csr.ts'
import { requestLargestOrder } from './largest-order.ts'
import {
  addOrder,
  findOrderState,
  listPlacedOrders,
  modalShows,
  ORDERS_PATH,
  startOrders,
} from './order-helpers.ts'

const OUTDATED = 'was sent, or ended, after you opened it. Read the order again before you decide.'

/** Somebody else takes a step, while the window of another order is open. */
async function takeStep({ app }: World, number: number, step: OrderStep): Promise<void> {
  const orders = app.store.orders
  const order = await orders.find(WORKSPACE, number)
  if (!order) throw new Error(`There is no order ${number}.`)
  const now = await orders.readTime()
  const saw = order.content.approvals[0]?.saw ?? NOTHING_SEEN
  const judgment = { decision: 'allow', approvals: 1, reasons: [] } as const
  const result = transition(order, step, { direct: false, judgment, saw, now })
  if ('refusal' in result) throw new Error(result.refusal)
  const event = { kind: step.kind, at: now, userId: 'U0SOMEONE', reference: `${step.kind} ${number}` }
  await (step.kind === 'approve' ? orders.approve(result.next, event) : orders.saveStep(result.next, event))
}

const approve = async (world: World, number: number, saw = NOTHING_SEEN): Promise<void> => {
  const order = await world.app.store.orders.find(WORKSPACE, number)
  const by = world.slack.admin.id
  await takeStep(world, number, {
    kind: 'approve',
    ...{ by, hash: order?.bodyHash ?? '', saw, eligibleApprovers: new Set([by]) },
  })
}

describe('the window of an order whose related orders have changed', () => {
  it('comes back, marked, if one was sent meanwhile, and approves once it was read again', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await addOrder(world, member)
    const first = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    expect(first.text).toMatch(/Order 2 \(.*waiting for approval/)
    await approve(world, 2)
    await expect.poll(() => findOrderState(world, 2)).toBe('received')
    const again = await admin.submit({}, { until: modalShows(OUTDATED) })
    expect(again.text).toMatch(/Order 2 \(.*received/)
    expect(again.view?.view.submit).toBeTruthy()
    expect(await findOrderState(world, 1)).toBe('awaiting')
    expect(await listPlacedOrders(world)).toHaveLength(1)
    const [refused] = await world.app.store.audit.search({
      workspaceId: WORKSPACE,
      verb: '/cert-order approve',
      limit: 1,
    })
    expect(refused).toMatchObject({ outcome: 'failed' })
    await admin.submit({}, { until: modalShows('was received') })
    expect(await listPlacedOrders(world)).toHaveLength(2)
  })

  it('comes back if one that was sent failed meanwhile', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await addOrder(world, member)
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })
    await approve(world, 2)
    await expect.poll(() => findOrderState(world, 2)).toBe('unknown')
    const first = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    expect(first.text).toMatch(/Order 2 \(.*outcome unknown/)
    const outcome = { kind: 'failed', why: 'It isn’t there.', said: [], by: admin.id } as const
    await takeStep(world, 2, { kind: 'resolve', by: admin.id, outcome })
    const again = await admin.submit({}, { until: modalShows(OUTDATED) })
    expect(again.text).not.toContain('Order 2 (')
    expect(await findOrderState(world, 1)).toBe('awaiting')
    await admin.submit({}, { until: modalShows('was received') })
  })

  it('stays if one that waited was rejected, because waiting orders undo nothing', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await addOrder(world, member)
    await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    await takeStep(world, 2, { kind: 'reject', by: admin.id, reason: 'Twice.' })
    await admin.submit({}, { until: modalShows('was received') })
  })

  it('starts at its first page again if a page is turned', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await requestLargestOrder(member)
    const name = 'h0.shop.example.com'
    await addOrder(
      world,
      member,
      await makeCsr({ subject: `CN=${name}`, names: [{ type: 'dns', value: name }] }),
    )
    const first = await admin.command('/cert-order', 'approve 1', { until: modalShows('Page 1 of') })
    await approve(world, 2)
    await expect.poll(() => findOrderState(world, 2)).toBe('received')
    const again = await admin.click(first.view, 'Next page', { until: modalShows(OUTDATED) })
    expect(again.text).toContain('Page 1 of')
    const next = await admin.click(again.view, 'Next page', { until: modalShows('Page 2 of') })
    expect(next.text).not.toContain(OUTDATED)
  })
})

describe('an approval', () => {
  it('isn’t counted or named as one anymore after a related order was sent, and can be given again', async () => {
    await using world = await startOrders({ approvals: 2 })
    const { member, admin } = world.slack
    await addOrder(world, member)
    await addOrder(world, member)
    await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    await admin.submit({}, { until: modalShows('1 of 2 approvals') })
    await admin.close({ all: true })
    // Sent under an earlier policy.
    const orders = world.app.store.orders
    const other = await orders.find(WORKSPACE, 2)
    if (!other) throw new Error('There is no order 2.')
    const now = await orders.readTime()
    const submission = { by: admin.id, at: now.toISOString() }
    const outcome = { kind: 'received', answered: { id: '4711', answer: '{}' } } as const
    const content = { ...other.content, submission, outcome }
    const sending = await orders.approve(
      { ...other, state: 'submitting', wakeAt: undefined, content: { ...other.content, submission } },
      { kind: 'approve', at: now },
    )
    if (!sending) throw new Error('Order 2 has changed.')
    await orders.saveStep(
      { ...sending, state: 'received', receivedAt: now, content },
      { kind: 'answer', at: now },
    )
    const shown = await admin.command('/cert-order', 'show 1', { until: /\b0 of 2\b/ })
    expect(shown.text).toContain('Review and approve')
    const window = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    expect(window.text).toContain('If you approve, it has 1 of 2 approvals and needs 1 more.')
    await admin.submit({}, { until: modalShows('1 of 2 approvals') })
  })
})
