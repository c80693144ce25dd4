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
  ])('can be parsed from $text', ({ text, ids }) => {
    const ring = parseKeys(text)
    expect([...ring.byId.keys()]).toEqual(ids)
    expect(ring.primary.id).toBe(ids[0])
    expect(ring.primary.secret.symmetricKeySize).toBe(32)
  })

  it.each([
    { fault: 'nothing', text: '', expectedError: /Entry 1 .* is empty/ },
    { fault: 'an extra comma', text: `${KEY_A},`, expectedError: /Entry 2 .* is empty/ },
    { fault: 'no ID', text: BASE64, expectedError: /Entry 1 .* has no colon/ },
    { fault: 'an empty ID', text: `:${BASE64}`, expectedError: /Entry 1 .* id/ },
    { fault: 'ID and key swapped', text: `${BASE64}:k1`, expectedError: /Entry 1 .* id/ },
    { fault: 'a space in the ID', text: `k 1:${BASE64}`, expectedError: /Entry 1 .* id/ },
    { fault: 'a long ID', text: `${'k'.repeat(33)}:${BASE64}`, expectedError: /Entry 1 .* id/ },
    {
      fault: 'a key of 16 bytes',
      text: `k1:${BYTES.toString('base64', 0, 16)}`,
      expectedError: /Entry 1 .* 32 bytes/,
    },
    {
      fault: 'a key of 33 bytes',
      text: `k1:${BASE64.slice(0, 43)}AAAA`,
      expectedError: /Entry 1 .* 32 bytes/,
    },
    { fault: 'a key in hex', text: `k1:${BYTES.toString('hex')}`, expectedError: /Entry 1 .* 32 bytes/ },
    { fault: 'a repeated ID', text: `${KEY_A},a:${BASE64}`, expectedError: /Entry 2 .* has the same ID/ },
    {
      fault: 'a repeated key',
      text: `${KEY_A},k2:${KEY_A.slice(2)}`,
      expectedError: /Entry 2 .* has the same key/,
    },
  ])('are rejected if there is $fault, without showing them', ({ text, expectedError }) => {
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
