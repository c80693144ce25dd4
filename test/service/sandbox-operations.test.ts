import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../src/service/service.ts'
import { startWorld, type World } from './sandbox.ts'
import { catchFailure } from './vendor.ts'

const BODY = {
  name: 'shop',
  customerId: 1000,
  protocol: 'HTTPS',
  target: 'shop.example.com',
  port: 443,
  frequency: 60,
  httpServerAddress: '127.0.0.1',
  verifySsl: false,
}
const CSR = '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n'

let world: World
let api: Api

beforeAll(async () => {
  world = await startWorld({ seed: true })
  api = world.service.with({ environment: 'production', token: world.sandbox.token })
})
afterAll(() => world[Symbol.asyncDispose]())

describe('health checks', () => {
  it('are created, read, updated, listed, and deleted, even with quoted numbers and booleans', async () => {
    const { healthChecks } = api
    const created = await healthChecks.create({ ...BODY, name: 'life' })
    expect(created).toMatchObject({ name: 'life', status: 'INSTALLING', customerId: 1000, port: 443 })
    expect(created).toMatchObject({ httpServerAddress: undefined, verifySsl: undefined })
    const details = await healthChecks.get(created.uuid)
    expect(details).toEqual({ ...created, httpServerAddress: '127.0.0.1', verifySsl: false })
    const updated = await healthChecks.update(created.uuid, {
      ...BODY,
      name: 'life',
      frequency: 120,
      verifySsl: true,
    })
    expect(updated).toMatchObject({ uuid: created.uuid, frequency: 120, verifySsl: true })
    const { results, total, unreadable } = await healthChecks.list({ name: 'life' })
    expect([total, unreadable]).toEqual([1, 0])
    expect(results).toMatchObject([updated])
    await healthChecks.delete(created.uuid)
    expect(await catchFailure(healthChecks.get(created.uuid))).toMatchObject({ kind: 'not-found' })
  })

  it('are filtered by every parameter, and divided into pages', async () => {
    const { healthChecks } = api
    const unfiltered = await healthChecks.list({ limit: 500 })
    const [sample] = unfiltered.results
    for (const query of [
      { status: 'HEALTHY' },
      { protocol: 'TCP' },
      { target: sample?.target },
      { name: `${sample?.name.slice(0, 3)}*` },
      { customerId: 1100, includeSubsidiaries: false as const },
    ]) {
      const { results, total } = await healthChecks.list({ ...query, limit: 500 })
      expect(total).toBe(results.length)
      expect(total).toBeGreaterThan(0)
      expect(total).toBeLessThan(unfiltered.total)
    }
    const page = await healthChecks.list({ limit: 5, offset: 10, sort: 'uuid' })
    const all = await healthChecks.list({ limit: 500, sort: 'uuid' })
    expect(page.total).toBe(unfiltered.total)
    expect(page.results).toEqual(all.results.slice(10, 15))
  })

  it('are listed in order, page by page', async () => {
    await using bulkWorld = await startWorld()
    await bulkWorld.control('POST', 'health-checks', { count: 5000 })
    const { healthChecks } = bulkWorld.service.with({
      environment: 'production',
      token: bulkWorld.sandbox.token,
    })
    let count = 0
    let last = ''
    let isSorted = true
    for await (const { results } of healthChecks.listAll({ name: 'bulk-*' })) {
      for (const { name } of results) {
        if (name <= last) isSorted = false
        last = name
      }
      count += results.length
    }
    expect(count).toBe(5000)
    expect(isSorted).toBe(true)
    expect(await bulkWorld.journal()).toHaveLength(10)
  })
})

describe('alerts', () => {
  it('have string IDs, and are created, listed, updated, and deleted', async () => {
    const { uuid } = await api.healthChecks.create({ ...BODY, name: 'alerting' })
    const created = await api.alerts.create(uuid, { type: 'EMAIL', recipients: ['a@example.com'] })
    expect(created).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      type: 'EMAIL',
      createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
    })
    expect(await api.alerts.list(uuid)).toEqual([created])
    const recipients = ['a@example.com', 'b@example.com']
    const updated = await api.alerts.update(uuid, created.id, { type: 'EMAIL', recipients })
    expect(updated).toMatchObject({ id: created.id, recipients })
    await api.alerts.delete(uuid, created.id)
    expect(await api.alerts.list(uuid)).toEqual([])
    expect(await catchFailure(api.alerts.delete(uuid, created.id))).toMatchObject({ kind: 'not-found' })
  })
})

describe('tokens', () => {
  it('are listed with their creation times, and a generated token works only in its environment', async () => {
    const [generated] = await api.tokens.generate()
    const token = generated ?? ''
    const { tokens: listed } = await api.tokens.list()
    expect(listed.map((item) => item.token)).toEqual(expect.arrayContaining([world.sandbox.token, token]))
    for (const { createdAt } of listed) expect(createdAt).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    await world.service.with({ environment: 'production', token }).tokens.list()
    const inOte = world.service.with({ environment: 'ote', token })
    expect(await catchFailure(inOte.tokens.list())).toMatchObject({ kind: 'unauthorized' })
  })
})

describe('orders', () => {
  it('are placed with exactly the previewed body', async () => {
    const order = {
      action: 'create',
      csr: CSR,
      duration: '1 year',
      productId: '101',
      organizationId: '7001',
      customerId: 1000,
      contacts: [{ id: '9', type: 'admin' as const }],
    }
    const { data } = JSON.parse(await api.orders.create(order))
    expect(data).toMatchObject({
      type: 'order',
      id: expect.stringMatching(/^\d+$/),
      attributes: { status: 'pending' },
    })
    expect(await world.control('GET', 'orders')).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: data.id, text: api.orders.formatBody(order) })]),
    )
  })

  it.each(['renew', 'reissue'])('include the ID of their certificate: %s', async (action) => {
    const answer = await api.orders.create({ action, csr: CSR, duration: '2 years', certificateId: '55' })
    expect(JSON.parse(answer).data.relationships).toMatchObject({ certificate: { data: { id: '55' } } })
  })

  it('are rejected with the service’s message', async () => {
    const error = await catchFailure(api.orders.create({ action: 'borrow', csr: 'none', duration: '' }))
    expect(error).toMatchObject({ kind: 'rejected', status: 400, mayHaveHappened: false })
    expect(error.serviceMessages).toHaveLength(3)
    expect(error.serviceMessages.join(' ')).toMatch(/^data\.attributes\.action must be one of/)
  })
})

describe('threat events', () => {
  it('are all readable, including the hostile ones', async () => {
    // Cast, because this endpoint of the sandbox returns these fields.
    const events = (await world.control('GET', 'threat-events')) as { id: string; domain: string }[]
    expect(events.length).toBeGreaterThanOrEqual(10)
    for (const { id, domain } of events) {
      expect(await api.threats.get(id)).toMatchObject({ domain, unreadableCount: 0 })
    }
  })

  it.each([
    '..',
    '.',
    '',
    '../../auth/v1/tokens',
    'a/b',
    '%2e%2e',
    'x\r\ny',
    '\u0000',
    '😀',
    'x'.repeat(9_000),
  ])('aren’t found under the hostile ID %j, and no other path is requested', async (id) => {
    await world.control('DELETE', 'requests')
    expect(await catchFailure(api.threats.get(id))).toMatchObject({ kind: 'not-found' })
    for (const line of await world.journal()) expect(line).toMatch(/^GET \/cti\/v2\/events\/[^/]+$/)
  })
})

describe('production and OT&E', () => {
  it('don’t share health checks', async () => {
    const ote = world.service.with({ environment: 'ote', token: world.sandbox.token })
    const created = await ote.healthChecks.create({ ...BODY, name: 'only-ote' })
    expect((await ote.healthChecks.list({ name: 'only-ote' })).results[0]?.uuid).toBe(created.uuid)
    expect((await api.healthChecks.list({ name: 'only-ote' })).total).toBe(0)
  })
})
