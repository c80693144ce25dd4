import { describe, expect, it } from 'vitest'
import { auditJson, auditText } from '../../src/audit/row.ts'

describe('a text for the audit log', () => {
  it.each([
    { text: '', kept: '' },
    { text: 'x'.repeat(2000), kept: 'x'.repeat(2000) },
    { text: 'x'.repeat(2001), kept: `${'x'.repeat(2000)}… (clipped: 2001 characters)` },
    { text: `${'x'.repeat(1999)}🙂`, kept: `${'x'.repeat(1999)}… (clipped: 2001 characters)` },
    { text: 'a\0\ud800b', kept: 'a\ufffd\ufffdb' },
  ])('has no control characters and at most 2,000 characters: case %#', ({ text, kept }) => {
    expect(auditText(text)).toBe(kept)
  })
})

describe('a value for the audit log', () => {
  it.each([
    {
      value: { b: 1, a: { d: [2, { f: 1, e: 0 }], c: null } },
      json: '{"a":{"c":null,"d":[2,{"e":0,"f":1}]},"b":1}',
    },
    { value: { at: new Date(0), gone: undefined }, json: '{"at":"1970-01-01T00:00:00.000Z"}' },
    { value: JSON.parse('{"__proto__":1}'), json: '{"__proto__":1}' },
    { value: [1.5, true, null, 'x'], json: '[1.5,true,null,"x"]' },
  ])('is JSON with sorted keys: case %#', ({ value, json }) => {
    expect(auditJson(value)).toBe(json)
  })

  it('is shortened, each text and as a whole', () => {
    expect(auditJson({ name: 'x'.repeat(3000) })).toContain('… (clipped: 3000 characters)"}')
    const addresses = Array.from({ length: 500 }, (_, i) => `person-${i}@example.com`)
    expect(JSON.parse(auditJson(addresses))).toEqual(addresses)
    const huge = JSON.parse(auditJson(Array.from({ length: 5000 }, () => 'person@example.com')))
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
  ])('is rejected under the key %s, at any depth', (key) => {
    for (const secret of ['canary', 7, ['canary'], { deep: 'canary' }]) {
      expect(() => auditJson({ list: [{ [key]: secret }] })).toThrow(
        expect.objectContaining({ kind: 'bad-value', message: expect.not.stringContaining('canary') }),
      )
    }
    expect(auditJson({ [key]: true })).toBe(JSON.stringify({ [key]: true }))
    expect(auditJson({ [key]: null })).toBe(JSON.stringify({ [key]: null }))
  })

  it.each(['tokenAge', 'csrSubject', 'secretary', 'brokens', 'passwordless'])(
    'is accepted under the key %s',
    (key) => {
      expect(auditJson({ [key]: 'x' })).toBe(JSON.stringify({ [key]: 'x' }))
    },
  )

  it.each([undefined, () => 1, 1n, Symbol('s')])('is rejected if it is invalid JSON: case %#', (value) => {
    expect(() => auditJson(value)).toThrow(expect.objectContaining({ kind: 'bad-value' }))
  })

  it('is rejected if it’s nested too deeply', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)])
    expect(auditJson(nested(32))).toContain('"x"')
    expect(() => auditJson(nested(33))).toThrow(/more than 32 levels/)
    expect(() => auditJson(nested(5000))).toThrow(expect.objectContaining({ kind: 'bad-value' }))
  })
})
