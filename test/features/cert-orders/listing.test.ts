import type { Answer } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { createHasText } from '../../../src/features/cert-orders/choose-order.ts'
import { createNothingFoundError } from '../../../src/features/cert-orders/parse.ts'
import { findForeignNames } from '../../../src/features/cert-orders/rules/host-names.ts'
import { getMainName } from '../../../src/features/cert-orders/rules/order.ts'
import { ORDER_SETTINGS } from '../../../src/features/cert-orders/rules/settings.ts'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { startSqliteFile } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { WORKSPACE, type World, type WorldOptions } from '../../world.ts'
import { makeCsr } from './csr/make-csr.ts'
import { createOrder } from './details.ts'
import {
  APPROVALS_CHANNEL,
  addOrder,
  approveOrder,
  createFormAnswers,
  listPlacedOrders,
  modalShows,
  openUpload,
  requestOrder,
  shareOrder,
  startOrders,
} from './order-helpers.ts'

const share = shareOrder()
const CSR_FIELD = 'Certificate signing request (CSR)'

/** Starts with two orders of the member. The first one is rejected, the second one awaits approval. */
async function startWithTwoOrders(options: WorldOptions = {}): Promise<World> {
  const world = await startOrders({}, options)
  const { member, admin } = world.slack
  await addOrder(world, member)
  await addOrder(world, member, makeCsr({ commonName: '<!channel> *b* :boom:' }))
  await admin.command('/cert-order', 'reject 1', UNTIL_FORM)
  await admin.submit({ Reason: 'Twice.' }, { until: modalShows('was rejected') })
  return world
}

/** The list among the messages of an answer. A card or a direct message of an order may arrive at the same time. */
const findList = ({ messages }: Answer) => messages.find(({ text }) => /^\d+ certificate orders?/.test(text))

describe('the list of orders', () => {
  it('says that there are none, and with which text', async () => {
    await using world = await startOrders()
    const { member } = world.slack
    expect((await member.command('/cert-order', 'list')).text).toContain('There are no certificate orders')
    await addOrder(world, member)
    const none = await member.command('/cert-order', 'list nowhere', { until: 'nowhere' })
    expect(none.text).toContain('No order has “nowhere” in a name, its product, its status, or its date')
    expect(none.text).toContain('/cert-order list [STATUS] [mine')
    expect(JSON.stringify(none.message?.blocks).match(/"\/cert-order list --env production"/g)).toHaveLength(
      1,
    )
    await member.click(none.message, 'List without it', { until: '1 certificate order' })
  })

  it('says where none of them has a text: only in the newest, and in OTE', () => {
    const searched = { newest: 1000, unread: 2 }
    expect(createNothingFoundError('old', { environment: 'ote' }, searched).message).toContain(
      'None of the newest 1000 orders (OTE) has “old” in a name, its product, its status, or its date. 2 orders can’t be decrypted, and',
    )
  })

  it('finds an order by the name that its row shows', () => {
    const order = createOrder()
    expect(createHasText(getMainName(order.content.csr))(order)).toBe(true)
  })

  it.each(['waiting for approval', 'awaiting', 'for approval mine', 'pending', 'all'])(
    'finds orders by their status as shown: %s',
    async (typed) => {
      const { member } = (await share()).slack
      await member.command('/cert-order', `list ${typed}`, { until: '1 certificate order' })
    },
  )

  it('finds orders by the date they were requested on, and lists all without words that none has', async () => {
    const { slack, app } = await share()
    const { member } = slack
    const date = (await app.store.orders.find(WORKSPACE, 1))?.createdAt.toISOString() ?? ''
    const [month, day] = [date.slice(0, 7), date.slice(0, 10)]
    for (const typed of [month, day, `${month} shop`, `shop ${day}`, `com waiting shop ${day}`])
      await member.command('/cert-order', `list ${typed}`, { until: '1 certificate order' })
    await member.command('/cert-order', 'list 1999-12', { until: 'No order has “1999-12”' })
    const none = await member.command('/cert-order', 'list waiting nowhere', {
      until: 'No waiting order has “nowhere”',
    })
    await member.command('/cert-order', 'list rejected mine shop', {
      until: 'No rejected order of yours has “shop”',
    })
    await member.click(none.message, 'List without it', {
      until: '1 certificate order · waiting for approval',
    })
  })

  it('can be filtered by state, requester, text, and environment', async () => {
    await using world = await startWithTwoOrders()
    const { member, admin } = world.slack
    const all = await member.command('/cert-order', 'list', { until: '2 certificate orders' })
    expect(all.text).toContain('⛔ Order 1')
    expect(all.text).toContain('🟡 Order 2: <!channel> *b* :boom:')
    // Only the last block may use mrkdwn. It shows when the list was read, in the reader's time zone.
    expect(JSON.stringify(findList(all)?.blocks?.slice(0, -1))).not.toContain('mrkdwn')
    const waiting = await member.choose(findList(all), 'Which orders', '🟡 Waiting for approval', {
      until: '1 certificate order',
    })
    expect(waiting.text).not.toContain('⛔ Order 1')
    const refreshed = await member.click(findList(waiting), 'Refresh', { until: '1 certificate order' })
    expect(findList(refreshed)?.ts).toBe(findList(waiting)?.ts)
    const theirs = await admin.command('/cert-order', 'list waiting', { until: '1 certificate order' })
    // Whoever may approve an order does so from the list; the requester's own is marked.
    await admin.click(findList(theirs), 'Review and approve', { until: modalShows('Approve order 2') })
    await admin.close({ all: true })
    const own = await admin.click(findList(theirs), 'My orders', { until: 'None of' })
    expect(own.text).toContain('certificate orders is yours')
    expect(theirs.text).not.toContain('yours')
    expect(JSON.stringify(findList(theirs)?.blocks)).toContain(`requested by <@${member.id}>`)
    expect(JSON.stringify(findList(all)?.blocks)).not.toContain('requested by')
    expect(JSON.stringify(findList(all)?.blocks)).toMatch(new RegExp(`decided by "},{[^{}]*"${admin.id}"`))
    expect(all.text).toContain('yours')
    expect(all.text).not.toContain('Review and approve')
    const found = await admin.command('/cert-order', 'list --text BOOM', { until: 'with “BOOM”' })
    expect(found.text).toContain('1 certificate order · with “BOOM”')
    expect(found.text).not.toContain('Order 1')
    const older = await admin.command('/cert-order', 'list --text rejected', { until: 'with “rejected”' })
    expect(older.text).toContain('⛔ Order 1')
    expect(older.text).not.toContain('Order 2')
    const ote = await admin.command('/cert-order', 'list --env ote', { until: 'OTE' })
    expect(ote.text).toContain('There are no certificate orders (OTE)')
  })
})

it('/cert-order show shows an order and refreshes it in the same message, and explains a missing or unknown number', async () => {
  await using world = await startWithTwoOrders()
  const { admin } = world.slack
  // The card of the order says why, too, but has no such button.
  const shown = await admin.command('/cert-order', 'show #1', { until: 'Refresh' })
  expect(shown.text).toContain('Twice.')
  const again = await admin.click(shown.message, 'Refresh', { until: 'Refresh' })
  expect(again.message?.ts).toBe(shown.message?.ts)
  expect((await admin.command('/cert-order', 'show 7', { until: 'no order 7' })).text).toContain(
    'There is no order 7',
  )
  const bare = await admin.command('/cert-order', 'show', { until: 'List orders' })
  expect(bare.text).toContain('None of your orders is open.')
  await admin.click(bare.message, 'List orders', { until: '2 certificate orders' })
  const named = await admin.command('/cert-order', 'show boom', { until: '1 certificate order' })
  expect(named.text).toContain('with “boom”')
  // Nothing is read out of a line that names several.
  const both = await admin.command('/cert-order', 'show 1, #2 and 3', { until: 'No order has' })
  expect(both.text).not.toContain('Twice.')
})

describe('a prefilled form', () => {
  it('to reissue a certificate starts with its ID', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await member.command('/cert-order', 'reissue C-900', { until: 'create a new key and a new request' })
    const next = makeCsr({ commonName: 'new.example.com', names: ['new.example.com'] })
    await member.submit({ [CSR_FIELD]: next.pem }, { until: modalShows('is waiting for approval') })
    await approveOrder(admin)
    const relationships = { certificate: { data: { id: 'C-900' } } }
    expect(await listPlacedOrders(world)).toMatchObject([
      { data: { attributes: { action: 'reissue', csr: next.pem }, relationships } },
    ])
  })

  it('doesn’t take a name for the ID of a certificate', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await approveOrder(admin, 1)
    const form = await member.command('/cert-order', 'renew 2', UNTIL_FORM)
    expect(JSON.stringify(form.view)).toContain('"initial_value":"2"')
    const { Product: _, ...answers } = createFormAnswers(makeCsr())
    const refused = await member.submit(
      { ...answers, 'Certificate ID': 'Shop.example.com' },
      { until: 'This is a domain name.' },
    )
    expect(refused.text).toContain('Enter the ID that the service gave the certificate.')
    await member.submit({ 'Certificate ID': '500001' }, { until: modalShows('is waiting for approval') })
  })

  it('says what the service no longer offers, and chooses the only product that is left', async () => {
    await using world = await startOrders()
    const { member } = world.slack
    await requestOrder(member, { answers: { Organization: '7002' } })
    await member.command('/cert-order', 'withdraw 1', { until: 'was withdrawn' })
    const offer = (list: string, id: string) => {
      const body = JSON.stringify({ data: [{ id, attributes: { name: 'Other' } }] })
      return { method: 'GET', path: `/ssl/v2/${list}`, kind: 'status', status: 200, body } as const
    }
    await world.service.faults(offer('products', '900'), offer('organizations', '9000'))
    const { text, view } = await member.command('/cert-order', 'again 1', UNTIL_FORM)
    expect(text).toContain('The service no longer offers the product 101.')
    expect(text).toContain('The service no longer offers the organization 7002.')
    const chosen = [...JSON.stringify(view).matchAll(/"initial_option":\{.*?"value":"(.*?)"/g)]
    expect(chosen.map(([, value]) => value)).toEqual(['900'])
  })

  it('accepts typed IDs if the service lists no names', async () => {
    await using world = await startOrders({}, { serviceLimits: { retry: { attempts: 1 } } })
    await world.service.faults({ method: 'GET', path: '/ssl/v2/products', kind: 'status', status: 404 })
    const { member } = world.slack
    const form = await member.command('/cert-order')
    expect(form.text).toContain('Product ID')
    expect(form.text).toContain('Example Group (7001)')
    const { Product: product, ...answers } = createFormAnswers(makeCsr())
    await member.submit({ ...answers, 'Product ID': product }, { until: modalShows('is waiting') })
    await approveOrder(world.slack.admin)
    expect(await listPlacedOrders(world)).toHaveLength(1)
  })
})

it.each(['', ' new'])('a CSR in the command opens nothing and isn’t logged: /cert-order%s', async (word) => {
  await using world = await startOrders()
  const { member } = world.slack
  const { pem, privateKey } = makeCsr({ rsaBits: 2048 })
  const { text, view } = await member.command('/cert-order', `${word} ${pem.trim()}`.trim())
  expect(text).toContain('New order')
  expect(view).toBeUndefined()
  await member.command('/cert-order', `${word} ${privateKey}`.trim(), { until: 'treat it as leaked' })
  for (const secret of [pem, privateKey]) expect(world.log.join('')).not.toContain(secret.split('\n')[1])
})

it('a CSR in a file isn’t sent if it is a private key, or if a CSR was also pasted', async () => {
  await using world = await startOrders()
  const { member } = world.slack
  const { privateKey, pem } = makeCsr()
  const file = await member.upload('shop.txt', privateKey)
  await openUpload(member)
  const answers = { 'CSR as a file': [file.id], Product: '101', Duration: '1 year' }
  const { text } = await member.submit(answers, { until: 'treat it as leaked' })
  expect(text).toContain('delete it there too')
  const both = await member.submit({ ...answers, [CSR_FIELD]: pem })
  expect(both.text).toContain('uploaded one too')
  expect(await world.service.requests('POST')).toEqual([])
  expect(world.log.join('')).not.toContain(privateKey.split('\n')[1])
})

it('an order that can’t be decrypted is listed by number and state, reports the missing key when opened, and doesn’t affect other orders', async () => {
  await using sqlite = await startSqliteFile()
  await using world = await startOrders(
    { channelId: APPROVALS_CHANNEL },
    { environment: { DATABASE_URL: sqlite.url } },
  )
  const { member, admin } = world.slack
  await addOrder(world, member)
  await addOrder(world, member)
  {
    await using raw = await openDatabase(sqlite.url)
    const lost = { sealed_content: 'v1.lost.AAAA' }
    await raw.rows.updateTable('cert_order').set(lost).where('number', '=', 1).execute()
  }
  const all = await admin.command('/cert-order', 'list')
  expect(all.text).toContain('🟡 Order 1: can’t be decrypted')
  expect(all.text).toContain('🟡 Order 2: shop.example.com')
  for (const text of ['shop', 'nowhere'])
    await admin.command('/cert-order', `list ${text}`, { until: '1 order can’t be decrypted, and' })
  for (const typed of ['show 1', 'approve 1', 'reject 1']) {
    const { text } = await admin.command('/cert-order', typed)
    expect(text).toContain('Signalman can’t decrypt what it stored for this.')
    expect(text).toContain('the key "lost", which isn’t among the keys.')
    expect(text.includes('Nothing was changed.')).toBe(typed !== 'show 1')
    const [, reference = 'none'] = /Reference: (\w+)/.exec(text) ?? []
    const logLines = world.log.filter((line) => line.includes("Stored data can't be decrypted"))
    expect(logLines.some((line) => line.includes(`"reference":"${reference}"`))).toBe(true)
  }
  await admin.command('/cert-order', 'approve 2', UNTIL_FORM)
  await admin.submit({}, { until: modalShows('was received') })
  expect(await listPlacedOrders(world)).toHaveLength(1)
})

describe('the settings of orders', () => {
  it('are set by an admin, and apply immediately', async () => {
    await using world = await startOrders({}, { access: 'closed' })
    const { member, admin } = world.slack
    expect((await member.command('/cert-order', 'settings')).text).toContain('needs the admin role')
    await admin.command('/cert-order', 'settings', { until: modalShows('Approvals channel') })
    const isShared = 'This channel is shared with another organization'
    await admin.submit({ 'Approvals channel': 'C0PARTNER1' }, { until: modalShows(isShared) })
    const bad = await admin.submit({ 'Allowed domains': 'example.com, com' })
    expect(bad.text).toContain('“com” isn’t a domain')
    const none = await admin.submit({ 'Allowed domains': ', ;' })
    expect(none.text).toContain('Enter at least one domain')
    const notIn = 'Signalman isn’t in this channel. Invite it with /invite.'
    await admin.submit(
      { 'Allowed domains': '*.Example.com', 'Approvals channel': 'C0RANDOM01' },
      { until: modalShows(notIn) },
    )
    expect(await world.app.store.settings.get(WORKSPACE, ORDER_SETTINGS)).toEqual({ domains: [] })
    const guests = 'Guests can read this channel, and would see who orders what.'
    await admin.submit({ 'Approvals channel': APPROVALS_CHANNEL }, { until: guests })
    const saved = { channelId: APPROVALS_CHANNEL, domains: ['example.com'] }
    expect(await world.app.store.settings.get(WORKSPACE, ORDER_SETTINGS)).toEqual(saved)
    await admin.close({ all: true })
    await admin.command('/cert-order', 'settings', { until: modalShows('Approvals channel') })
    const again = await admin.submit(
      { 'Own orders': ['yes'] },
      { until: 'Approvers may decide on their own orders.' },
    )
    expect(again.text).toContain(guests)
    expect(await world.app.store.settings.get(WORKSPACE, ORDER_SETTINGS)).toEqual({
      ...saved,
      allowsOwn: true,
    })
  })

  it('show all of their domains, and refuse more than the window can show again', async () => {
    await using world = await startOrders()
    const { admin } = world.slack
    const domains = Array.from({ length: 180 }, (_, index) => `z${index}.example.org`)
    const list = async (answers: Record<string, string>, until: Parameters<typeof admin.submit>[1]) => {
      await admin.command('/cert-order', 'settings', { until: modalShows('Allowed domains') })
      const answer = await admin.submit(answers, until)
      await admin.close({ all: true })
      return answer.text
    }
    const saved = await list({ 'Allowed domains': domains.join('\n') }, { until: 'Settings saved' })
    for (const domain of domains) expect(saved).toContain(domain)
    const long = Array.from({ length: 200 }, (_, index) => `ü${index}.example`).join('\n')
    await list({ 'Allowed domains': long }, { until: modalShows('more domains than this field can show') })
    expect(await world.app.store.settings.get(WORKSPACE, ORDER_SETTINGS)).toEqual({
      domains: [...new Set(domains)],
    })
  })

  it('are refused if somebody saved them after the window was opened', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    for (const person of [member, admin])
      await person.command('/cert-order', 'settings', { until: modalShows('Approvals channel') })
    const domains = Array.from({ length: 180 }, (_, index) => `z${index}.example.com`)
    await admin.submit({ 'Allowed domains': domains.join('\n') }, { until: 'Settings saved' })
    const shown = { until: `Domains: ${domains.slice(0, 12).join(', ')}, and 168 more.` }
    const late = await member.submit({ 'Allowed domains': 'example.org' }, shown)
    expect(late.text).not.toContain('Settings saved')
    expect(await world.app.store.settings.get(WORKSPACE, ORDER_SETTINGS)).toEqual({ domains })
  })

  it.each([
    {},
    { domains: 'example.com' },
    { domains: ['Example.com'] },
    { domains: [], allowsOwn: 'yes' },
    7,
  ])('allow no name if they can’t be read: %j', (stored) => {
    const { domains, allowsOwn } = ORDER_SETTINGS.read(stored)
    const csr = { subjectParts: [], names: [{ kind: 'DNS', text: 'shop.example.com' }], attributes: [] }
    expect(findForeignNames(csr, domains)).toEqual(['shop.example.com'])
    expect(allowsOwn).toBeUndefined()
  })
})
