import { describe, expect, it } from 'vitest'
import { decodeEvent, type ThreatEvent } from '../../src/service/threat-event.ts'
import { createThreatEvent } from '../features/threats/events.ts'
import { readResponse, toRead } from './reading.ts'
import { catchFailure, errorObject, reply, startVendor } from './vendor.ts'

const BODY = createThreatEvent('sh0p.example')

const RENAMED = {
  autonomous_system_info: 'autonomousSystem',
  as_number: 'number',
  as_organization: 'organization',
}
// Cast: the fields have only other names.
const EVENT = {
  ...(toRead(BODY, RENAMED) as ThreatEvent),
  unreadableCount: 0,
}

describe('a threat event', () => {
  it.each([
    { variant: 'bare', body: BODY },
    { variant: 'with unknown fields', body: { ...BODY, extra: { brand: 1 }, constructor: 1 } },
  ])('is read $variant', ({ body }) => {
    expect(readResponse(decodeEvent(BODY.id), body).value).toEqual(EVENT)
  })

  it.each([
    { variant: 'nothing else', body: {} },
    { variant: 'nulls', body: { id: null, brand: null, comments: null, observed_data: null } },
  ])('can contain a domain and $variant', ({ body }) => {
    expect(readResponse(decodeEvent(BODY.id), { domain: 'x.example', ...body }).value).toEqual({
      domain: 'x.example',
      unreadableCount: 0,
    })
  })

  it.each([
    {},
    { status: 'maintenance' },
    { detail: 'Not found.' },
    { data: BODY },
    { type: 'about:blank', title: 'Service Unavailable', status: 503 },
    { type: 'error' },
    { id: 'req-7f3a' },
  ])('isn’t what has neither the ID that was asked for nor a domain: %j', (body) => {
    expect(() => readResponse(decodeEvent(BODY.id), body)).toThrow('not as expected')
  })

  it('counts its fields with the wrong type, and keeps the others', () => {
    const { whois } = BODY.observed_data
    const { value: event } = readResponse(decodeEvent(BODY.id), {
      ...BODY,
      date: 'yesterday',
      brand: { ...BODY.brand, id: 'twelve' },
      criticality: 'HIGH',
      comments: [...BODY.comments, 7, null, { content: {} }],
      observed_data: { dns_records: 'none', whois: { ...whois, statuses: ['ok', {}, 'hold'] }, website: [] },
    })
    expect(event.unreadableCount).toBe(9)
    expect(event.comments).toEqual([...(EVENT.comments ?? []), {}])
    expect(event.observedData?.whois?.statuses).toEqual(['ok', 'hold'])
    expect(event.domain).toBe(EVENT.domain)
    expect(event.criticality).toBeUndefined()
  })

  it('counts all its unreadable parts', () => {
    const { value } = readResponse(decodeEvent('e'), { id: 'e', comments: Array(50_000).fill(7) })
    expect(value.comments).toBeUndefined()
    expect(value.unreadableCount).toBe(50_000)
  })

  it.each([
    {
      content: 'a deep unknown field',
      json: `{"domain":"x.example","deep":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`,
    },
    {
      content: 'a deep known field',
      json: `{"domain":"x.example","brand":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    },
    {
      content: '__proto__',
      json: '{"domain":"x.example","__proto__":{"id":"evil"},"observed_data":{"__proto__":{"whois":{}}}}',
    },
  ])('can be read with $content', async ({ json }) => {
    await using vendor = await startVendor((response) => void response.end(json))
    const { threats } = vendor.api()
    const event = await threats.get('t')
    expect(event.domain).toBe('x.example')
    expect(event.id).toBeUndefined()
  })
  it('isn’t found under a hostile ID, and no other path is requested', async () => {
    await using vendor = await startVendor((response) => reply(response, errorObject('NOT_FOUND'), 404))
    const { threats } = vendor.api()
    for (const id of ['..', '../../auth/v1/tokens', 'a/b', '%2e%2e', 'x\r\ny', 'a?b#c', 'x'.repeat(9_000)])
      expect(await catchFailure(threats.get(id)), id).toMatchObject({ kind: 'not-found' })
    expect(vendor.seen).toHaveLength(4)
    for (const { url } of vendor.seen) expect(url).toMatch(/^\/cti\/v2\/events\/[^/?#]+$/)
  })
})
