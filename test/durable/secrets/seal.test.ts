import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { createSealedState, createSealer } from '../../../packages/durable/src/secrets/seal.ts'
import { KEY_A, KEY_B } from '../../databases/databases.ts'

const sealer = createSealer(parseKeys(KEY_A))
const ROW = ['connection', 'T1', 'ote'] as const
const sealed = sealer.seal('canary-token', ROW)

describe('sealed text', () => {
  it('decrypts to the original text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (text, row) => {
        expect(sealer.open(sealer.seal(text, ['table', ...row]), ['table', ...row])).toBe(text)
      }),
    )
  })

  it('that an earlier version wrote still decrypts', () => {
    const stored = 'v1.a.rjgVFZFnSIXlSjqHd1C76RMIVRUYkvFUUQz4I5XKBWPHdsM-XyoLrQ'
    expect(sealer.open(stored, ROW)).toBe('canary-token')
  })

  it('that can’t be decrypted is reported with its row, and other texts aren’t', () => {
    const reported: unknown[] = []
    const watched = createSealer(parseKeys(KEY_A), (row, { kind }) => reported.push([row, kind]))
    watched.open(sealed, ROW)
    expect(() => watched.open(`${sealed}A`, ROW)).toThrow('altered or moved')
    expect(reported).toEqual([[ROW, 'rejected']])
  })

  it('starts with the version and the key ID, and differs every time', () => {
    expect(sealed).toMatch(/^v1\.a\.[A-Za-z0-9_-]+$/)
    expect(sealer.seal('canary-token', ROW)).not.toBe(sealed)
  })

  it.each([
    { otherRow: ['connection', 'T2', 'ote'] as const },
    { otherRow: ['connection', 'T1', 'production'] as const },
    { otherRow: ['draft', 'T1', 'ote'] as const },
    { otherRow: ['connection', 'T1ote'] as const },
    { otherRow: ['connection', 'T1","ote'] as const },
    { otherRow: ['connection'] as const },
  ])('can be decrypted only for its own row, not for $otherRow', ({ otherRow }) => {
    expect(() => sealer.open(sealed, otherRow)).toThrow(expect.objectContaining({ kind: 'rejected' }))
  })

  it('is encrypted with the first key, and can be decrypted with any configured key', () => {
    const withBothKeys = createSealer(parseKeys(`${KEY_B},${KEY_A}`))
    expect(withBothKeys.open(sealed, ROW)).toBe('canary-token')
    expect(withBothKeys.seal('x', ROW)).toMatch(/^v1\.b\./)
  })

  it('can’t be decrypted with another key, even one with the same ID', () => {
    const otherSealer = createSealer(parseKeys(KEY_B))
    expect(() => otherSealer.open(sealed, ROW)).toThrow(expect.objectContaining({ kind: 'unknown-key' }))
    const sameId = createSealer(parseKeys(KEY_B.replace('b:', 'a:')))
    expect(() => sameId.open(sealed, ROW)).toThrow(expect.objectContaining({ kind: 'rejected' }))
  })

  it('can’t be decrypted if any bit was changed', () => {
    const [, , body = ''] = sealed.split('.')
    const bytes = Buffer.from(body, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes)
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const text = `v1.a.${altered.toString('base64url')}`
      expect(() => sealer.open(text, ROW)).toThrow(expect.objectContaining({ kind: 'rejected' }))
    }
  })

  it('can’t be decrypted if it was truncated, even by part of its tag', () => {
    const [, , body = ''] = sealed.split('.')
    const bytes = Buffer.from(body, 'base64url')
    for (let length = 0; length < bytes.length; length++) {
      const text = `v1.a.${bytes.subarray(0, length).toString('base64url')}`
      expect(() => sealer.open(text, ROW)).toThrow(expect.objectContaining({ name: 'SealError' }))
    }
  })

  it.each(['', 'canary-token', 'v1', 'v1.a', 'v1.a.', 'v3.a.AAAA', `v1.a b.${'A'.repeat(60)}`, `${sealed}=`])(
    'is malformed as %j',
    (text) => {
      expect(() => sealer.open(text, ROW)).toThrow(expect.objectContaining({ kind: 'malformed' }))
    },
  )

  it('doesn’t appear in error messages', () => {
    for (const text of [`${sealed}=`, sealed.slice(0, -2), sealed.replace('.a.', '.c.')]) {
      expect(() => sealer.open(text, ROW)).toThrow(/^(?!.*(canary|v1\.))/)
    }
  })
})

it('seals state that opens until it expires, and only for what it’s bound to', () => {
  const state = createSealedState(sealer)
  const text = state.seal({ n: 1 }, ['V1'], new Date(1000))
  expect(state.open(text, ['V1'], new Date(999))).toEqual({ n: 1 })
  expect(state.open(text, ['V1'], new Date(1000))).toBeUndefined()
  expect(state.open(text, ['V2'], new Date(999))).toBeUndefined()
})
