import { MINUTE_MS, parseDuration } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { parseMoment } from '../../src/domain/typed-moment.ts'
import { toWallTime } from '../../src/domain/zoned-time.ts'
import { readSource } from '../source-files.ts'

const ZONE = 'Europe/Paris'
const NOW = new Date('2026-11-24T10:00:00+01:00')
const page = readSource('docs/dates-and-times.md')
const examples = (meaning: string) => [
  ...page.matchAll(new RegExp(`^\\| \`([^\`]+)\` \\| (${meaning}) \\|$`, 'gm')),
]

const twoDigits = (count: number): string => String(count).padStart(2, '0')

it('parses dates and times as documented', () => {
  const moments = examples('\\d{4}-.*')
  expect(moments.length).toBeGreaterThan(10)
  for (const [, typed = '', expected] of moments) {
    const at = parseMoment(typed, NOW, ZONE)
    const { year, month, day, hour, minute } = toWallTime(at ?? new Date(Number.NaN), ZONE)
    expect(
      `${year}-${twoDigits(month)}-${twoDigits(day)} ${twoDigits(hour)}:${twoDigits(minute)}`,
      typed,
    ).toBe(expected)
  }
})

it('parses durations as documented', () => {
  const durations = examples('\\d+')
  expect(durations.length).toBeGreaterThan(5)
  for (const [, typed = '', minutes] of durations)
    expect(parseDuration(typed), typed).toBe(Number(minutes) * MINUTE_MS)
})

it('rejects what the page says isn’t supported', () => {
  const [, listed = ''] = /^These don't work: (.*)$/m.exec(page) ?? []
  const unsupported = [...listed.matchAll(/`([^`]+)`/g)].map(([, typed = '']) => typed)
  expect(unsupported).not.toEqual([])
  for (const typed of unsupported) {
    expect(parseMoment(typed, NOW, ZONE), typed).toBeUndefined()
    expect(parseDuration(typed), typed).toBeUndefined()
  }
})
