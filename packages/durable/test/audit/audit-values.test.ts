import { describe, expect, it } from 'vitest'
import { toAuditJson, toAuditText } from '../../src/audit/row.ts'

it.each([
  { text: '', stored: '' },
  { text: 'x'.repeat(2000), stored: 'x'.repeat(2000) },
  { text: 'x'.repeat(2001), stored: `${'x'.repeat(2000)}… (clipped: 2001 characters)` },
  { text: `${'x'.repeat(1999)}🙂`, stored: `${'x'.repeat(1999)}… (clipped: 2001 characters)` },
  { text: 'a\0\ud800b', stored: 'a\ufffd\ufffdb' },
])(
  'a string for the audit log is sanitized, and truncated at 2,000 characters: case %#',
  ({ text, stored }) => {
    expect(toAuditText(text)).toBe(stored)
  },
)

describe('a value for the audit log', () => {
  it.each([
    {
      value: { b: 1, a: { d: [2, { f: 1, e: 0 }], c: null } },
      json: '{"a":{"c":null,"d":[2,{"e":0,"f":1}]},"b":1}',
    },
    { value: { at: new Date(0), gone: undefined }, json: '{"at":"1970-01-01T00:00:00.000Z"}' },
    { value: JSON.parse('{"__proto__":1}'), json: '{"__proto__":1}' },
    { value: [1.5, true, null, 'x'], json: '[1.5,true,null,"x"]' },
  ])('is serialized as JSON with sorted keys: case %#', ({ value, json }) => {
    expect(toAuditJson(value)).toBe(json)
  })

  it('is truncated, both each string and the whole JSON', () => {
    expect(toAuditJson({ name: 'x'.repeat(3000) })).toContain('… (clipped: 3000 characters)"}')
    const addresses = Array.from({ length: 500 }, (_, i) => `person-${i}@example.com`)
    expect(JSON.parse(toAuditJson(addresses))).toEqual(addresses)
    const huge = JSON.parse(toAuditJson(Array.from({ length: 5000 }, () => 'person@example.com')))
    expect(huge).toMatch(/^\["person@example.com".{1900,}… \(clipped: 105001 characters\)$/)
  })

  it.each([
    'token',
    'Token',
    'apiToken',
    'bot_token',
    'connection-tokens',
    'CLIENT_SECRET',
    'secret',
    'csr',
    'newCsr',
    'password',
    'Passwords',
  ])('is rejected if it has the key %s at any depth', (key) => {
    for (const secret of ['canary', 7, ['canary'], { deep: 'canary' }]) {
      expect(() => toAuditJson({ list: [{ [key]: secret }] })).toThrow(
        expect.objectContaining({ kind: 'bad-value', message: expect.not.stringContaining('canary') }),
      )
    }
    expect(toAuditJson({ [key]: true })).toBe(JSON.stringify({ [key]: true }))
    expect(toAuditJson({ [key]: null })).toBe(JSON.stringify({ [key]: null }))
  })

  it.each(['tokenAge', 'csrSubject', 'secretary', 'brokens', 'passwordless'])(
    'is accepted under the key %s',
    (key) => {
      expect(toAuditJson({ [key]: 'x' })).toBe(JSON.stringify({ [key]: 'x' }))
    },
  )

  it.each([undefined, () => 1, 1n, Symbol('s')])('is rejected if it is invalid JSON: case %#', (value) => {
    expect(() => toAuditJson(value)).toThrow(expect.objectContaining({ kind: 'bad-value' }))
  })

  it('is rejected if it’s nested too deeply', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)])
    expect(toAuditJson(nested(32))).toContain('"x"')
    expect(() => toAuditJson(nested(33))).toThrow(/more than 32 levels/)
    expect(() => toAuditJson(nested(5000))).toThrow(expect.objectContaining({ kind: 'bad-value' }))
  })
})
