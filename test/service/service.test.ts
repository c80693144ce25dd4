import { describe, expect, it } from 'vitest'
import type { ServiceOptions } from '../../src/service/service.ts'
import { catchFailure, createClient, PRODUCTION, page, reply, startVendor, TOKEN } from './vendor.ts'

describe('identical reads', () => {
  it('aren’t shared between tokens, callers, environments, or addresses', async () => {
    await using vendor = await startVendor((response, { headers }) =>
      reply(response, { domain: headers.authorization }),
    )
    await using other = await startVendor((response) => reply(response, { domain: 'ote.example' }))
    await using service = createClient(vendor.url, { baseUrls: { production: vendor.url, ote: other.url } })
    const events = await Promise.all([
      service.with({ environment: 'production', token: 'one' }).threats.get('t-1'),
      service.with({ environment: 'production', token: 'two' }).threats.get('t-1'),
      service.with({ environment: 'ote', token: 'one' }).threats.get('t-1'),
      service.with({ environment: 'production', token: 'one' }).threats.get('t-2'),
      service.with({ environment: 'production', token: 'one', caller: 'T2' }).threats.get('t-1'),
    ])
    expect(vendor.seen).toHaveLength(4)
    expect(events.map(({ domain }) => domain)).toEqual([
      'Bearer one',
      'Bearer two',
      'ote.example',
      'Bearer one',
      'Bearer one',
    ])
  })
})

describe('a caller that aborts', () => {
  it('gets a cancellation error, and the request is stopped', async () => {
    let closedResponses = 0
    await using vendor = await startVendor((response) => {
      response.on('close', () => {
        closedResponses += 1
      })
    })
    const api = vendor.api()
    const controller = new AbortController()
    const read = catchFailure(api.healthChecks.list({}, controller.signal))
    await expect.poll(() => vendor.seen.length).toBe(1)
    controller.abort()
    expect(await read).toMatchObject({ kind: 'cancelled', mayHaveHappened: false })
    await expect.poll(() => closedResponses).toBe(1)
  })

  it('sends no request if it aborts before the call', async () => {
    await using vendor = await startVendor((response) => reply(response, page([])))
    const read = catchFailure(vendor.api().healthChecks.list({}, AbortSignal.abort()))
    expect(await read).toMatchObject({ kind: 'cancelled', mayHaveHappened: false })
    expect(vendor.seen).toHaveLength(0)
  })

  it('doesn’t have to wait for the pause before a retry', async () => {
    await using vendor = await startVendor((response) => reply(response, {}, 429, { 'retry-after': '15' }))
    const controller = new AbortController()
    const read = catchFailure(vendor.api().healthChecks.list({}, controller.signal))
    await expect.poll(() => vendor.seen.length).toBe(1)
    controller.abort()
    expect(await read).toMatchObject({ kind: 'cancelled' })
  })
})

describe('the service client', () => {
  it('aborts running requests when it is disposed, and accepts no more', async () => {
    await using vendor = await startVendor(() => undefined)
    const service = createClient(vendor.url)
    const api = service.with(PRODUCTION)
    const calls = [catchFailure(api.tokens.list()), catchFailure(api.tokens.generate())]
    await expect.poll(() => vendor.seen.length).toBe(2)
    await service[Symbol.asyncDispose]()
    const [read, write] = await Promise.all(calls)
    expect(read).toMatchObject({ kind: 'cancelled' })
    expect(write).toMatchObject({ kind: 'cancelled', mayHaveHappened: true })
    expect(await catchFailure(api.tokens.generate())).toMatchObject({
      kind: 'cancelled',
      mayHaveHappened: false,
    })
    expect(vendor.seen).toHaveLength(2)
  })

  it('opens no more connections to an origin than allowed, and reuses them', async () => {
    await using vendor = await startVendor((response) => reply(response, { domain: 'x.example' }))
    const { threats } = vendor.api({ connections: 3 })
    await Promise.all(Array.from({ length: 60 }, (_, index) => threats.get(`t-${index}`)))
    expect(vendor.seen).toHaveLength(60)
    expect(vendor.connections()).toBeLessThanOrEqual(3)
  })

  it('doesn’t expose the token', () => {
    const service = createClient('http://127.0.0.1:1')
    expect(JSON.stringify(service.with(PRODUCTION))).not.toContain(TOKEN)
  })
})

it('the unreadable parts of a successful response are reported once for each field, with a count', async () => {
  const reports: unknown[] = []
  const onParseIssues: ServiceOptions['onParseIssues'] = ({ count, paths }, { method, path }) =>
    void reports.push({ count, paths, method, path })
  const row = (fields: object) => ({ uuid: 'u', port: 443, ...fields })
  const pages = [
    [row({}), row({ port: {} }), row({ port: {} })],
    [row({ port: {} })],
    [row({ port: {}, name: {} }), row({})],
  ]
  await using vendor = await startVendor((response) => reply(response, page(pages.shift() ?? [])))
  const { healthChecks } = vendor.api({ onParseIssues })
  for (let remaining = pages.length; remaining > 0; remaining -= 1) await healthChecks.list()
  const call = { method: 'GET', path: '/healthcheck/v1/healthchecks' }
  expect(reports).toEqual([
    { ...call, count: 2, paths: ['data.results[1].port', 'data.results[2].port'] },
    { ...call, count: 2, paths: ['data.results[0].name', 'data.results[0].port'] },
  ])
})
