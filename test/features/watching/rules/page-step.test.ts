import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPageSteps, parsePageSteps } from '../../../../src/features/watching/rules/page-step.ts'

describe('the steps of a page', () => {
  it.each([
    { typed: '10m @on-call', written: '10m @on-call' },
    { typed: '10m @on-call, 30m @lead', written: '10m @on-call, 30m @lead' },
    { typed: '5m @a,10m @b, 1h @c d', written: '5m @a, 10m @b, 60m @c @d' },
    { typed: '10 min @a, 1h 30m @b', written: '10m @a, 90m @b' },
    { typed: '1 hour 30 minutes b', written: '90m @b' },
  ])('typed as $typed are written as $written', ({ typed, written }) => {
    expect(formatPageSteps(parsePageSteps(typed))).toBe(written)
  })

  it.each([
    { typed: '@a after 5 min', expected: 'needs how long to wait and whom to page' },
    { typed: 'after 10 min @a', expected: 'needs how long to wait and whom to page' },
    { typed: '@a after', expected: 'needs how long to wait and whom to page' },
    { typed: 'none', expected: 'To page nobody, leave it out' },
    { typed: '10m', expected: 'needs how long to wait and whom to page' },
    { typed: '10m @a 30m @b', expected: 'more steps after commas' },
    { typed: '10 @a', expected: 'needs how long to wait and whom to page' },
    { typed: '10m @a, 10m @b', expected: 'each step to wait longer' },
    { typed: '1m @a', expected: 'from 5m to 24h' },
    { typed: '5m @a, 6m @b, 7m @c, 8m @d, 9m @e, 10m @f', expected: 'up to 5 steps' },
  ])('can’t be $typed', ({ typed, expected }) => {
    expect(() => parsePageSteps(typed)).toThrow(expected)
  })

  it('are read as windows write them', () => {
    const name = fc.constantFrom('@on-call', '@after', '@lead', '@24x7')
    const step = fc.record({
      afterMs: fc.integer({ min: 5, max: 24 * 60 }).map((minutes) => minutes * 60_000),
      responders: fc.array(fc.record({ name }), { minLength: 1, maxLength: 5 }),
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(step, { minLength: 1, maxLength: 5, selector: ({ afterMs }) => afterMs }),
        (unsorted) => {
          const steps = unsorted.toSorted((one, other) => one.afterMs - other.afterMs)
          expect(parsePageSteps(formatPageSteps(steps))).toEqual(steps)
        },
      ),
    )
  })
})
