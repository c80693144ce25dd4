import { describe, expect, it } from 'vitest'
import { formatOrder, type OrderRequest } from '../../src/service/orders.ts'
import { startVendor } from './vendor.ts'

const MINIMAL: OrderRequest = { action: 'create', csr: 'PEM', duration: '1 year' }
const attributes = { action: 'create', csr: 'PEM', duration: '1 year' }

describe('an order', () => {
  it.each<{ content: string; order: OrderRequest; data: object }>([
    { content: 'only the required fields', order: MINIMAL, data: { attributes, relationships: {} } },
    {
      content: 'one info, no contacts',
      order: { ...MINIMAL, webServer: 'nginx', contacts: [] },
      data: { attributes: { ...attributes, infos: { web_server: 'nginx' } }, relationships: {} },
    },
    {
      content: 'everything',
      order: {
        ...MINIMAL,
        action: 'renew',
        validationMethod: 'VALIDATE_DNS',
        webServer: 'others',
        customerId: 7,
        billingNumber: 'B-1',
        orderReference: 'PO "9"',
        productId: '101',
        certificateId: '55',
        organizationId: '7001',
        contacts: [
          { id: '1', type: 'admin' },
          { id: '2', type: 'tech' },
        ],
      },
      data: {
        attributes: {
          action: 'renew',
          csr: 'PEM',
          duration: '1 year',
          infos: { validation_method: 'VALIDATE_DNS', web_server: 'others' },
          customer_id: 7,
          billing_number: 'B-1',
          order_reference: 'PO "9"',
        },
        relationships: {
          product: { data: { type: 'product', id: '101' } },
          certificate: { data: { type: 'certificate', id: '55' } },
          organization: { data: { type: 'organization', id: '7001' } },
          contacts: {
            data: [
              { type: 'contact', id: '1', meta: { contact_type: 'admin' } },
              { type: 'contact', id: '2', meta: { contact_type: 'tech' } },
            ],
          },
        },
      },
    },
  ])('is sent as JSON:API, exactly as previewed, with $content', async ({ order, data }) => {
    await using vendor = await startVendor((response) => void response.end())
    const { orders } = vendor.api()
    await orders.create(order)
    expect(vendor.seen.map(({ body }) => body)).toEqual([formatOrder(order)])
    expect(JSON.parse(formatOrder(order))).toEqual({ data: { type: 'order', ...data } })
  })

  it('has the same body regardless of the order of its options', () => {
    expect(formatOrder({ duration: '1 year', webServer: undefined, csr: 'PEM', action: 'create' })).toBe(
      formatOrder(MINIMAL),
    )
  })

  it.each([
    '{"data":{"id":"500","attributes":{"status":"pending"}}}',
    '{"errors":[{"title":"Quota","detail":"used up"}]}',
    '<title>Sign in</title>',
    '',
  ])('returns an answer with a success status unchanged, whatever it says: %j', async (text) => {
    await using vendor = await startVendor((response) => void response.writeHead(202).end(text))
    expect(await vendor.api().orders.create(MINIMAL)).toBe(text)
  })

  it('keeps at most 100,000 characters of the response', async () => {
    await using vendor = await startVendor(
      (response) => void response.end('😀'.repeat(50_000) + 'x'.repeat(5_000)),
    )
    expect(await vendor.api().orders.create(MINIMAL)).toHaveLength(100_000)
  })
})
