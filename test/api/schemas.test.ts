import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Alert, AlertAnswer, AlertsAnswer } from '../../src/api/alerts.ts'
import { HealthCheck, HealthCheckAnswer, PageAnswer } from '../../src/api/health-checks.ts'
import { ThreatAnswer } from '../../src/api/threats.ts'
import { ActiveToken, GeneratedAnswer, GeneratedToken, TokensAnswer } from '../../src/api/tokens.ts'

const SCHEMAS: Record<string, z.ZodType> = {
  HealthCheck,
  HealthCheckAnswer,
  PageAnswer,
  Alert,
  AlertAnswer,
  AlertsAnswer,
  ActiveToken,
  TokensAnswer,
  GeneratedToken,
  GeneratedAnswer,
  ThreatAnswer,
}

describe.each(Object.entries(SCHEMAS))('the schema %s', (_, schema) => {
  it('compiles as a whole', () => {
    expect(() => z.compile(schema, { strict: true })).not.toThrow()
  })

  it('reads or refuses any JSON, and never fails otherwise', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        schema.safeParse(value)
        schema.safeParse({ data: value, uuid: value, id: value, token: value, observed_data: value })
        schema.safeParse({
          data: [value],
          uuid: 'u',
          id: 1,
          observed_data: { dns_records: value, whois: value },
        })
      }),
    )
  })
})

const ROW = {
  uuid: '0b9f8c1e-3f0a-4d0e-9c55-0c9a5d1f7e11',
  name: 'shop',
  status: 'HEALTHY',
  customer_id: 1000,
  protocol: 'HTTPS',
  target: 'shop.example.com',
  port: 443,
  frequency: 60,
  created_at: '2026-01-02T03:04:05.678Z',
  created_by: 'ann',
  modified_at: '2026-01-03T03:04:05.678Z',
  modified_by: 'bob',
  http_server_address: '192.0.2.1',
  verify_ssl: true,
}
const CHECK = {
  uuid: ROW.uuid,
  name: 'shop',
  status: 'HEALTHY',
  customerId: 1000,
  protocol: 'HTTPS',
  target: 'shop.example.com',
  port: 443,
  frequency: 60,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  createdBy: 'ann',
  modifiedAt: new Date('2026-01-03T03:04:05.678Z'),
  modifiedBy: 'bob',
  httpServerAddress: '192.0.2.1',
  verifySsl: true,
}

describe('a health check', () => {
  it.each([
    { how: 'as typed', row: ROW, check: CHECK },
    {
      how: 'with quoted numbers and booleans',
      row: { ...ROW, customer_id: '1000', port: '443', frequency: '60', verify_ssl: 'true' },
      check: CHECK,
    },
    { how: 'with fields nobody knows', row: { ...ROW, region: 'eu', __proto__: { port: 1 } }, check: CHECK },
    {
      how: 'with a status nobody knows',
      row: { ...ROW, status: 'PAUSED' },
      check: { ...CHECK, status: 'PAUSED' },
    },
    {
      how: 'with parts of the wrong type',
      row: { ...ROW, port: {}, name: null, created_at: 'soon', verify_ssl: 2 },
      check: { ...CHECK, port: undefined, name: '', createdAt: undefined, verifySsl: undefined },
    },
  ])('is read $how', ({ row, check }) => {
    expect(HealthCheck.parse(row)).toEqual(check)
  })

  it('needs no more than a uuid', () => {
    expect(HealthCheck.parse({ uuid: 'u' })).toEqual({ uuid: 'u', name: '', status: '' })
    for (const uuid of ['', 7, null, undefined])
      expect(HealthCheck.safeParse({ ...ROW, uuid }).success).toBe(false)
  })
})

describe('a page', () => {
  const data = { total: '2', limit: '500', offset: 0, results: [ROW, { ...ROW, uuid: null }] }
  it('loses the row it cannot read, and counts it', () => {
    expect(PageAnswer.parse({ message: 'OK', data })).toEqual({
      total: 2,
      limit: 500,
      offset: 0,
      results: [CHECK],
      unreadable: 1,
    })
  })

  it.each([{ total: 'many' }, { total: -1 }, { total: undefined }, { results: {} }, { results: undefined }])(
    'is not read with %j',
    (part) => expect(PageAnswer.safeParse({ data: { ...data, ...part } }).success).toBe(false),
  )
})

describe('alerts and tokens', () => {
  it('are read with quoted ids, unknown types and odd recipients', () => {
    const rows = [
      { id: '7', type: 'EMAIL', recipients: ['a@example.com', 3] },
      { id: 8, type: 'SMS', recipients: null },
      { id: 'x' },
    ]
    expect(AlertsAnswer.parse({ data: rows })).toEqual([
      { id: 7, type: 'EMAIL', recipients: ['a@example.com'], unreadable: 1 },
      { id: 8, type: 'SMS', recipients: [] },
    ])
  })

  it('are read with zoneless times and missing parts', () => {
    const rows = [
      { data: 'tok-1', created_at: '2026-01-02 03:04:05' },
      { data: 'tok-2' },
      { created_at: 'x' },
    ]
    expect(TokensAnswer.parse({ data: rows })).toEqual([
      { token: 'tok-1', createdAt: new Date('2026-01-02T03:04:05Z'), createdAtText: '2026-01-02 03:04:05' },
      { token: 'tok-2', createdAt: undefined, createdAtText: '' },
    ])
    expect(GeneratedAnswer.parse({ data: [{ token: 't', account_id: 12 }] })).toEqual([
      { token: 't', accountId: '12' },
    ])
    expect(GeneratedAnswer.safeParse({ data: [] }).success).toBe(false)
  })
})
