import { beforeEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { createClient, errorMessages, useSandbox } from './client.ts'

const { call } = useSandbox()

const CSR = '-----BEGIN CERTIFICATE REQUEST-----\nMIIBADCB\n-----END CERTIFICATE REQUEST-----\n'
const relationship = (type: string, id = '1') => ({ data: { type, id } })
const contact = (contact_type: string) => ({ type: 'contact', id: '9', meta: { contact_type } })

const order = (attributes: object = {}, relationships: object = { product: relationship('product') }) => ({
  data: {
    type: 'order',
    attributes: { action: 'create', csr: CSR, duration: '1 year', ...attributes },
    relationships,
  },
})
const placeOrder = (body: unknown) => call('POST', '/ssl/v2/orders', body)

describe('an order', () => {
  it('returns a JSON:API document with the status pending', async () => {
    const relationships = {
      product: relationship('product', '101'),
      organization: relationship('organization', '7001'),
      certificate: { data: null },
      contacts: { data: [contact('admin'), contact('tech')] },
    }
    const answer = await placeOrder(order({ order_reference: 'PO-7' }, relationships))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/vnd.api+json')
    expect(answer.json()).toEqual({
      data: {
        type: 'order',
        id: expect.stringMatching(/^\d+$/),
        attributes: {
          status: 'pending',
          action: 'create',
          duration: '1 year',
          order_reference: 'PO-7',
          created_at: expect.stringMatching(/Z$/),
        },
        relationships,
      },
    })
  })

  it('is rejected with a message for each invalid field', async () => {
    const attributes = { action: 'cancel', csr: 'MIIB', duration: 1, infos: { os: 'x' } }
    const relationships = { product: { data: { type: 'prod', id: '1' } }, owner: {} }
    const answer = await placeOrder({ data: { type: 'orders', attributes, relationships } })
    expect(answer.status).toBe(400)
    expect(errorMessages(answer)).toEqual([
      'data.type must be one of order.',
      'data.attributes.action must be one of create, renew, reissue.',
      'data.attributes.csr must be a certificate signing request in PEM.',
      'data.attributes.duration must be a string of 1 to 100 characters.',
      'data.attributes.infos.os is not a known field; leave it out.',
      'data.relationships.owner is not a known field; leave it out.',
      'data.relationships.product.data.type must be one of product.',
    ])
  })

  const privateKey = CSR.replaceAll('CERTIFICATE REQUEST', 'PRIVATE KEY')
  const isMissing = 'data.relationships.certificate is missing'
  it.each([
    [{}, 'data is missing'],
    [order({ csr: privateKey }), 'data.attributes.csr must be a certificate signing request in PEM'],
    [
      order({}, { certificate: relationship('certificate') }),
      'data.relationships.certificate must be empty when the action is create',
    ],
    [order({ action: 'renew' }, {}), `${isMissing}: renew needs the certificate`],
    [
      order(
        { action: 'reissue' },
        { certificate: relationship('certificate'), product: relationship('product') },
      ),
      'data.relationships.product is only for the action create, not for reissue',
    ],
    [
      order({}, { contacts: relationship('contact') }),
      'data.relationships.contacts.data must be a list of contacts',
    ],
  ])('is rejected for one reason: %j (%s)', async (body, expected) => {
    const answer = await placeOrder(body)
    expect(answer.status).toBe(400)
    expect(errorMessages(answer)).toEqual([`${expected}.`])
  })
})

describe('the stored orders', () => {
  beforeEach(() => call('DELETE', '/_sandbox/requests'))

  it('contain each accepted order exactly as placed, and no rejected orders', async () => {
    await using otherSandbox = await startSandbox({ seed: false, checking: false })
    const client = createClient(otherSandbox.productionUrl)
    const text = `  ${JSON.stringify(order({ order_reference: 'ä' }))}\n`
    const { data } = (await client('POST', '/ssl/v2/orders', text)).json<{ data: { id: string } }>()
    await client('POST', '/ssl/v2/orders', order({ action: 'x' }))
    const stored = await client('GET', '/_sandbox/orders', undefined, { token: null })
    expect(stored.json()).toEqual([
      { id: data.id, time: expect.stringMatching(/Z$/), text, body: JSON.parse(text) },
    ])
    expect((await createClient(otherSandbox.oteUrl)('GET', '/_sandbox/orders')).json()).toEqual([])
  })
})
