import { beforeEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { createClient, errorMessages, useSandbox } from './client.ts'

const { call } = useSandbox()

const CSR = '-----BEGIN CERTIFICATE REQUEST-----\nMIIBADCB\n-----END CERTIFICATE REQUEST-----\n'
const relationship = (type: string, id = '1') => ({ data: { type, id } })
const contact = (contact_type: string, id = '9') => ({ type: 'contact', id, meta: { contact_type } })

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

  const sentence = (lines: string, prefix: string) =>
    lines
      .trim()
      .split('\n')
      .map((line) => `${prefix}${line.trim()}.`)

  it('is rejected with a message for each invalid field', async () => {
    const attributes = {
      ...{ action: 'cancel', csr: 'MIIB', duration: 1, infos: { web_server: 5, os: 'x' } },
      ...{ customer_id: '7', billing_number: 7 },
    }
    const contacts = { data: [5, contact('owner'), { type: 'contact', id: '1' }] }
    const relationships = {
      ...{ product: { data: { type: 'prod', id: 1 } }, certificate: 'x', organization: {}, contacts },
      owner: {},
    }
    const answer = await placeOrder({ data: { type: 'orders', attributes, relationships } })
    expect(answer.status).toBe(400)
    const expected = `
      type must be one of order
      attributes.action must be one of create, renew, reissue
      attributes.csr must be a certificate signing request in PEM
      attributes.duration must be a string of 1 to 100 characters
      attributes.customer_id must be a whole number from 1 to 9007199254740991
      attributes.billing_number must be a string of 1 to 255 characters
      attributes.infos.web_server must be a string of 1 to 100 characters
      attributes.infos.os is not a known field; leave it out
      relationships.certificate must be an object
      relationships.owner is not a known field; leave it out
      relationships.product.data.type must be one of product
      relationships.product.data.id must be a string of 1 to 255 characters
      relationships.organization.data is missing
      relationships.contacts.data[0] must be an object
      relationships.contacts.data[1].meta.contact_type must be one of admin, tech
      relationships.contacts.data[2].meta is missing`
    expect(errorMessages(answer)).toEqual(sentence(expected, 'data.'))
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
      { data: { ...order({ action: 'reissue' }).data, relationships: undefined } },
      `${isMissing}: reissue needs the certificate`,
    ],
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
