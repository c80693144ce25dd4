import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findPerson } from '../../../src/bot/access/actor.ts'
import { toZoned } from '../../../src/domain/dates/zoned.ts'
import {
  describeFilters,
  FILTER_FLAGS,
  formatFilters,
  parseFilters,
  parseWhen,
} from '../../../src/features/audit/parse.ts'
import { changeLine } from '../../../src/features/audit/views/audit.ts'
import { ANY_CHARACTER } from '../../any-character.ts'
import { readTyped } from '../../read-typed.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const VERBS = [
  { command: 'hc', verb: '' },
  { command: 'hc', verb: 'edit' },
  { command: 'cert-order', verb: '' },
  { command: 'cert-order', verb: 'edit' },
]
const ZONED = toZoned(NOW, 'UTC')
const parseLine = (typed: string) =>
  parseFilters(readTyped(typed, { slots: [], flags: FILTER_FLAGS }), VERBS, NOW, 'UTC')

describe('the time filter', () => {
  it.each([
    { typed: '2026-11-20', from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' },
    { typed: '2026-11-20 14:05', from: '2026-11-20T14:05:00.000Z' },
    { typed: '2026-11-20T14:05:06.007Z', from: '2026-11-20T14:05:06.007Z' },
    { typed: '90m', from: '2026-11-20T10:30:00.000Z' },
    { typed: '12H', from: '2026-11-20T00:00:00.000Z' },
    { typed: '2w', from: '2026-11-06T12:00:00.000Z' },
    { typed: 'yesterday', from: '2026-11-19T00:00:00.000Z', to: '2026-11-20T00:00:00.000Z' },
  ])('can be typed as $typed', ({ typed, from, to = from }) => {
    expect(parseWhen('from', typed, ZONED).toISOString()).toBe(from)
    expect(parseWhen('to', typed, ZONED).toISOString()).toBe(to)
  })

  it.each(['2026-02-31', '2026-13-01', '2026-11-20 25:00', 'soon', ''])('can’t be typed as %s', (typed) => {
    expect(() => parseWhen('from', typed, ZONED)).toThrow(/^(?:needs a day or time such as|There is no)/)
  })

  it('rejects an end before the start', () => {
    expect(() => parseLine('--from 2026-11-20 --to 2026-11-18')).toThrow('must be before')
  })
})

describe('the --verb filter', () => {
  it.each([
    { typed: 'edit', verb: '/hc edit' },
    { typed: '"/cert-order reject"', verb: '/cert-order reject' },
    { typed: '"cert-order reject"', verb: '/cert-order reject' },
    { typed: 'HC', verb: '/hc' },
    { typed: '"/x-hc edit"', verb: '/hc edit' },
    { typed: '"/x-Cert-Order reject"', verb: '/cert-order reject' },
    { typed: '/xhc-edit', verb: '/xhc-edit' },
    { typed: 'audit.retention', verb: 'audit.retention' },
  ])('is parsed as $verb if typed as $typed', ({ typed, verb }) => {
    expect(parseLine(`--verb ${typed}`)).toEqual({ verb })
  })
})

it('restores filters from a button', () => {
  const text = fc.string({ minLength: 1, unit: ANY_CHARACTER })
  fc.assert(
    fc.property(text, fc.date({ min: new Date(0), max: NOW, noInvalidDate: true }), (object, from) => {
      const filters = { verb: '/hc edit', object, from, to: NOW }
      fc.pre(from < NOW)
      expect(parseLine(formatFilters(filters))).toEqual(filters)
    }),
  )
})

it('describes filters in words', () => {
  expect(describeFilters({ userId: 'U0MEMBER01', object: 'web', from: NOW })).toBe(
    'by U0MEMBER01, object with “web”, from 2026-11-20 12:00 UTC',
  )
  expect(describeFilters({})).toBe('')
})

describe('the change in an audit row', () => {
  it.each([
    { before: { a: 1, b: 'x' }, after: { a: 2, b: 'x' }, expectedText: 'a: 1 → 2' },
    {
      before: undefined,
      after: { name: 'web', people: ['ann', 'bo'] },
      expectedText: 'name: web; people: ann, bo',
    },
    { before: { name: 'web' }, after: undefined, expectedText: 'name: was web' },
    { before: ['C1'], after: [], expectedText: 'C1 → none' },
    { before: undefined, after: undefined, expectedText: '' },
    { before: undefined, after: { deep: { x: { y: 1 } } }, expectedText: 'deep: (x: (y: 1))' },
  ])('is shown as “$expectedText”', ({ before, after, expectedText }) => {
    expect(changeLine(before, after)).toBe(expectedText)
  })

  it('is always shown on one line of at most 400 characters', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const line = changeLine(before, after)
        expect(line.length).toBeLessThanOrEqual(400)
        expect(line).not.toMatch(/[\n\r\u202e]/)
      }),
    )
  })
})

describe('the person filter', () => {
  const person = { email: undefined, teamId: 'T1', teamIds: ['T1'], isAdmin: false, isGuest: false }
  const member = { ...person, isDeactivated: false, isBot: false }
  async function* members() {
    yield { ...member, userId: 'U000001', handle: 'ann', name: 'Ann' }
    yield { ...member, userId: 'U000002', handle: 'bo1', name: 'Bo' }
    yield { ...member, userId: 'U000003', handle: 'bo2', name: 'Bo' }
    yield { ...member, userId: 'U000004', handle: 'ursula', name: 'Ursula' }
  }
  const findTyped = (typed: string) => findPerson({ members }, typed)

  it.each([
    { typed: '@ann', userId: 'U000001' },
    { typed: 'ANN', userId: 'U000001' },
    { typed: '@U0MEMBER01', userId: 'U0MEMBER01' },
    { typed: 'bo2', userId: 'U000003' },
    { typed: 'URSULA', userId: 'U000004' },
    { typed: 'UABCDEFGH', userId: 'UABCDEFGH' },
    { typed: 'system', userId: 'system' },
  ])('finds $userId if typed as $typed', async ({ typed, userId }) => {
    expect(await findTyped(typed)).toBe(userId)
  })

  it('is rejected if nobody or more than one person matches', async () => {
    await expect(findTyped('Bo')).rejects.toThrow(
      'Several people are named Bo: @bo1 (U000002), @bo2 (U000003)',
    )
    await expect(findTyped('cy')).rejects.toThrow('No one here is named @cy')
  })
})
