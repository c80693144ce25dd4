import { readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { RESTORED, WHOLE_STORE } from '../../../packages/durable/src/backup.ts'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { removeConnection, saveConnection, setEnvironment } from '../../write-store.ts'
import { makeCsr } from './csr/make-csr.ts'
import {
  APPROVALS_CHANNEL,
  addOrder,
  findOrderState,
  listPlacedOrders,
  modalShows,
  requestOrder,
  startOrders,
  waitForDirectMessage,
} from './order-helpers.ts'
import { addOrder as addStoredOrder } from './store-orders.ts'

describe('an order that needs approval', () => {
  it('isn’t posted in a channel that another organization has joined a moment ago', async () => {
    await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
    const { member, admin } = world.slack
    await requestOrder(member, { csr: makeCsr({ names: ['first.example.com'] }) })
    await admin.see('first.example.com')
    await admin.shareChannel('general', 'Other Inc')
    await requestOrder(member, { csr: makeCsr({ names: ['second.example.com'] }) })
    await waitForDirectMessage(admin, 'second.example.com')
    expect((await admin.messages()).map(readText).join()).not.toContain('second.example.com')
  })

  it('has a single card in the approvals channel that is edited at each step, and one DM for the requester with a reply for each', async () => {
    await using world = await startOrders({ channelId: APPROVALS_CHANNEL })
    const { member, admin } = world.slack
    const names = ['*.shop.example.com', 'localhost']
    const csr = makeCsr({ commonName: '*.shop.example.com', names })
    await requestOrder(member, { csr })
    await waitForDirectMessage(member, 'Your order 1 is waiting for approval')
    const [card] = (await admin.messages()).filter((message) => /order 1\b/i.test(message.text))
    expect(card?.text).toMatch(
      /^Approve order 1\? New certificate for \S+ and 1 more name, 1 year, requested by .*Decide by/s,
    )
    const warning = '⚠️ localhost: not under a public top-level domain'
    for (const shown of ['Domain validated, one name (101)', warning]) expect(readText(card)).toContain(shown)
    expect(await listPlacedOrders(world)).toEqual([])

    const modal = await admin.click(card, 'Review and approve')
    expect(modal.text).toContain('If you approve, it’s sent once, exactly as shown.')
    expect(modal.text).toContain('*.shop.example.com')
    await admin.submit({}, { until: modalShows('was received') })
    await waitForDirectMessage(member, 'Your order 1 was received')
    const readCards = async () =>
      (await admin.messages()).filter((message) => /order 1\b/i.test(message.text)).map(readText)
    await expect.poll(readCards).toEqual([expect.stringContaining('📨 Order 1 was received')])
    // The warning about the order's names disappears once the order is decided.
    expect((await readCards()).join()).not.toContain(warning)
    const readMessageKinds = async () =>
      (await member.messages('dm')).map(({ ts, threadTs, text }) => [
        threadTs && threadTs !== ts ? 'reply' : 'message',
        text.includes('Your order 1 was received'),
      ])
    await expect.poll(readMessageKinds).toEqual([
      ['message', true],
      ['reply', true],
    ])
    expect(await listPlacedOrders(world)).toHaveLength(1)
    for (const hidden of [csr.pem.split('\n')[1], 'shop.example.com'])
      expect(world.log.join('')).not.toContain(hidden)
    const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 50, withIntents: true })
    const { reference } = rows.find(({ verb }) => verb === '/cert-order approve') ?? {}
    const byAdmin = { object: 'order 1: *.shop.example.com', actor: { userId: admin.id }, reference }
    expect(
      rows.filter(({ verb }) => verb.startsWith('/cert-order') && verb !== '/cert-order settings'),
    ).toMatchObject([
      {
        ...{ verb: '/cert-order submit', ...byAdmin, before: { status: 'being sent' }, outcome: 'done' },
        after: { number: 1, status: 'received', serviceOrder: '500001' },
      },
      { verb: '/cert-order submit', ...byAdmin, before: { status: 'being sent' }, outcome: 'begun' },
      {
        ...{
          verb: '/cert-order approve',
          ...byAdmin,
          before: { status: 'waiting for approval' },
          outcome: 'done',
        },
        after: { number: 1, status: 'being sent' },
      },
      // The order has no number before it's stored.
      {
        verb: '/cert-order',
        object: '*.shop.example.com',
        outcome: 'done',
        after: { number: 1 },
      },
    ])
  })

  it('is rejected with a reason that the requester sees', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    // Kept as typed, with its capital and its full stop.
    const typed = await admin.command('/cert-order', 'reject 1 Too long, please ask again.', UNTIL_FORM)
    expect(JSON.stringify(typed.view)).toContain('"Too long, please ask again."')
    await admin.close({ all: true })
    await admin.command('/cert-order', 'reject 1', UNTIL_FORM)
    expect((await admin.submit({})).text).toMatch(/[Rr]eason|complete/)
    await admin.submit(
      { Reason: 'Ask for *.example.com <!channel> instead' },
      { until: modalShows('was rejected') },
    )
    await waitForDirectMessage(member, 'Ask for *.example.com <!channel> instead')
    expect(await findOrderState(world)).toBe('rejected')
    await admin.close({ all: true })
    for (const decision of ['approve 1', 'reject 1']) {
      const stale = await admin.command('/cert-order', decision)
      expect(stale.text).toContain('Order 1 is no longer waiting for a decision. Its status is “Rejected”')
    }
    expect(await listPlacedOrders(world)).toEqual([])
  })

  it('is shared with a channel as facts only, with its decision behind Details', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    const answers = {
      'Billing number': 'BILL-77',
      'Order reference': 'PO-9 for Jane Roe',
      'Customer ID': '4242',
    }
    await requestOrder(member, { csr: makeCsr({ organization: 'Jane Roe' }), answers })
    const readShared = async (person: typeof member) => {
      const { message } = await person.command('/cert-order', 'show 1 --share --yes', { until: 'Shared by' })
      await person.click(message, 'Details', { until: 'Requested by' })
      return readText(message).replace(/Shared by [^\n]*/, '')
    }
    const hidden = /admin|member|BILL-77|PO-9|Jane Roe|4242|Your order|your direct messages|Withdraw/
    for (const person of [admin, member]) {
      const shared = await readShared(person)
      for (const fact of ['Order 1 is waiting for approval', 'shop.example.com', '1 year'])
        expect(shared).toContain(fact)
      // It stays as it is when the order was decided.
      expect(shared).not.toMatch(/Review and approve|Reject/)
      expect(shared).not.toMatch(hidden)
    }
    await admin.command('/cert-order', 'reject 1', { until: modalShows('Reject order 1') })
    await admin.submit({ Reason: 'Ask Jane Roe' }, { until: modalShows('was rejected') })
    await admin.close({ all: true })
    const rejected = await readShared(admin)
    expect(rejected).toContain('Order 1 was rejected')
    expect(rejected).not.toMatch(hidden)
  })

  it('can be withdrawn only by the requester', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    const refused = await admin.command('/cert-order', 'withdraw 1')
    expect(refused.text).toContain('Only the requester can withdraw order 1')
    await waitForDirectMessage(member, 'Your order 1 is waiting for approval')
    const mine = (await member.messages('dm')).find(({ text }) => text.includes('is waiting for approval'))
    await member.click(mine, 'Withdraw')
    await waitForDirectMessage(member, 'Your order 1 was withdrawn')
    expect(await findOrderState(world)).toBe('withdrawn')
    // Now that the order is withdrawn, the refusal doesn't suggest rejecting it instead.
    const late = await admin.command('/cert-order', 'withdraw 1')
    expect(late.text).toContain('Order 1 is no longer waiting for a decision')
  })
})

it.each<[when: string, change: (world: World) => Promise<unknown>, problem: string]>([
  [
    'without a token, with which it could be sent,',
    ({ app: { store } }) => removeConnection(store, WORKSPACE, 'production'),
    'Signalman has no token for the production environment',
  ],
  [
    'after a restore that nobody confirmed',
    ({ app: { store } }) =>
      store.settings.set(WHOLE_STORE, RESTORED, { restoredAt: new Date().toISOString() }),
    'was restored from a backup',
  ],
  [
    'that is older than a restore, also after somebody confirmed it,',
    ({ app: { store } }) => {
      const restoredAt = new Date().toISOString()
      return store.settings.set(WHOLE_STORE, RESTORED, { restoredAt, confirmedAt: restoredAt })
    },
    'may have been sent since',
  ],
  [
    'while another one for its key may have been sent',
    async ({ app: { store } }) => {
      const [order] = await Array.fromAsync(
        store.orders.scan({ workspaceId: WORKSPACE, environment: 'production', limit: 1 }),
      )
      if (!order) throw new Error('There is no order.')
      const event = { kind: 'request', at: order.createdAt }
      // It can't be requested for the same key, so it gets the key afterward.
      const another = await addStoredOrder(store, { ...order, keyHash: 'another' }, event)
      const unknown = { ...another, keyHash: order.keyHash, state: 'unknown' } as const
      await store.orders.saveStep(unknown, { ...event, kind: 'unknown' })
    },
    'Order 2, for the same key, has an unknown outcome',
  ],
])('can’t be approved %s, even in a window that was open before', async (_, change, problem) => {
  await using world = await startOrders({}, { connected: false })
  const { member, admin } = world.slack
  const token = { environment: 'production', token: world.sandbox.token, userId: admin.id } as const
  await saveConnection(world.app.store, { workspaceId: WORKSPACE, ...token, now: new Date() })
  await addOrder(world, member)
  await admin.command('/cert-order', 'approve 1', UNTIL_FORM)
  await change(world)
  await admin.submit({}, { until: problem })
  expect(await findOrderState(world)).toBe('awaiting')
})

it('records the order’s own environment in the audit log, regardless of where the order is approved', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  await addOrder(world, member)
  await setEnvironment(world.app.store, WORKSPACE, 'C0GENERAL1', 'ote')
  await admin.command('/cert-order', 'approve 1 --env production', UNTIL_FORM)
  await admin.submit({}, { until: modalShows('was received') })
  const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, limit: 5 })
  // In the OTE environment, the object would end in “(OTE)”.
  expect(rows.find(({ verb }) => verb === '/cert-order approve')).toMatchObject({
    object: 'order 1: shop.example.com',
  })
})
