import { describe, expect, it } from 'vitest'
import { decodeAlert, decodeAlerts } from '../../src/service/alerts.ts'
import { type Decode, decodeData, decodeDone, Unreadable } from '../../src/service/decode.ts'
import { decodeCheck, decodePage, type HealthCheck } from '../../src/service/health-checks.ts'
import { decodeEvent } from '../../src/service/threat-event.ts'
import { decodeActiveTokens, decodeGeneratedTokens } from '../../src/service/tokens.ts'
import { listFiles, readSource } from '../source-files.ts'
import { readResponse, toRead } from './reading.ts'

describe('a response with a success status', () => {
  const readsData: Decode<unknown> = decodeData(() => 'read')
  const accepts = (decode: Decode<unknown>, body: unknown): boolean =>
    readOrUndefined(() => readResponse(decode, body)) !== undefined
  const data = { uuid: 'u' }

  it.each([
    { error: { code: 'FORBIDDEN' }, data },
    { errors: 'No.', data },
    { errors: ['No.'], data },
    { message: 'ERROR', data },
    { message: '', data },
    { message: 'OK', errors: [{ code: 'A' }], data },
    { success: false },
    { status: 'error' },
    'ERROR',
    '',
    'null',
    '<title>Sign in</title>',
  ])('counts as an error if its body is %j', (body) => {
    expect(accepts(readsData, body)).toBe(false)
    expect(accepts(decodeDone, body)).toBe(false)
  })

  it.each([
    { message: 'OK', data },
    { message: ' ok ', errors: [], error: null, data },
    { message: 'OK', errors: {}, error: '', status: 'pending', data },
  ])('counts as a success if its body is %j', (body) => {
    expect(accepts(readsData, body)).toBe(true)
    expect(accepts(decodeDone, body)).toBe(true)
  })

  it.each([{ data }, { message: null, data }, { message: 7, data }, { data, success: true }])(
    'shows by its data that it was a success, but not that something was deleted: %j',
    (body) => {
      expect(accepts(readsData, body)).toBe(true)
      expect(accepts(decodeDone, body)).toBe(false)
    },
  )

  it('is a threat event if it has the ID that was asked for, whatever its other fields say', () => {
    const asked = decodeEvent('e')
    expect(readResponse(asked, { id: 'e', message: 'Pay now', error: 'x' }).value.id).toBe('e')
    expect(accepts(asked, { id: 'req-7', message: 'ERROR' })).toBe(false)
    expect(accepts(asked, { message: 'ERROR' })).toBe(false)
    expect(accepts(asked, { errors: [{ code: 'NOT_FOUND' }] })).toBe(false)
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
// Cast: the fields have only other names.
const CHECK = toRead(ROW) as HealthCheck

describe('a health check', () => {
  it.each([
    { variant: 'as typed', row: ROW, check: CHECK },
    {
      variant: 'with quoted numbers and booleans',
      row: { ...ROW, customer_id: '1000', port: '443', frequency: '60', verify_ssl: 'true' },
      check: CHECK,
    },
    { variant: 'with unknown fields', row: { ...ROW, region: 'eu', __proto__: { port: 1 } }, check: CHECK },
    {
      variant: 'with an unknown status',
      row: { ...ROW, status: 'PAUSED' },
      check: { ...CHECK, status: 'PAUSED' },
    },
    {
      variant: 'with parts of the wrong type',
      row: { ...ROW, port: {}, name: null, created_at: [], verify_ssl: 2 },
      check: { ...CHECK, port: undefined, name: '', createdAt: undefined, verifySsl: undefined },
    },
  ])('is read $variant', ({ row, check }) => {
    expect(readResponse(decodeCheck, { message: 'OK', data: row }).value).toEqual(check)
  })

  it('needs only a UUID', () => {
    expect(readResponse(decodeCheck, { data: { uuid: 'u' } }).value).toEqual({
      uuid: 'u',
      name: '',
      status: '',
    })
    for (const uuid of ['', 7, {}, null, undefined])
      expect(() => readResponse(decodeCheck, { data: { ...ROW, uuid } })).toThrow('data.uuid: missing')
  })
})

/** Values that replace a field of a row. Undefined removes the field. */
const ODD_VALUES = [
  undefined,
  null,
  '',
  ' ',
  'web',
  7,
  -1.5,
  '7',
  2 ** 60,
  true,
  'FALSE',
  {},
  [],
  '2026-01-02 03:04:05',
] as const

function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/** Returns the fields of a check that CHECK also has. */
const pickKnownFields = (check: HealthCheck) =>
  Object.fromEntries(Object.keys(CHECK).map((field) => [field, check[field as keyof HealthCheck]]))

describe('a page of a listing', () => {
  const data = { total: '2', results: [ROW, { ...ROW, uuid: null }] }

  it('leaves out an unreadable row, and reports the count and the row’s position', () => {
    const { value, issues } = readResponse(decodePage, { message: 'OK', data })
    expect(value).toMatchObject({ total: 2, results: [CHECK], unreadable: 1 })
    expect(issues).toMatchObject({ count: 1, paths: ['data.results[1].uuid'] })
  })

  it.each(Object.keys(ROW))('reads a row with an unexpected %s like a single check', (field) => {
    for (const oddValue of ODD_VALUES) {
      const row = { ...ROW, [field]: oddValue }
      const single = readOrUndefined(() => readResponse(decodeCheck, { data: row }))
      const listing = readOrUndefined(() => readResponse(decodePage, { data: { ...data, results: [row] } }))
      const [listed] = listing?.value.results ?? []
      expect(listed && pickKnownFields(listed), String(oddValue)).toEqual(
        single && pickKnownFields(single.value),
      )
      expect(listing?.issues.count).toBe(single?.issues.count ?? 1)
    }
  })

  it('lists every part that couldn’t be read', () => {
    const results = [ROW, 'row', { ...ROW, port: [], verify_ssl: 'maybe' }, { ...ROW, created_at: {} }]
    const { value, issues } = readResponse(decodePage, { data: { ...data, results } })
    expect(value).toMatchObject({ unreadable: 1 })
    expect(issues).toMatchObject({
      count: 4,
      paths: [
        'data.results[1]',
        'data.results[2].port',
        'data.results[2].verify_ssl',
        'data.results[3].created_at',
      ],
    })
  })

  it.each([
    { part: { total: 'many' }, fault: 'data.total: ' },
    { part: { total: -1 }, fault: 'data.total: ' },
    { part: { total: undefined }, fault: 'data.total: ' },
    { part: { results: {} }, fault: 'data.results: ' },
    { part: { results: undefined }, fault: 'data.results: ' },
  ])('is unreadable with $part', ({ part, fault }) => {
    expect(() => readResponse(decodePage, { data: { ...data, ...part } })).toThrow(fault)
  })
})

describe('alerts and tokens', () => {
  it('are read even with quoted IDs, unknown types, or unexpected recipients', () => {
    const rows = [
      { id: '7', type: 'EMAIL', recipients: ['a@example.com', 3] },
      { id: 8, type: 'SMS', recipients: null },
      { id: 9, type: 'EMAIL', recipients: 'b@example.com' },
      { id: 'x' },
    ]
    const { value, issues } = readResponse(decodeAlerts, { data: rows })
    expect(value).toEqual([
      { id: '7', type: 'EMAIL', recipients: ['a@example.com'], unreadable: 1 },
      { id: '8', type: 'SMS', recipients: [] },
      { id: '9', type: 'EMAIL', recipients: [], unreadable: 1 },
      { id: '', type: '', recipients: [], unreadable: 1 },
    ])
    expect(issues.paths).toEqual(['data[0].recipients[1]', 'data[2].recipients', 'data[3].id'])
  })

  it.each([
    // Rounded, it would be another alert's ID.
    { id: '9007199254740993', expectedId: '' },
    { id: '"123456789012345678901"', expectedId: '123456789012345678901' },
    { id: 'null', expectedId: '' },
    { id: '1.5', expectedId: '' },
  ])('are listed whatever their ID is: $id', ({ id, expectedId }) => {
    const alert = `{"id": ${id}, "type": "EMAIL", "recipients": ["a@example.com"]}`
    const expected = {
      id: expectedId,
      type: 'EMAIL',
      recipients: ['a@example.com'],
      ...(expectedId === '' && { unreadable: 1 }),
    }
    expect(readResponse(decodeAlerts, `{"data": [${alert}, "?"]}`).value).toEqual([
      expected,
      { id: '', type: '', recipients: [], unreadable: 1 },
    ])
    expect(readResponse(decodeAlert, `{"data": ${alert}}`).value).toEqual(expected)
  })

  it('are read even if times have no zone or parts are missing', () => {
    const rows = [
      { data: 'tok-1', created_at: '2026-01-02 03:04:05' },
      { data: 'tok-2' },
      { created_at: 'x' },
    ]
    expect(readResponse(decodeActiveTokens, { data: rows }).value).toEqual({
      tokens: [
        { token: 'tok-1', createdAt: '2026-01-02 03:04:05' },
        { token: 'tok-2', createdAt: '' },
      ],
      unreadable: 1,
    })
    expect(readResponse(decodeGeneratedTokens, { data: [{ token: 't', account_id: 12 }] }).value).toEqual([
      't',
    ])
  })

  it.each([{ data: [] }, { data: [{}] }, { data: {} }, {}])(
    'are unreadable if there is no generated token: %j',
    (body) => expect(() => readResponse(decodeGeneratedTokens, body)).toThrow(Unreadable),
  )
})

const LONG = '12345678901234567890'

it.each([LONG, `"${LONG}"`, '1e400'])(
  'a whole number that is too long for a double is unreadable where a number is expected: %s',
  (written) => {
    const { value, issues } = readResponse(decodeCheck, `{"data":{"uuid":"u","port":${written}}}`)
    expect(value.port).toBeUndefined()
    expect(issues).toMatchObject({ count: 1, paths: ['data.port'] })
  },
)

it('parses the service’s responses only in decode.ts', () => {
  const parsing = listFiles('src/service').filter((file) =>
    /\b(?:JSON\.parse|parseJson)\(|\.json\(\)/.test(readSource(file)),
  )
  expect(parsing).toEqual(['src/service/decode.ts'])
})

it('stops reading a list after 500 faulty rows, and counts every later row as unreadable', () => {
  const row = { uuid: 'u', port: {} }
  const results = [...Array(500).fill(row), { uuid: 'u' }, ...Array(3000).fill(row)]
  const { value, issues } = readResponse(decodePage, { data: { total: results.length, results } })
  expect([value.results.length, value.unreadable, issues.count]).toEqual([500, 3001, 3501])
  expect(() => readResponse(decodePage, { data: { total: 'many', results: [] } })).toThrow(Unreadable)
})
