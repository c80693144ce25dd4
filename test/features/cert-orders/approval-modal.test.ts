import { type Driver, readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import { makeCsr } from './csr/make-csr.ts'
import { joinExtensionParts, LARGEST, LARGEST_VALUES, requestLargestOrder } from './largest-order.ts'
import {
  addOrder,
  createFormAnswers,
  findOrderState,
  listPlacedOrders,
  modalShows,
  setPolicy,
  startOrders,
  waitForDirectMessage,
} from './order-helpers.ts'

/** Opens every page of the modal with its button, and returns their texts. */
async function readAllPages(admin: Driver['admin']): Promise<string[]> {
  let answer = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
  const total = Number(/Page 1 of (\d+)/.exec(answer.text)?.[1] ?? 1)
  const pages = [answer.text]
  for (let page = 2; page <= total; page += 1) {
    expect(answer.view?.view.submit).toBeFalsy()
    answer = await admin.click(answer.view, 'Next page', { until: modalShows(`Page ${page} of ${total}`) })
    pages.push(answer.text)
  }
  expect(answer.view?.view.submit).toBeTruthy()
  return pages
}

describe('the modal for approving an order', () => {
  it('shows every value in full before the order can be approved, even the largest one', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await requestLargestOrder(member)
    // A double click advances only one page, and there is no Approve button after going back.
    const first = await admin.command('/cert-order', 'approve 1', { until: modalShows('Page 1 of') })
    const clicks = await Promise.allSettled(
      [1, 2].map(() => admin.click(first.view, 'Next page', { until: modalShows('Page 2 of') })),
    )
    const [second] = clicks.flatMap((click) => (click.status === 'fulfilled' ? [click.value] : []))
    expect(second?.text).toContain('Page 2 of')
    expect(second?.view?.view.submit).toBeFalsy()
    const back = await admin.click(second?.view, 'Previous page', { until: modalShows('Page 1 of') })
    expect(back.view?.view.submit).toBeFalsy()
    expect(await findOrderState(world)).toBe('awaiting')
    await admin.close({ all: true })

    const pages = await readAllPages(admin)
    expect(pages.length).toBeGreaterThan(2)
    const text = pages.join('\n')
    for (const value of LARGEST_VALUES) expect(text).toContain(value)
    // The first names are headers, without their kind.
    expect(text).toMatch(/Name 10 of \d+: DNS /)
    expect(text).not.toMatch(/Name 9 of \d+: /)
    expect(joinExtensionParts(text)).toContain(LARGEST.extensionValue.toString('hex'))
    expect(text).toContain('⚠️ 1.2.3.4.5: ')
    await admin.submit({}, { until: modalShows('was received') })
    const [row] = await world.app.store.audit.search({
      workspaceId: WORKSPACE,
      verb: '/cert-order approve',
      limit: 1,
    })
    expect(row).toMatchObject({ after: { read: `${pages.length} of ${pages.length} pages` } })
  })

  it('sends the whole order as a file, with the exact body', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    const csr = await makeCsr()
    await addOrder(world, member, csr)
    await admin.command('/cert-order', 'file 1', { until: 'as a file' })
    await waitForDirectMessage(admin, 'Full contents of order 1')
    const { messages } = await admin.until('the file', ({ messages }) =>
      Object.values(messages)
        .flat()
        .some(({ files }) => files.length > 0),
    )
    const [file] = Object.values(messages)
      .flat()
      .flatMap(({ files }) => files)
    const content = await (await fetch(`${world.playground.url}${file?.href}`)).text()
    expect(content).toContain('Subject CN: shop.example.com')
    const order = await world.app.store.orders.find(WORKSPACE, 1)
    expect(content).toContain(`SHA-256 of the request body, base64url: ${order?.bodyHash}`)
    expect(content).toContain(JSON.stringify(`${csr.pem.trim()}\n`))
  })

  it('blocks the order with the reason if the policy no longer allows it, and tells the requester once', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    await setPolicy(world, { domains: ['other.example'] })
    await admin.submit(
      {},
      { until: modalShows('The order policy doesn’t allow order 1 now, so nothing was approved.') },
    )
    expect(await findOrderState(world)).toBe('awaiting')
    expect(await listPlacedOrders(world)).toEqual([])
    await admin.close({ all: true })
    // The policy also refuses a new request.
    await member.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
    const { text } = await member.submit(createFormAnswers(await makeCsr()), {
      until: modalShows('order policy'),
    })
    expect(text).toContain('The order policy doesn’t allow this order, so it wasn’t requested.')
  })

  it('has one page for an everyday order: the names, then the product and the warnings, and then every value', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    const names = ['shop.example.com', '*.shop.example.com', 'api.example.com'].map((value) => ({
      type: 'dns' as const,
      value,
    }))
    await addOrder(world, member, await makeCsr({ subject: 'CN=shop.example.com', names }))
    const { text, view } = await admin.command('/cert-order', 'approve 1', {
      until: modalShows('Approve order 1'),
    })
    expect(text).not.toContain('Next page')
    expect(JSON.stringify(view?.view.blocks)).toContain('"expand":true')
    // A year is longer than authorities issue for, so it isn't called usual.
    expect(text).toMatch(/ℹ️ 1 year: public authorities issue for at most \d+ days now/)
    expect(text).not.toContain('Nothing unusual')
    const inOrder = [
      'shop.example.com',
      '*.shop.example.com',
      'api.example.com',
      'Domain validated, one name',
      '⚠️ By its name, the product',
      'Subject CN: shop.example.com',
      'If you approve, it’s sent once, exactly as shown.',
    ]
    let from = 0
    for (const part of inOrder) {
      const at = text.indexOf(part, from)
      expect(at, part).toBeGreaterThanOrEqual(0)
      from = at + part.length
    }
    // What the first lines show in full isn't repeated below.
    for (const once of ['*.shop.example.com', 'api.example.com', '(101)', 'asked by'])
      expect(text.split(once).length - 1, once).toBe(once.startsWith('*') ? 2 : 1)
    expect(text).toContain('⚠️ *.shop.example.com: a wildcard for every name directly below it')
    await admin.submit({}, { until: modalShows('was received') })
    const [row] = await world.app.store.audit.search({
      workspaceId: WORKSPACE,
      verb: '/cert-order approve',
      limit: 1,
    })
    expect(row).toMatchObject({ after: { state: 'received', read: '1 of 1 pages' } })
  })

  it('names who requested the other orders for its names, with a button for each, and rejects in the same window', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await addOrder(world, member)
    const window = await admin.command('/cert-order', 'approve 2', { until: modalShows('Approve order 2') })
    expect(window.text).toMatch(/⚠️ Order 1 \(Member, waiting for approval, .*\) has the same names/)
    const shown = await admin.click(window.view, 'Show', {
      until: modalShows('Certificate for shop.example.com'),
    })
    expect(shown.text).toContain('Approve order 1?')
    await admin.close()
    const rejecting = await admin.click(window.view, 'Reject', { until: modalShows('Reject order 2') })
    expect(rejecting.view?.view.id).toBe(window.view?.view.id)
    await admin.submit({ Reason: 'Twice.' }, { until: modalShows('was rejected') })
    expect(await findOrderState(world, 2)).toBe('rejected')
  })

  it('asks for the product of a renewal that Signalman doesn’t know, and says who says so', async () => {
    await using world = await startOrders({ products: ['101'] })
    const { member, admin } = world.slack
    const { Product: _, ...answers } = createFormAnswers(await makeCsr())
    const open = async (): Promise<void> => {
      await member.command('/cert-order', 'renew C-9', { until: ({ view }) => Boolean(view?.view.submit) })
    }
    await open()
    await member.submit(answers, { until: modalShows('Enter the product in the request.') })
    await member.close({ all: true })
    await open()
    await member.submit({ ...answers, Product: '102' }, { until: modalShows('Product 102 isn’t allowed.') })
    await member.close({ all: true })
    await open()
    await member.submit({ ...answers, Product: '101' }, { until: modalShows('is waiting for approval') })
    const { text } = await admin.command('/cert-order', 'approve 1', {
      until: modalShows('Approve order 1'),
    })
    expect(text).toMatch(/⚠️ The requester says that the product is .*\(?101\)?/)
    await admin.submit({}, { until: modalShows('was received') })
    // The body names no product.
    expect(JSON.stringify(await listPlacedOrders(world))).not.toContain('product')
  })

  it('explains why more approvals are needed, and waits for them', async () => {
    await using world = await startOrders({ wildcards: 'extra' })
    const { member, admin } = world.slack
    const wildcardCsr = await makeCsr({
      subject: 'CN=*.shop.example.com',
      names: [{ type: 'dns', value: '*.shop.example.com' }],
    })
    await addOrder(world, member, wildcardCsr)
    const modal = await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    expect(modal.text).toContain('2 approvals instead of 1, because it has a wildcard (*.shop.example.com')
    await admin.submit({}, { until: modalShows('1 of 2 approvals') })
    expect(await findOrderState(world)).toBe('awaiting')
    expect(await listPlacedOrders(world)).toEqual([])
  })

  it('warns that Signalman doesn’t know the certificate that is renewed', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await member.command('/cert-order', 'renew C-77', { until: ({ view }) => Boolean(view?.view.submit) })
    await member.submit(
      { 'Certificate signing request (CSR)': (await makeCsr()).pem, Duration: '90 days' },
      { until: modalShows('is waiting for approval') },
    )
    const warning = '⚠️ Signalman doesn’t know certificate C-77'
    const open = () => admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
    const window = await open()
    expect(readText(window.view)).toContain(warning)
    expect(readText(window.view)).not.toContain('Nothing unusual')
    expect((await admin.command('/cert-order', 'show 1', { until: 'Refresh' })).text).toContain(warning)
  })
})
