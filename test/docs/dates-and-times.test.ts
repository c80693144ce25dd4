import { expect, it } from 'vitest'
import { parseDuration } from '../../src/domain/dates/duration.ts'
import { parseMoment } from '../../src/domain/dates/moment.ts'
import { parsePeriod, toPastDates } from '../../src/domain/dates/period.ts'
import { toZoned, type Zoned } from '../../src/domain/dates/zoned.ts'
import { formatMoment } from '../domain/dates/format-moment.ts'
import { readSource } from '../source-files.ts'

const NOW = toZoned(new Date('2026-11-24T10:00:00+01:00'), 'Europe/Paris')
const page = readSource('docs/dates-and-times.md')

/** The rows of a section's table, without their heading: what is typed, and what it means. */
function examples(heading: string): string[][] {
  const [, section = ''] =
    new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(page) ?? []
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) =>
    row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.replaceAll('`', '')),
  )
}

const format = (at: Zoned | 'now' | undefined): string | undefined =>
  at === undefined || at === 'now' ? at : formatMoment(at.withTimeZone(NOW.timeZoneId))

it('reads dates and times as documented', () => {
  const rows = examples('Dates and times of day')
  expect(rows.length).toBeGreaterThan(8)
  for (const [typed = '', expected] of rows) expect(format(parseMoment(typed, NOW)), typed).toBe(expected)
})

it('reads durations as documented', () => {
  const rows = examples('Durations')
  expect(rows.length).toBeGreaterThan(3)
  for (const [typed = '', minutes] of rows) expect(parseDuration(typed), typed).toBe(Number(minutes))
})

it('reads periods as documented', () => {
  const rows = examples('Periods in the past')
  expect(rows.length).toBeGreaterThan(5)
  for (const [typed = '', from, to] of rows) {
    const period = parsePeriod(typed, NOW)
    const dates = period && toPastDates(period, NOW, typed)
    expect(format(dates && toZoned(dates.from, NOW.timeZoneId)), typed).toBe(from)
    const end = dates && format(toZoned(dates.to, NOW.timeZoneId))
    expect(end === formatMoment(NOW) ? 'now' : end, typed).toBe(to)
  }
})
