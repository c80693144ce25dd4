import { describe, expect, it } from 'vitest'
import { editDistance } from '../../src/domain/edit-distance.ts'

describe('the edit distance', () => {
  it.each([
    { from: '', to: '', is: 0 },
    { from: 'list', to: 'list', is: 0 },
    { from: 'list', to: '', is: 4 },
    { from: 'lst', to: 'list', is: 1 },
    { from: 'liist', to: 'list', is: 1 },
    { from: 'lost', to: 'list', is: 1 },
    { from: 'lsit', to: 'list', is: 1 },
    { from: 'kitten', to: 'sitting', is: 3 },
  ])('is $is from "$from" to "$to"', ({ from, to, is }) => {
    expect(editDistance(from, to, 9)).toBe(is)
    expect(editDistance(to, from, 9)).toBe(is)
  })

  it('isn’t computed beyond its limit', () => {
    expect(editDistance('kitten', 'sitting', 2)).toBe(3)
    expect(editDistance('abc', 'xyz', 2)).toBe(3)
    expect(editDistance('x'.repeat(1_000_000), 'list', 2)).toBe(3)
  })
})
