import { describe, expect, it } from 'vitest'
import { startWorld } from '../../../world.ts'
import { makeCsr } from '../csr/make-csr.ts'
import { approveOrder, listPlacedOrders, ORDERS_PATH, requestOrder } from '../order-helpers.ts'

describe('/cert-order', () => {
  it('sends an order once, shows its contents, and logs no part of its CSR', async () => {
    await using world = await startWorld()
    const csr = makeCsr({ rsaBits: 2048 })
    const { member } = world.slack
    const answers = {
      Organization: '7001',
      'Admin contact IDs': ' 11, 12 ; 11',
      'Tech contact IDs': '13',
      'Customer ID': '1100',
      'Billing number': 'B-1',
      'Order reference': 'PO 42',
    }
    const { text } = await requestOrder(member, { csr, answers })
    const approved = await approveOrder(world.slack.admin)
    expect(approved.text).toContain('service order ID 500001')
    expect(approved.text).not.toContain('"status": "pending"')
    const answered = await member.command('/cert-order', 'answer 1', { until: 'answer to order 1' })
    expect(answered.text).toContain('"status": "pending"')
    expect(world.log.length).toBeGreaterThan(0)
    for (const secret of [csr.pem.split('\n')[1], 'shop.example.com'])
      expect(world.log.join('')).not.toContain(secret)
    expect(text).toMatch(/Subject.*CN=shop\.example\.com, O=Example.*shop\.example\.com.*RSA 2048 bits/s)
    const attributes = { csr: csr.pem, customer_id: 1100, order_reference: 'PO 42' }
    const contacts = [
      { id: '11', meta: { contact_type: 'admin' } },
      { id: '12', meta: { contact_type: 'admin' } },
      { id: '13', meta: { contact_type: 'tech' } },
    ]
    const relationships = { contacts: { data: contacts } }
    expect(await listPlacedOrders(world)).toMatchObject([{ data: { attributes, relationships } }])
  })

  it('shows the service’s error, and can reopen the form with the same values', async () => {
    await using world = await startWorld()
    const { member, admin } = world.slack
    const detail = 'The product is <!channel> unknown.'
    const body = { errors: [{ status: '400', title: 'Invalid order', detail }] }
    await world.service.faults({
      method: 'POST',
      path: ORDERS_PATH,
      kind: 'status',
      status: 400,
      body,
      times: 1,
    })
    const csr = makeCsr()
    await requestOrder(member, { csr })
    const refused = await approveOrder(admin, 1, 'Order 1 failed')
    expect(refused.text).toContain('Sent and refused\n🔴 Order 1 failed')
    expect(refused.text).toContain(detail)
    const shown = await member.command('/cert-order', 'show 1', { until: 'Request again' })
    const form = await member.click(shown.message, 'Request again', { until: 'Filled in from the earlier' })
    const sent = JSON.stringify(form.view?.view.blocks)
    expect(sent).toContain('"initial_value":"1 year"')
    expect(sent).toContain(JSON.stringify(csr.pem.trim()).slice(1, -1))
    await member.submit({}, { until: 'is waiting for approval' })
    expect((await approveOrder(admin, 2)).text).toContain('500001')
    expect(await world.service.orders()).toHaveLength(1)
  })
})
