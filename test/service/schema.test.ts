import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { parseDate } from '../../src/service/dates.ts'
import { boolean, count, date, number, text } from '../../src/service/schema.ts'
import { quickOrLong } from '../long.ts'

const SCHEMAS = { number, count, boolean, text }

/** Parses a value. Returns undefined if the schema rejects it, or if it is null. */
function parseValue<T>(schema: z.ZodType<T>, value: unknown): NonNullable<T> | undefined {
  const { data } = schema.safeParse(value)
  return data ?? undefined
}

describe('a value in a response', () => {
  it.each<[kind: keyof typeof SCHEMAS, value: unknown, expected: unknown]>([
    ['number', 443, 443],
    ['number', '443', 443],
    ['number', ' -7.5 ', -7.5],
    ['number', '', undefined],
    ['number', '0x10', undefined],
    ['number', 'Infinity', undefined],
    ['number', '9'.repeat(400), undefined],
    ['number', null, undefined],
    ['number', [1], undefined],
    ['count', 0, 0],
    ['count', '12', 12],
    ['count', -1, undefined],
    ['count', '1.5', undefined],
    ['count', null, undefined],
    ['boolean', true, true],
    ['boolean', false, false],
    ['boolean', 'true', true],
    ['boolean', 'False ', false],
    ['boolean', 1, undefined],
    ['boolean', null, undefined],
    ['text', 'x', 'x'],
    ['text', '', ''],
    ['text', 0, '0'],
    ['text', null, undefined],
    ['text', { toString: 'x' }, undefined],
  ])('is read as a %s: %j as %j', (kind, value, expected) => {
    expect(parseValue<unknown>(SCHEMAS[kind], value)).toBe(expected)
  })

  it.each([
    ['2026-03-04T05:06:07.890Z', '2026-03-04T05:06:07.890Z'],
    ['2026-03-04T05:06:07+02:00', '2026-03-04T03:06:07.000Z'],
    ['2026-03-04T05:06:07.123456Z', '2026-03-04T05:06:07.123Z'],
    ['2026-03-04 05:06:07', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T05:06:07', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
  ])('is read as a time: %j', (value, iso) => expect(parseValue(date, value)?.toISOString()).toBe(iso))

  it.each(['', '1', '2026-02-31T00:00:00.000Z', '2026-11-31', 1_700_000_000, null])(
    'isn’t read as a time: %j',
    (value) => expect(parseValue(date, value)).toBeUndefined(),
  )

  it('is read as the same time as by JavaScript’s Date, except for dates that don’t exist', () => {
    const digits = (length: number) =>
      fc.integer({ min: 0, max: 10 ** length - 1 }).map((n) => `${n}`.padStart(length, '0'))
    const dateParts = fc.tuple(
      digits(4),
      fc.integer({ min: 0, max: 13 }),
      ...[33, 25, 61, 61].map((max) => fc.integer({ min: 0, max })),
      digits(3),
    )
    fc.assert(
      fc.property(dateParts, ([year, month, day, hour, minute, second, ms]) => {
        const [m, d, h, i, s] = [month, day, hour, minute, second].map((n) => `${n}`.padStart(2, '0'))
        const text = `${year}-${m}-${d}T${h}:${i}:${s}.${ms}Z`
        const expected = new Date(text)
        const midnight = new Date(`${year}-${m}-${d}T00:00:00Z`)
        const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(8, 10) === d
        const isTime = !Number.isNaN(expected.getTime())
        expect(parseDate(text)).toEqual(isDay && isTime ? expected : undefined)
      }),
      { numRuns: quickOrLong('DATES', { quick: 500, long: 20_000 }) },
    )
  })

  it('isn’t read as a time if it only resembles one', () => {
    const template = '2026-01-02T03:04:05.678Z'
    for (let index = 0; index < template.length; index += 1) {
      const text = `${template.slice(0, index)}x${template.slice(index + 1)}`
      expect(parseDate(text), text).toBeUndefined()
    }
  })
})
