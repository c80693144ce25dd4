import { describe, expect, it } from 'vitest'
import { age } from '../../src/blocks/dates.ts'

const NOW = new Date('2026-11-20T12:00:00Z')

describe('an age', () => {
  it.each([
    ['2026-11-20T11:59:01Z', 'less than a minute'],
    ['2026-11-20T11:59:00Z', '1 minute'],
    ['2026-11-20T09:59:00Z', '2 hours'],
    ['2026-11-19T12:00:00Z', '1 day'],
    ['2025-11-20T12:00:00Z', '365 days'],
    ['2024-11-21T12:00:00Z', '729 days'],
    ['2024-11-19T12:00:00Z', '2 years'],
    ['2021-03-01T00:00:00Z', '5 years'],
    ['2027-01-01T00:00:00Z', 'less than a minute'],
  ])('of %s is %s', (date, said) => {
    expect(age(new Date(date), NOW)).toBe(said)
  })
})
