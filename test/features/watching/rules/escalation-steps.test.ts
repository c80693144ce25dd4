import { describe, expect, it } from 'vitest'
import {
  formatEscalation,
  parseEscalation,
} from '../../../../src/features/watching/rules/escalation-steps.ts'

describe('escalation steps', () => {
  it.each([
    ['10m @oncall, 30m @lead', '10m @oncall, 30m @lead'],
    ['10m oncall', '10m @oncall'],
    ['1h 30m @lead @ann', '90m @lead @ann'],
    ['5m @a,10m @b,  1h @c', '5m @a, 10m @b, 60m @c'],
  ])('can be typed as "%s"', (typed, written) => {
    const steps = parseEscalation(typed)
    expect(formatEscalation(steps)).toBe(written)
    expect(parseEscalation(written)).toEqual(steps)
  })

  it.each([
    '',
    '@oncall',
    '10m',
    '10m @a, 5m @b',
    '10m @a, 10m @b',
    '1m @a, 2m @b, 3m @c, 4m @d',
    '10m @a @b @c @d @e @f',
    '25h @a',
    'soon @a',
    `10m @${'a'.repeat(100)}`,
  ])('can’t be typed as "%s"', (typed) => {
    expect(() => parseEscalation(typed)).toThrow(/^takes 1 to 3 steps|^needs waiting times/)
  })
})
