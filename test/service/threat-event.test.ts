import { describe, expect, it } from 'vitest'
import { decodeEvent } from '../../src/service/threat-event.ts'
import { readResponse } from './reading.ts'
import { createClient, PRODUCTION, startVendor } from './vendor.ts'

const BODY = {
  id: '5f0f7a38-7d4e-4f0c-a9cf-4a7f5a0d9f10',
  date: '2026-01-02T03:04:05.678Z',
  type: 'DOMAIN_REPORTED',
  brand: { id: '12', name: 'Shop', monitored_since: '2020-01-01T00:00:00Z', grouping_key: 'shop' },
  domain: 'sh0p.example',
  criticality: { level: 'HIGH', name: 'High' },
  comments: [{ content: 'looks bad', date: '2026-01-03T00:00:00Z' }],
  customer_id: 1000,
  observed_data: {
    dns_records: [
      {
        country_code: 'NL',
        ip: '192.0.2.7',
        name: 'sh0p.example',
        type: 'A',
        autonomous_system_info: { as_number: '64500', as_organization: 'Example Net' },
      },
    ],
    whois: {
      owner_name: 'n',
      owner_email: 'o@example.net',
      owner_organisation: 'org',
      registrar_name: 'r',
      statuses: ['ok', 'clientHold'],
      creation_date: '2025-01-01T00:00:00Z',
      updated_date: '2025-02-01T00:00:00Z',
      expiration_date: '2027-01-01T00:00:00Z',
      resource_url: 'https://api.example.com/whois',
    },
    website: {
      page_title: 't',
      page_description: 'd',
      origin_url: 'https://a.example',
      final_url: 'https://b.example',
      redirection_types: ['HTTP'],
      screenshot_resource_url: 'https://api.example.com/shot.png',
      source_resource_url: 'https://api.example.com/source',
    },
  },
}

const EVENT = {
  id: BODY.id,
  date: new Date('2026-01-02T03:04:05.678Z'),
  type: 'DOMAIN_REPORTED',
  brand: { id: 12, name: 'Shop', monitoredSince: new Date('2020-01-01T00:00:00Z'), groupingKey: 'shop' },
  domain: 'sh0p.example',
  criticality: { level: 'HIGH', name: 'High' },
  comments: [{ content: 'looks bad', date: new Date('2026-01-03T00:00:00Z') }],
  customerId: 1000,
  observedData: {
    dnsRecords: [
      {
        countryCode: 'NL',
        ip: '192.0.2.7',
        name: 'sh0p.example',
        type: 'A',
        autonomousSystem: { number: '64500', organization: 'Example Net' },
      },
    ],
    whois: {
      ownerName: 'n',
      ownerEmail: 'o@example.net',
      ownerOrganisation: 'org',
      registrarName: 'r',
      statuses: ['ok', 'clientHold'],
      creationDate: new Date('2025-01-01T00:00:00Z'),
      updatedDate: new Date('2025-02-01T00:00:00Z'),
      expirationDate: new Date('2027-01-01T00:00:00Z'),
      resourceUrl: 'https://api.example.com/whois',
    },
    website: {
      pageTitle: 't',
      pageDescription: 'd',
      originUrl: 'https://a.example',
      finalUrl: 'https://b.example',
      redirectionTypes: ['HTTP'],
      screenshotResourceUrl: 'https://api.example.com/shot.png',
      sourceResourceUrl: 'https://api.example.com/source',
    },
  },
  unreadableCount: 0,
  unexpectedValues: [],
}

describe('a threat event', () => {
  it.each([
    { variant: 'bare', body: BODY },
    { variant: 'with unknown fields', body: { ...BODY, extra: { brand: 1 }, constructor: 1 } },
  ])('is read $variant', ({ body }) => {
    expect(readResponse(decodeEvent, body).value).toEqual(EVENT)
  })

  it.each([
    { variant: 'nothing', body: {} },
    { variant: 'nulls', body: { id: null, brand: null, comments: null, observed_data: null } },
  ])('can contain $variant', ({ body }) => {
    expect(readResponse(decodeEvent, body).value).toEqual({
      unreadableCount: 0,
      unexpectedValues: [],
    })
  })

  it('lists its fields with the wrong type, and keeps their values', () => {
    const { whois } = BODY.observed_data
    const { value: event } = readResponse(decodeEvent, {
      ...BODY,
      date: 'yesterday',
      brand: { ...BODY.brand, id: 'twelve' },
      criticality: 'HIGH',
      comments: [...BODY.comments, 7, null, { content: {} }],
      observed_data: { dns_records: 'none', whois: { ...whois, statuses: ['ok', {}, 'hold'] }, website: [] },
    })
    expect(event.unreadableCount).toBe(9)
    expect(event.unexpectedValues.map(({ path }) => path)).toEqual([
      'date',
      'brand.id',
      'criticality',
      'observed_data.whois.statuses[1]',
      'observed_data.website',
      'comments[1]',
      'comments[2]',
      'comments[3].content',
      'observed_data.dns_records',
    ])
    expect(event.comments).toEqual([...EVENT.comments, {}])
    expect(event.observedData?.whois?.statuses).toEqual(['ok', 'hold'])
    expect(event.domain).toBe(EVENT.domain)
    expect(event.criticality).toBeUndefined()
    expect(event.unexpectedValues.map(({ text }) => text)).toEqual([
      'yesterday',
      'twelve',
      'HIGH',
      '{}',
      '[]',
      '7',
      'null',
      '{}',
      'none',
    ])
  })

  it('counts all its unreadable parts, and lists the first 100', () => {
    const { value } = readResponse(decodeEvent, { comments: Array(50_000).fill(7) })
    expect(value.comments).toBeUndefined()
    expect(value.unreadableCount).toBe(50_000)
    expect(value.unexpectedValues).toHaveLength(100)
    expect(value.unexpectedValues.at(-1)?.path).toBe('comments[99]')
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
      content: '5,000 DNS records',
      json: JSON.stringify({
        domain: 'x.example',
        observed_data: { dns_records: Array(5_000).fill(BODY.observed_data.dns_records[0]) },
      }),
    },
    {
      content: '10,000 comments',
      json: JSON.stringify({ domain: 'x.example', comments: Array(10_000).fill({ content: 'c' }) }),
    },
    {
      content: 'a WHOIS of 2 MB',
      json: JSON.stringify({
        domain: 'x.example',
        observed_data: { whois: { owner_name: 'w'.repeat(2_000_000) } },
      }),
    },
    {
      content: '__proto__',
      json: '{"domain":"x.example","__proto__":{"id":"evil"},"observed_data":{"__proto__":{"whois":{}}}}',
    },
  ])('can be read with $content', async ({ json }) => {
    await using vendor = await startVendor((response) => void response.end(json))
    await using service = createClient(vendor.url)
    const { threats } = service.with(PRODUCTION)
    const event = await threats.get('t')
    expect(event.domain).toBe('x.example')
    expect(event.id).toBeUndefined()
  })
})
