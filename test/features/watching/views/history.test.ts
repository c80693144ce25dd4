import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { closeIncident, type Incident, openIncident } from '../../../../src/domain/outages/incident.ts'
import type { DayTotals } from '../../../../src/features/watching/rules/sum-history.ts'
import { historyView } from '../../../../src/features/watching/views/history.ts'
import { formatPercent } from '../../../../src/features/watching/views/words.ts'

const START = Date.UTC(2026, 10, 20)
const day = (index: number, downMs: number, { seenMs = DAY_MS, length = 1 } = {}): DayTotals => ({
  span: {
    from: new Date(START + index * DAY_MS),
    to: new Date(START + (index + length) * DAY_MS),
  },
  ...{ seenMs, countedMs: seenMs, downMs },
})

it.each([
  {
    days: [day(0, 0), day(1, 0, { seenMs: 0 }), day(2, HOUR_MS)],
    lines: ['Nov 20 🟩⬜🟥 Nov 22', '🟩 up · 🟥 down · ⬜ not seen', 'Nov 22: down 1 h'],
  },
  {
    days: [day(0, HOUR_MS, { length: 3 }), day(3, 0, { length: 2 })],
    lines: ['Nov 20 🟥🟩 Nov 24', '🟩 up · 🟥 down · ⬜ not seen', 'Nov 20 to Nov 22: down 1 h'],
  },
  {
    days: [day(0, 0, { seenMs: 0 }), day(1, HOUR_MS)],
    lines: ['Nov 20 ⬜🟥 Nov 21', '🟩 up · 🟥 down · ⬜ not seen', 'Nov 21: down 1 h'],
  },
  { days: [day(0, 0, { seenMs: 0 }), day(1, 0, { seenMs: 0 })], lines: [] },
  { days: [day(0, HOUR_MS)], lines: [] },
])('draws the days of a history: $lines', ({ days, lines }) => {
  const sums = day(0, HOUR_MS, { length: days.length })
  const totals = { ...sums, days, outages: 1, checks: [] }
  const { text, blocks } = historyView({
    ...{ totals, isGone: false },
    ...{ timeZone: 'UTC', period: 'last 7 days', environment: 'production', now: totals.span.to },
    isTruncated: false,
    isShortened: false,
  })
  expect(text.split('\n').filter((line) => /[🟩🟥⬜]|Nov/u.test(line) && !line.includes('<!date'))).toEqual(
    lines,
  )
  const menu = JSON.stringify(blocks).match(/"initial_option":\{[^}]*\}[^}]*\}/)?.[0]
  expect(menu).toContain('Last 7 days')
})

/** The text about one day in which one check was down. */
function tellDay(sums: DayTotals, incident: Incident, { outages = 0, isOnlyCheck = true } = {}): string {
  const { check } = incident
  const checks = [{ ...sums, check, outages, incidents: [{ ...incident, ...sums }] }]
  const totals = { ...sums, days: [sums], outages, checks }
  return historyView({
    ...{ totals, isGone: false, isTruncated: false, isShortened: false },
    ...{ timeZone: 'UTC', period: '24h', environment: 'production', now: sums.span.to },
    ...(isOnlyCheck && { check }),
  }).text
}

const CHECK = { uuid: 'u', name: 'shop' }

it('doesn’t say that there is no outage while one has just begun', () => {
  const sums = day(0, 0)
  const text = tellDay(sums, openIncident(CHECK, sums.span.to, 'i'), { isOnlyCheck: false })
  expect(text).toMatch(/^Down now, but no outages counted yet/)
  expect(text).toMatch(/shop: (?:uptime [^·]*)? · down since /)
  expect(text).not.toContain('down 0 s')
})

it('says of an outage that watching ended before its end only what was seen', () => {
  const sums = day(0, HOUR_MS)
  const outage = closeIncident(openIncident(CHECK, sums.span.from, 'i'), sums.span.to, 'unseen')
  expect(tellDay(sums, outage, { outages: 1 })).toMatch(/⚪ was seen down .*, for at least 1 h/)
})

it('counts an outage that began before the period, and says when people were paged and who took it', () => {
  const openedAt = new Date(START - HOUR_MS)
  const after = (minutes: number) => new Date(openedAt.getTime() + minutes * 60_000)
  const text = tellDay(day(0, HOUR_MS), {
    ...openIncident(CHECK, openedAt, 'i'),
    ...{ pagedAt: after(10), takenFirst: { by: 'U1', name: 'Ann', at: after(12) } },
  })
  expect(text).toMatch(/^shop: 1 outage, begun before/)
  expect(text).toMatch(
    /🔴 down since .*, for 1 h of this time · paged after 10 min · Ann took it after 12 min/,
  )
})

it.each([
  [1, '100%'],
  [0.99999, '> 99.99%'],
  [0.98619, '98.61%'],
  [0.00001, '< 0.01%'],
  [0, '0%'],
])('writes %f as %s, and never rounds to all or nothing', (share, text) => {
  expect(formatPercent(share)).toBe(text)
})

it('says the medians of the outages of which they are known, and of how much of a period it speaks', () => {
  const sums = day(0, HOUR_MS)
  const openedAt = sums.span.from
  const after = (minutes: number) => new Date(openedAt.getTime() + minutes * 60_000)
  const outages = [
    [10, 12],
    [20, undefined],
    [60, 4],
    [undefined, 90],
  ].map(([paged, taken]) => ({
    ...openIncident(CHECK, openedAt, 'i'),
    ...sums,
    ...(paged !== undefined && { pagedAt: after(paged) }),
    ...(taken !== undefined && { takenFirst: { by: 'U1', name: 'Ann', at: after(taken) } }),
  }))
  const tell = (incidents: typeof outages, seen = sums) =>
    historyView({
      totals: {
        ...{ ...seen, days: [seen], outages: incidents.length },
        checks: incidents.length > 0 ? [{ ...seen, check: CHECK, outages: incidents.length, incidents }] : [],
      },
      ...{ isGone: false, isTruncated: false, isShortened: false },
      ...{ timeZone: 'UTC', period: 'tonight', environment: 'production', now: sums.span.to },
    }).text
  expect(tell(outages)).toMatch(/Median until paged: 20 min \(3 of 4 outages\)/)
  expect(tell(outages)).toMatch(/Median until taken: 12 min \(3 of 4 outages\)/)
  expect(tell(outages.slice(0, 1))).not.toContain('Median')
  expect(tell([], day(0, 0))).toMatch(/^No outages · tonight/)
  expect(tell([], day(0, 0, { seenMs: HOUR_MS }))).toMatch(/^No outages in 1 h of watching/)
  expect(tell([], day(0, 0, { seenMs: 0 }))).toMatch(/^Signalman wasn’t watching, so outages are unknown/)
  expect(tell([], day(0, 24 * HOUR_MS, { seenMs: 0 }))).not.toContain('Observed')
})
