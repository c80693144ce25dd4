import { describe, expect, it } from 'vitest'
import { buildApproval } from '../../../src/features/cert-orders/views/approval.ts'
import { WORKSPACE } from '../../world.ts'
import { downloadFile } from '../health-checks/files/csv-files.ts'
import { makeCsr } from './csr/make-csr.ts'
import { createDetails, createOrder } from './details.ts'
import {
  addOrder,
  approveOrder,
  createFormAnswers,
  findOrderState,
  listPlacedOrders,
  modalShows,
  ORDERS_PATH,
  setPolicy,
  startOrders,
  waitForDirectMessage,
} from './order-helpers.ts'
import { exampleRequest } from './order-process.ts'

const OPENED = { until: modalShows('If you approve, it’s sent once') }

it('starts with at most ten names, each in full and with its hidden characters, and what to look at', () => {
  const long = `${`${'x'.repeat(60)}.`.repeat(3)}example`
  const names = ['a\u202eb.example', long, ...Array.from({ length: 10 }, (_, index) => `h${index}.example`)]
  const requested = exampleRequest('PO 1', 'key', 'C-9')
  const build = (warnings: string[]) => {
    const csrNames = names.map((text) => ({ kind: 'DNS', text }))
    const csr = { ...requested.csr, subjectParts: [], names: csrNames, warnings }
    const request = { ...requested.request, duration: '90 days' }
    return buildApproval(createOrder({ ...requested, csr, request }), createDetails()) ?? []
  }
  const blocks = build(['Look.'])
  const headers = blocks.flatMap((block) => (block.type === 'header' ? [block.text.text] : []))
  expect(headers).toEqual(['a⟨U+202E⟩b.example', ...names.slice(2, 10)])
  const text = JSON.stringify(blocks)
  for (const part of [long, 'Further name 2 of 2: DNS h9.example', 'Ordered: Renewal', 'Certificate ID: C-9'])
    expect(text).toContain(part)
  for (const fact of [...names.slice(1), 'Renewal', 'C-9', '90 days'])
    expect(text.split(new RegExp(`(?<![\\w.-])${fact}(?![\\w.-])`)), fact).toHaveLength(2)
  expect(text).not.toContain('Nothing unusual')
  expect(JSON.stringify(build([]))).toContain('Nothing unusual')
})

describe('the modal for approving an order', () => {
  it('has the names first, then the product and the warnings, and then every value, which it also sends as a file', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    const csr = makeCsr({ names: ['shop.example.com', '*.shop.example.com', 'api.example.com'] })
    await addOrder(world, member, csr)
    const { text, view } = await admin.command('/cert-order', 'approve 1', OPENED)
    expect(JSON.stringify(view?.view.blocks)).toContain('"expand":true')
    const inOrder = [
      'shop.example.com',
      '*.shop.example.com',
      'api.example.com',
      'Ordered: New certificate',
      'Product: Domain validated, one name',
      'Duration: 1 year',
      'Requested by Member',
      'ℹ️ Public authorities issue certificates for at most',
      '⚠️ *.shop.example.com: a wildcard for every name directly below it',
      'Reject',
      'Subject O: Example',
      'Key fingerprint',
      'If you approve, it’s sent once, exactly as shown.',
    ]
    let from = 0
    for (const part of inOrder) {
      const at = text.indexOf(part, from)
      expect(at, part).toBeGreaterThanOrEqual(0)
      from = at + part.length
    }
    expect(text).not.toContain('Nothing unusual')
    await admin.close({ all: true })
    await admin.command('/cert-order', 'file 1', { until: 'as a file' })
    await waitForDirectMessage(admin, 'Full contents of order 1')
    const { text: content } = await downloadFile(world, admin)
    expect(content).toContain('Subject CN: shop.example.com')
    const order = await world.app.store.orders.find(WORKSPACE, 1)
    expect(content).toContain(`SHA-256 of the request body, base64url: ${order?.bodyHash}`)
    expect(content).toContain(JSON.stringify(csr.pem))
  })

  it('is followed by a file with the service’s answer, line by line, with its hidden characters', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    const body = '{"data":\r\n{"id": "700000000000000000001", "note": "a\u202eb"}}'
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'status', status: 201, body })
    await approveOrder(admin, 1)
    await admin.command('/cert-order', 'file 1', { until: 'as a file' })
    await waitForDirectMessage(admin, 'Full contents of order 1')
    const { text } = await downloadFile(world, admin)
    expect(text).toContain('{"data":\n{"id": "700000000000000000001", "note": "a⟨U+202E⟩b"}}')
  })

  it('refuses names that aren’t under an allowed domain, when they are requested and when they are approved', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await admin.command('/cert-order', 'approve 1', OPENED)
    await setPolicy(world, { domains: ['other.example'] })
    await admin.submit({}, { until: modalShows('names that aren’t under an allowed domain') })
    expect(await findOrderState(world)).toBe('awaiting')
    expect(await listPlacedOrders(world)).toEqual([])
    await admin.close({ all: true })
    const shown = await admin.command('/cert-order', 'show 1', { until: 'Refresh' })
    expect(shown.text).toContain('Order 1 can’t be approved.')
    for (const part of ['O=Example', 'EC P-256']) expect(shown.text.replaceAll('\u2060', '')).toContain(part)
    expect(shown.text).toContain('Not under an allowed domain: shop.example.com. Reject it, or let an admin')
    for (const { text } of [
      shown,
      await admin.command('/cert-order', 'list', { until: '1 certificate order' }),
    ])
      expect(text).not.toContain('Review and approve')
    await member.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
    const { text } = await member.submit(createFormAnswers(makeCsr()), {
      until: 'Only names under other.example may be ordered',
    })
    expect(text).toContain('shop.example.com')
  })

  it('names the other orders for its names, and rejects in the same window', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await addOrder(world, member)
    const window = await admin.command('/cert-order', 'approve 2', OPENED)
    expect(window.text).toContain('⚠️ Same name: order 1 (waiting for approval).')
    const rejecting = await admin.click(window.view, 'Reject', { until: modalShows('Reject order 2') })
    expect(rejecting.view?.view.id).toBe(window.view?.view.id)
    await admin.submit({ Reason: 'Twice.' }, { until: modalShows('was rejected') })
    expect(await findOrderState(world, 2)).toBe('rejected')
  })
})
