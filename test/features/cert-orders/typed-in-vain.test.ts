import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { makeCsr } from './csr/make-csr.ts'
import { addOrder, approveOrder, findOrderState, modalShows, startOrders } from './order-helpers.ts'

it('takes a person’s only open order where no number is typed', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  expect((await member.command('/cert-order', 'withdraw')).text).toContain('None of your orders is waiting')
  expect((await admin.command('/cert-order', 'approve')).text).toContain(
    'No order is waiting for your decision',
  )
  const csr = makeCsr()
  await addOrder(world, member, csr)
  expect((await member.command('/cert-order', 'show', { until: 'Withdraw' })).text).toContain('order 1')
  const open = 'Order 1, for the same key, is waiting for approval.'
  await member.command('/cert-order', 'again 1', { until: open })
  for (const typed of ['1', '#1', 'resolve 1'])
    expect((await member.command('/cert-order', typed, { until: 'Withdraw' })).text).toContain('order 1')
  await admin.command('/cert-order', 'approve', { until: modalShows('Approve order 1') })
  await admin.close({ all: true })
  const none = await admin.command('/cert-order', 'show shopping', { until: 'List without it' })
  await admin.click(none.message, 'List without it', { until: '🟡 Order 1: shop.example.com' })
  // What names an order is never about another one: nothing opens by itself.
  await admin.command('/cert-order', 'reject 2 PO missing', { until: 'There is no order 2' })
  for (const typed of ['approve no. 2', 'approve 1 and 2', 'withdraw shop.example.com']) {
    const { text, view } = await admin.command('/cert-order', typed)
    expect(text).toContain('Nothing was changed.')
    expect(view).toBeUndefined()
  }
  // Without a number, it may begin with the name of an order.
  for (const reason of ['Too long.', 'shop wrong owner', '2: PO missing', 'is this "ours"? Tell us']) {
    const choosing = await admin.command('/cert-order', `reject ${reason}`, { until: 'Reject order 1?' })
    const rejecting = await admin.click(choosing.message, 'Reject order 1', UNTIL_FORM)
    expect(JSON.stringify(rejecting.view)).toContain(`"initial_value":${JSON.stringify(reason)}`)
    await admin.close({ all: true })
  }
  const asked = await member.command('/cert-order', 'withdraw', { until: 'Withdraw order 1?' })
  expect(await findOrderState(world)).toBe('awaiting')
  await member.click(asked.message, 'Withdraw order 1', { until: 'was withdrawn' })
  expect(await findOrderState(world)).toBe('withdrawn')
  const form = await member.command('/cert-order', 'again', {
    until: modalShows('Filled in from the earlier order'),
  })
  for (const value of ['1 year', csr.pem.trim()])
    expect(JSON.stringify(form.view)).toContain(JSON.stringify(value).slice(1, -1))
})

it('lets them choose among several, and does nothing by itself', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  await addOrder(world, member)
  await addOrder(world, member)
  const choosing = await member.command('/cert-order', 'withdraw', { until: 'Which order?' })
  expect(choosing.text).toContain('Order 1: shop.example.com')
  await member.command('/cert-order', 'show --share --yes', { until: 'Only one order can be shared' })
  await member.command('/cert-order', 'show shop --share --yes')
  expect((await admin.messages()).map(readText).join()).not.toContain('shop.example.com')
  await member.command('/cert-order', 'cancel', { until: 'Which order?' })
  await admin.command('/cert-order', 'modify', { until: 'An order can’t be changed' })
  expect([await findOrderState(world, 1), await findOrderState(world, 2)]).toEqual(['awaiting', 'awaiting'])
  const window = await admin.command('/cert-order', 'approve', { until: 'Which order?' })
  await admin.click(window.message, 'Review and approve order 2', { until: modalShows('Approve order 2') })
})

it('says who requested an order, and who decided on it, to members, not to guests', async () => {
  await using world = await startOrders({}, { guests: 'can-view' })
  const { member, admin } = world.slack
  await addOrder(world, member)
  const list = async (user: typeof member) =>
    JSON.stringify(
      (await user.command('/cert-order', 'list', { until: '1 certificate order' })).message?.blocks,
    )
  expect(await list(admin)).toContain(`requested by <@${member.id}>`)
  await approveOrder(admin, 1)
  expect(await list(admin)).toContain('decided by ')
  const forGuest = await list(world.slack.user('U0GUEST001'))
  expect(forGuest).toContain('Order 1: shop.example.com')
  for (const { id } of [member, admin]) expect(forGuest).not.toContain(id)
  const shown = await world.slack
    .user('U0GUEST001')
    .command('/cert-order', 'show 1', { until: '*Requested*' })
  expect(shown.text).not.toMatch(/Requested by|Member|Admin/)
})
