import { describe, expect, it } from 'vitest'
import { editDistance } from '../../src/domain/edit-distance.ts'

describe('the edit distance', () => {
  it.each([
    { from: '', to: '', expected: 0 },
    { from: 'lst', to: 'list', expected: 1 },
    { from: 'liist', to: 'list', expected: 1 },
    { from: 'lost', to: 'list', expected: 1 },
    { from: 'lsit', to: 'list', expected: 1 },
    { from: 'kitten', to: 'sitting', expected: 3 },
  ])('is $expected from "$from" to "$to"', ({ from, to, expected }) => {
    expect(editDistance(from, to, 9)).toBe(expected)
    expect(editDistance(to, from, 9)).toBe(expected)
  })

  it('isn’t computed beyond its limit', () => {
    expect(editDistance('kitten', 'sitting', 2)).toBe(3)
    expect(editDistance('abc', 'xyz', 2)).toBe(3)
    expect(editDistance('x'.repeat(1_000_000), 'list', 2)).toBe(3)
  })
})
