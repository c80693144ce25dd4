import { describe, expect, it } from 'vitest'
import { readCsrFile } from '../../../src/features/cert-orders/rules/csr/csr.ts'
import { fitInWindow, makeVisible } from '../../../src/features/cert-orders/rules/entries.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { buildApproval } from '../../../src/features/cert-orders/views/approval.ts'
import { listOrderEntries } from '../../../src/features/cert-orders/views/entries.ts'
import { alternativeNames, buildRequest, buildSubject, extension, host } from './csr/build-request.ts'
import { createDetails, createOrder } from './details.ts'
import { modalShows, openUpload, startOrders } from './order-helpers.ts'

const CN = '2.5.4.3'
const list = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index))

const withNames = (size: number, name: (index: number) => string): Buffer =>
  buildRequest({ extensions: [alternativeNames(...list(size, (index) => host(name(index))))] })

/** Requests that grow in one way, and the most that a request may have of it. */
const KINDS: Readonly<Record<string, { most: number; make: (size: number) => Buffer }>> = {
  names: { most: 1000, make: (size) => withNames(size, (index) => `h${index}.example.com`) },
  'long names, each with a warning': {
    most: 1000,
    make: (size) => withNames(size, (index) => `*.${`${'x'.repeat(60)}.`.repeat(3)}h${index}.com`),
  },
  'names of characters that are shown by their code': {
    most: 1000,
    make: (size) => withNames(size, (index) => `\u202e${index}`.repeat(20)),
  },
  'parts of its subject': {
    most: 100,
    make: (size) =>
      buildRequest({ subject: buildSubject(...list(size, () => [CN, 'ü'.repeat(900)] as const)) }),
  },
  'bytes in an extension': {
    most: 60_000,
    make: (size) => buildRequest({ extensions: [extension('1.2.3.4', Buffer.alloc(size, 0xff))] }),
  },
}

/** Undefined if the request is refused, because its file is too large. */
function toOrder(bytes: Buffer): Order | undefined {
  const result = readCsrFile(bytes)
  if ('problem' in result) return undefined
  const { pem, ...csr } = result.csr
  const longest = 'l'.repeat(255)
  const request = {
    ...{ action: 'create', csr: pem, duration: 'd'.repeat(100), productId: longest, organizationId: longest },
    ...{ billingNumber: longest, orderReference: longest, webServer: 'w'.repeat(100) },
  }
  const names = { product: 'p'.repeat(1000), organization: 'o'.repeat(1000) }
  return createOrder({ environment: 'production', request, csr, names })
}

const fits = (order: Order | undefined): boolean =>
  order !== undefined && fitInWindow(listOrderEntries(order)) !== undefined

function findLargest({ most, make }: { most: number; make: (size: number) => Buffer }): Order {
  let [small, large] = [1, most + 1]
  while (large - small > 1) {
    const middle = Math.floor((small + large) / 2)
    if (fits(toOrder(make(middle)))) small = middle
    else large = middle
  }
  const order = toOrder(make(small))
  if (!order) throw new Error('Nothing fits.')
  return order
}

describe('the largest order that fits in one window', () => {
  it.each(Object.entries(KINDS))('stays within Slack’s limits with as many %s as possible', (_, kind) => {
    const order = findLargest(kind)
    const details = createDetails({
      people: new Map([['U1', 'n'.repeat(1000)]]),
      domains: ['other.example'],
      similar: list(200, (number) => ({ number, state: 'unknown' })),
    })
    const blocks = buildApproval(order, details) ?? []
    expect(blocks.length).toBeLessThanOrEqual(100)
    expect(blocks.length).toBeGreaterThan(0)
    const json = JSON.stringify(blocks)
    expect(Buffer.byteLength(json.replace(/[\u0080-\uffff]/g, '\\u0000'))).toBeLessThan(245_000)
    const texts = blocks.flatMap((block) =>
      'text' in block && typeof block.text === 'object' ? [block.text.text] : [],
    )
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(3000)
    for (const { text } of order.content.csr.names) expect(json).toContain(makeVisible(text))
  })

  it('is requested, and one more name is refused', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    const kind = KINDS['names of characters that are shown by their code']
    if (!kind) throw new Error('There is no such kind.')
    const largest = findLargest(kind).content.csr.names.length
    const ask = async (size: number, until: string) => {
      const file = await member.upload(
        'large.der',
        new Uint8Array(kind.make(size)),
        'application/octet-stream',
      )
      await openUpload(member)
      const answers = { 'CSR as a file': [file.id], Product: '101', Duration: 'd'.repeat(100) }
      const first = await member.submit(answers, {
        until: (answer) => modalShows(until)(answer) || modalShows('submit again')(answer),
      })
      if (!modalShows(until)(first)) await member.submit({}, { until: modalShows(until) })
      await member.close({ all: true })
    }
    // The other values of this order are shorter, so that a few more names fit.
    await ask(largest, 'is waiting for approval')
    await ask(largest + 100, 'too long to be read in one window')
    const { text } = await admin.command('/cert-order', 'approve 1', {
      until: modalShows('If you approve, it’s sent once'),
    })
    // Ten stand above.
    expect(text).toContain(`Further name ${largest - 10} of ${largest - 10}: `)
    await admin.submit({}, { until: modalShows('was received') })
  })
})
