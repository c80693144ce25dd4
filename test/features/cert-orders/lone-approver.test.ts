import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { makeCsr } from './csr/make-csr.ts'
import {
  addOrder,
  createFormAnswers,
  findOrderState,
  listDirectMessages,
  listPlacedOrders,
  modalShows,
  ORDERS_PATH,
  requestOrder,
  startOrders,
  waitForDirectMessage,
} from './order-helpers.ts'

it('lets one person alone order, approve, lose the answer, and record what became of it', async () => {
  await using world = await startOrders({ allowsOwn: true })
  const { admin } = world.slack
  await requestOrder(admin, { until: 'If you approve, it’s sent once' })
  // They are asked, and their own App Home has the order.
  await waitForDirectMessage(admin, 'Approve order 1?')
  expect((await listDirectMessages(admin)).join()).not.toContain('Nobody else')
  const { home } = await admin.openHome({ until: 'Orders waiting for your decision' })
  expect(readText(home)).toContain('Review and approve')
  await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'status', status: 502, body: 'Bad' })
  const shown = await admin.command('/cert-order', 'show 1', { until: 'Refresh' })
  await admin.click(shown.message, 'Review and approve', { until: modalShows('Approve order 1') })
  await admin.submit({}, { until: ({ view }) => view?.view.title?.text === 'Outcome unknown' })
  await admin.close({ all: true })
  expect(await findOrderState(world)).toBe('unknown')
  const unknown = await admin.command('/cert-order', 'show 1', { until: 'The service has it' })
  await admin.click(unknown.message, 'It failed', { until: modalShows('The order will be marked as failed') })
  await admin.submit({}, { until: modalShows('failed') })
  expect(await findOrderState(world)).toBe('failed')
  expect(await listPlacedOrders(world)).toEqual([])
})

it('lets an approver request, read every byte, and send in one window', async () => {
  await using world = await startOrders({ allowsOwn: true })
  const { admin } = world.slack
  const { view: form } = await admin.command('/cert-order', '', UNTIL_FORM)
  const { pem } = makeCsr()
  const reading = await admin.submit(createFormAnswers({ pem }), { until: modalShows('If you approve') })
  for (const part of ['shop.example.com', 'Key fingerprint: ', 'Order fingerprint: ', 'Requested by Admin'])
    expect(reading.text).toContain(part)
  expect(reading.view?.view.id).toBe(form?.view.id)
  const sent = await admin.submit({}, { until: modalShows('was received') })
  expect(readText(sent.view)).toMatch(/^Received\n📨 Your order 1 was received/)
  expect(await listPlacedOrders(world)).toHaveLength(1)
})

it('doesn’t offer people decisions on their own orders by default', async () => {
  await using world = await startOrders()
  const { admin } = world.slack
  await requestOrder(admin)
  const shown = await admin.command('/cert-order', 'show 1', { until: 'Refresh' })
  expect(shown.text).not.toContain('Review and approve')
  for (const line of ['approve 1', 'reject 1 no'])
    expect((await admin.command('/cert-order', line)).text).toContain('You’re the requester of this order.')
  for (const line of ['approve', 'reject'])
    expect((await admin.command('/cert-order', line)).text).toContain(
      'No order is waiting for your decision.',
    )
  const { home } = await admin.openHome({ until: 'Settings' })
  expect(readText(home)).not.toContain('Orders waiting for your decision')
})

it('lets nobody but an approver send their own order', async () => {
  await using world = await startOrders({ allowsOwn: true }, { access: 'closed' })
  await requestOrder(world.slack.member)
  expect(await findOrderState(world)).toBe('awaiting')
})

it('shows what waits for a decision on App Home only to approvers', async () => {
  await using world = await startOrders({}, { access: 'closed' })
  const { member, admin } = world.slack
  await addOrder(world, admin)
  const { home } = await member.openHome({ until: 'Now' })
  expect(readText(home)).not.toContain('Orders waiting for your decision')
  await admin.command('/hc', 'grant @member approver', { until: 'Saved' })
  await member.openHome({ until: 'Orders waiting for your decision' })
})
