import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { makeKeyText, parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { KEY_A, KEY_B } from '../../databases/databases.ts'

const BYTES = Buffer.alloc(32, 'canary')
const BASE64 = BYTES.toString('base64')

describe('the encryption keys', () => {
  it.each([
    { text: `k1:${BASE64}`, ids: ['k1'] },
    { text: ` k1:${BASE64} \n`, ids: ['k1'] },
    { text: `k1:${BASE64.replace('=', '')}`, ids: ['k1'] },
    { text: `k1:${BYTES.toString('base64url')}`, ids: ['k1'] },
    { text: `${KEY_B}, ${KEY_A}`, ids: ['b', 'a'] },
    { text: `${KEY_B}\r\n${KEY_A}\r\n`, ids: ['b', 'a'] },
    { text: `${KEY_B},\n\n${KEY_A}`, ids: ['b', 'a'] },
  ])('can be parsed from $text', ({ text, ids }) => {
    const ring = parseKeys(text)
    expect([...ring.byId.keys()]).toEqual(ids)
    expect(ring.primary.id).toBe(ids[0])
    expect(ring.primary.secret.symmetricKeySize).toBe(32)
  })

  it.each([
    ['nothing', '', /Entry 1 .* is empty/],
    ['an extra comma', `${KEY_A},`, /Entry 2 .* is empty/],
    ['no ID', BASE64, /Entry 1 .* has no colon/],
    ['an empty ID', `:${BASE64}`, /Entry 1 .* id/],
    ['ID and key swapped', `${BASE64}:k1`, /Entry 1 .* id/],
    ['a space in the ID', `k 1:${BASE64}`, /Entry 1 .* id/],
    ['a long ID', `${'k'.repeat(33)}:${BASE64}`, /Entry 1 .* id/],
    ['a key of 16 bytes', `k1:${BYTES.toString('base64', 0, 16)}`, /Entry 1 .* 32 bytes/],
    ['a key of 33 bytes', `k1:${BASE64.slice(0, 43)}AAAA`, /Entry 1 .* 32 bytes/],
    ['a key in hex', `k1:${BYTES.toString('hex')}`, /Entry 1 .* 32 bytes/],
    ['a repeated ID', `${KEY_A},a:${BASE64}`, /Entry 2 .* has the same ID/],
    ['a repeated key', `${KEY_A},k2:${KEY_A.slice(2)}`, /Entry 2 .* has the same key/],
  ])('are rejected if there is %s, without showing them', (_fault, text, expectedError) => {
    const error = catchError(() => parseKeys(text))
    expect(error).toMatchObject({ name: 'StoreError', kind: 'bad-keys' })
    expect(String(error)).toMatch(expectedError)
    for (const secret of [BASE64, BASE64.slice(0, 16), BYTES.toString('hex'), KEY_A.slice(2)]) {
      expect(inspect(error)).not.toContain(secret)
    }
  })

  it('never appear in inspected objects or JSON', () => {
    const ring = parseKeys(`k1:${BASE64}`)
    expect(inspect(ring, { depth: 9, showHidden: true })).not.toContain(BASE64.slice(0, 12))
    expect(JSON.stringify(ring)).not.toContain(BASE64.slice(0, 12))
  })

  it('are different every time they are generated', () => {
    const generated = Array.from({ length: 20 }, () => parseKeys(makeKeyText()).primary)
    expect(new Set(generated.map(({ id }) => id)).size).toBe(20)
    expect(new Set(generated.map(({ secret }) => secret.export().toString('hex'))).size).toBe(20)
  })
})

function catchError(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
