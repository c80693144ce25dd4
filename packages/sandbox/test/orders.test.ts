import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/start.ts'
import { type Client, createClient, errorMessages } from './client.ts'

let sandbox: Sandbox
let call: Client

beforeAll(async () => {
  sandbox = await startSandbox({ seed: false, checking: false })
  call = createClient(sandbox.productionUrl)
})
afterAll(() => sandbox[Symbol.asyncDispose]())

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

  it.each([
    [
      'all optional fields',
      order({
        infos: { validation_method: 'VALIDATE_DNS', web_server: 'others' },
        customer_id: 7,
        billing_number: 'B1',
      }),
    ],
    ['no relationships', { data: { ...order().data, relationships: undefined } }],
    ['a CSR on one line', order({ csr: CSR.replaceAll('\n', '') })],
    ['a customer of any number', order({ customer_id: Number.MAX_SAFE_INTEGER })],
    ['a renewal', order({ action: 'renew' }, { certificate: relationship('certificate', '42') })],
    ['a reissue', order({ action: 'reissue' }, { certificate: relationship('certificate', '42') })],
  ])('is accepted with %s', async (_name, body) => {
    expect((await placeOrder(body)).status).toBe(200)
  })

  it('is accepted with the content type application/vnd.api+json', async () => {
    const answer = await call('POST', '/ssl/v2/orders', order(), {
      headers: { 'content-type': 'application/vnd.api+json' },
    })
    expect(answer.status).toBe(200)
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
    [{ data: [] }, 'data must be an object'],
    [{ data: { type: 'order', attributes: [] } }, 'data.attributes must be an object'],
    [order({ infos: null }), 'data.attributes.infos must be an object'],
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

  it('is rejected with the service’s code and message plus the standard JSON:API error fields', async () => {
    expect((await placeOrder(order({}, { contacts: { data: [contact('x')] } }))).json()).toEqual({
      errors: [
        {
          code: 'BAD_REQUEST',
          message: 'data.relationships.contacts.data[0].meta.contact_type must be one of admin, tech.',
          status: '400',
          title: 'Invalid order',
          detail: 'data.relationships.contacts.data[0].meta.contact_type must be one of admin, tech.',
          source: { pointer: '/data/relationships/contacts/data/0/meta/contact_type' },
        },
      ],
    })
    expect((await placeOrder('{')).json()).toEqual({
      errors: [
        {
          code: 'BAD_REQUEST',
          message: 'The body is not JSON in UTF-8.',
          status: '400',
          title: 'Unreadable order',
          detail: 'The body is not JSON in UTF-8.',
        },
      ],
    })
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

it.each([
  ['products', 'product'],
  ['organizations', 'organization'],
])('lists %s as JSON:API', async (path, type) => {
  const { data } = (await call('GET', `/ssl/v2/${path}`)).json<{ data: unknown[] }>()
  expect(data.length).toBeGreaterThan(2)
  for (const item of data)
    expect(item).toEqual({ type, id: expect.any(String), attributes: { name: expect.any(String) } })
})
