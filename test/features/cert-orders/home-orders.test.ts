import { readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { readDefaultDraft } from '../../../src/features/cert-orders/commands/start.ts'
import { buildNewOrder } from '../../../src/features/cert-orders/new-order.ts'
import { DEFAULT_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import { sharedControls } from '../../../src/features/cert-orders/views/buttons.ts'
import { WORKSPACE } from '../../world.ts'
import { makeCsr } from './csr/make-csr.ts'
import { addOrder, modalShows, requestOrder, startOrders } from './order-helpers.ts'
import { exampleRequest } from './order-process.ts'

describe('orders in App Home', () => {
  it('are shown as cards with buttons, and are updated after each step', async () => {
    await using world = await startOrders()
    const { admin, member } = world.slack
    expect((await admin.openHome()).text).not.toContain('waiting for your decision')
    await requestOrder(member)
    const own = await member.openHome()
    expect(own.text).toContain('Your recent orders')
    expect(own.text).not.toContain('waiting for your decision')
    const home = await admin.until('the card in App Home', ({ home }) =>
      readText(home ?? undefined).includes('1 order is waiting for your decision'),
    )
    for (const text of ['ℹ️ 1 year: public authorities issue for at most', 'Approve order 1?', 'requested by'])
      expect(readText(home.home ?? undefined)).toContain(text)
    const modal = await admin.click(home.home ?? undefined, 'Review and approve: order 1', {
      until: 'If you approve',
    })
    expect(modal.text).toContain('shop.example.com')
    await admin.submit({}, { until: modalShows('was received') })
    // What came of it is still a click away.
    await admin.until(
      'App Home without the order',
      ({ home }) => !readText(home ?? undefined).includes('waiting for your decision'),
    )
    // App Home may be updated once more between reading and clicking.
    const openList = async () =>
      admin.click((await admin.home()) ?? undefined, 'List certificate orders', {
        until: '1 certificate order',
      })
    await expect.poll(async () => (await openList()).text).toContain('Order 1')
  })

  it('warn about other orders, and show open questions', async () => {
    await using world = await startOrders()
    const { admin, member } = world.slack
    const csr = await makeCsr()
    await addOrder(world, member, csr)
    await admin.command('/cert-order', 'approve 1', { until: 'If you approve' })
    await admin.submit({}, { until: modalShows('was received') })
    await admin.close({ all: true })
    await addOrder(world, member, csr)
    await admin.command('/cert-order', 'ask 2', { until: ({ view }) => Boolean(view?.view.submit) })
    await admin.submit({ Question: 'Why again?' }, { until: modalShows('Not answered') })
    await admin.close({ all: true })
    const { text } = await admin.openHome()
    expect(text).toContain('⚠️ Other orders with the same CSR: order 1')
    expect(text).toContain('💬 Admin asked')
    expect(text).toContain('“Why again?” Not answered.')
  })
})

it('is opened by its card’s button even if the hash of its body starts with a dash', async () => {
  await using world = await startOrders()
  const { admin, member } = world.slack
  await addOrder(world, member)
  const order = await world.app.store.orders.find(WORKSPACE, 1)
  if (!order) throw new Error('There is no order.')
  const bodyHash = `-E${order.bodyHash.slice(2)}`
  const [button] = sharedControls({ ...order, bodyHash })
  const [, line = ''] = /\/cert-order (approve 1 .*)/.exec(String(button?.value)) ?? []
  // The hash is read as one, so the order has changed.
  expect((await admin.command('/cert-order', line)).text).toContain('Order 1 changed after you opened it')
})

it('says that more orders may be waiting if only the newest 100 were checked', async () => {
  // Nobody has to be told about these orders.
  await using world = await startOrders({}, { workTimes: { pollMs: 3_600_000 } })
  const { orders } = world.app.store
  const { admin, member } = world.slack
  const where = { workspaceId: WORKSPACE, enterpriseId: undefined, environment: 'production' } as const
  for (let number = 1; number <= 103; number += 1) {
    const { csr, request } = exampleRequest(`PO ${number}`)
    const now = new Date()
    const orderFields = { where, request, csr: { ...csr, keyHash: String(number) }, names: {}, now }
    const order = buildNewOrder({ ...orderFields, by: admin.id, bodyHash: 'h', policy: DEFAULT_POLICY })
    await orders.add(order, { kind: 'request', at: now })
  }
  const { text } = await member.openHome()
  for (const expected of ['100 or more orders are waiting for your decision', 'More: see all orders.'])
    expect(text).toContain(expected)
  expect((await admin.openHome()).text).toContain(
    'None of the newest open orders is waiting for you. For older ones, see all orders.',
  )
})

describe('a listing of orders', () => {
  it('can be filtered by requester, product, name, and time, and its buttons keep the filter', async () => {
    await using world = await startOrders()
    const { admin, member } = world.slack
    await addOrder(world, member)
    await addOrder(
      world,
      member,
      await makeCsr({ subject: 'CN=mail.example.net', names: [{ type: 'dns', value: 'mail.example.net' }] }),
    )
    const search = async (flags: string): Promise<string> =>
      (await admin.command('/cert-order', `list ${flags}`)).text
    expect(await search('--name MAIL.')).toContain('1 certificate order')
    expect(await search('--name mail. --product "one name" --days 7 --requester U0MEMBER01')).toContain(
      '1 certificate order',
    )
    expect(await search('--product wildcard')).toContain(
      'None of 2 certificate orders matches · product wildcard',
    )
    const withoutMatches = await admin.command('/cert-order', 'list --requester U0ADMIN001')
    expect(withoutMatches.text).toContain('None of 2 certificate orders matches · requested by')
    // The person is a mention, which Slack shows as a name.
    expect(JSON.stringify(withoutMatches.message?.blocks)).toContain('{"type":"user","user_id":"U0ADMIN001"}')
    expect(withoutMatches.text).not.toContain('by U0ADMIN001')
    expect(await search('--requester ann')).toContain('No one here is named @ann.')
    expect(await search('--days soon')).toContain('--days must be a whole number')
    const { message } = await admin.command('/cert-order', 'list --name "mail."')
    expect(JSON.stringify(message)).toContain('--name mail.')
  })
})

it('says that only the newest orders were searched if there are too many', async () => {
  await using world = await startOrders()
  const { member } = world.slack
  await addOrder(world, member)
  const { orders } = world.app.store
  const [order] = await orders.listWithUndecryptable({ workspaceId: WORKSPACE, limit: 1 })
  if (!order) throw new Error('There is no order.')
  Object.assign(orders, {
    listWithUndecryptable: async ({ limit, below = 1_000_000 }: { limit: number; below?: number }) =>
      Array.from({ length: limit }, (_, index) => ({ ...order, number: below - 1 - index })),
  })
  const { text } = await member.command('/cert-order', 'list --name nowhere')
  expect(text).toContain('No matching certificate order found · name nowhere')
  expect(text).toContain('Only the newest 5,000 orders were searched.')
})

it('suggests the last ordered product even after a renewal without a product', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const orders = store.orders
  const now = new Date('2026-03-01T12:00:00.000Z')
  const where = { workspaceId: 'T1', enterpriseId: undefined, environment: 'production' as const }
  const { request } = exampleRequest('PO 1')
  const { productId: _, ...renewal } = { ...request, action: 'renew', certificateId: '900' }
  for (const [index, content] of [request, renewal].entries()) {
    const { csr } = exampleRequest(`PO ${index}`)
    const order = buildNewOrder({
      where,
      by: 'U1',
      request: content,
      csr,
      names: {},
      bodyHash: 'h',
      policy: DEFAULT_POLICY,
      now,
    })
    await orders.add(order, { kind: 'request', at: now })
  }
  const caller = {
    workspaceId: 'T1',
    environment: 'production' as const,
    userId: 'U1',
    reference: 'r',
    now,
  }
  expect(await readDefaultDraft(orders, caller)).toMatchObject({ action: 'create', product: '101' })
})

it('rejects a private key typed after a command, and neither repeats nor logs it', async () => {
  await using world = await startOrders()
  const { privateKey } = await makeCsr()
  const [, body = ''] = privateKey.split('\n')
  for (const line of [privateKey, body, `show ${body}`, `list --name ${body}`]) {
    const { text } = await world.slack.member.command('/cert-order', line)
    expect(text).toContain('treat it as leaked')
    expect(text).not.toContain(body.slice(0, 30))
  }
  expect(world.log.join('')).not.toContain(body.slice(0, 30))
})
