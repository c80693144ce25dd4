import { expect, it } from 'vitest'
import { zoneName } from '../../../../src/domain/dates/zoned.ts'
import type { CheckFacts, Outage, Unseen } from '../../../../src/domain/outages/outage.ts'
import { historyView } from '../../../../src/features/watching/views/history.ts'
import { formatPercent } from '../../../../src/features/watching/views/words.ts'
import { sumWithoutPauses } from '../models.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000)
const DAYS = 7
const WATCHED_MINUTES = 13

function createOutage(name: string, changes: Partial<Outage> = {}): Outage {
  const { startedAt = minutesAgo(WATCHED_MINUTES), endedAt } = changes
  return {
    id: name,
    check: { uuid: name, name },
    startedAt,
    isBaseline: false,
    downs: [{ from: startedAt, to: endedAt }],
    ...changes,
  }
}

/** Shows the history of a week of which only thirteen minutes were observed. */
function renderHistory(outages: readonly Outage[], check?: CheckFacts, page?: number, unseen?: Unseen) {
  const span = { from: minutesAgo(DAYS * 24 * 60), to: NOW }
  const totals = sumWithoutPauses(
    outages,
    [{ from: minutesAgo(WATCHED_MINUTES), to: NOW }],
    span,
    'UTC',
    check,
  )
  const latest = outages.toReversed()
  const options = { period: { days: DAYS }, timeZone: 'UTC', environment: 'production', now: NOW } as const
  return historyView({ totals, check, isTruncated: false, latest, page, unseen, ...options })
}

const renderText = (...args: Parameters<typeof renderHistory>): string => renderHistory(...args).text

const BASELINE_OUTAGE = createOutage('Bank', { startedAt: minutesAgo(WATCHED_MINUTES + 1), isBaseline: true })

it('says that a check was already down when watching began', () => {
  const text = renderText([BASELINE_OUTAGE], BASELINE_OUTAGE.check)
  for (const line of [
    'Outages: none new',
    'Already down: when watching began',
    'Total downtime: 13 min',
    'Observed: 13 min of 7 d',
    'Bank was up 0 % of the time that Signalman was watching',
  ])
    expect(text).toContain(line)
  expect(text).toMatch(/Longest: 13 min, seen from <!date.*2026-11-20 11:46.*, and still down/)
})

it('says only how checks were when they were last seen, if they can’t be seen now', () => {
  const unseen = { since: minutesAgo(3), failure: 'unreachable' } as const
  const of = (check?: CheckFacts) => renderText([createOutage('web')], check, undefined, unseen)
  const [all, one] = [of(), of(createOutage('web').check)]
  expect(all).toContain('Down when last seen: 1 health check')
  expect(one).toMatch(/⚫ down <!date.*, and when last seen \(/)
  expect(one).toMatch(/Longest: .*, and down when last seen/)
  for (const text of [all, one]) expect(text).not.toMatch(/still down|Down now|🔴/)
})

it('says in its first line how long Signalman was watching if nothing was down', () => {
  expect(renderText([])).toMatch(/^No outage in the 13 min that Signalman was watching · last 7 days\n/)
  expect(renderText([createOutage('web')])).toMatch(/^1 outage of 1 health check · last 7 days\n/)
})

it('counts new outages separately from those that began earlier', () => {
  const web = [5, 3].map((minutes) =>
    createOutage('web', { startedAt: minutesAgo(minutes), endedAt: minutesAgo(minutes - 1) }),
  )
  const text = renderText([
    createOutage('old', { startedAt: minutesAgo(30 * 24 * 60) }),
    BASELINE_OUTAGE,
    ...web,
  ])
  for (const line of [
    '2 outages of 1 health check',
    'Already down: 1 health check when watching began, 1 health check when this period began',
    'Bank: already down when watching began, down 13 min, uptime 0 %',
    'old: already down when this period began, down 13 min, uptime 0 %',
    'web: 2 outages, down 2 min',
  ])
    expect(text).toContain(line)
  expect(text).toMatch(/Longest: 13 min in this period, old, from /)
})

it('folds the checks that were only down since before watching began into one line', () => {
  const before = Array.from({ length: 12 }, (_, index) => ({
    ...BASELINE_OUTAGE,
    check: { ...BASELINE_OUTAGE.check, uuid: `b${index}`, name: `Bank ${index}` },
  }))
  const web = createOutage('web', { startedAt: minutesAgo(5), endedAt: minutesAgo(4) })
  const text = renderText([...before, web])
  expect(text).toMatch(/^12 were already down when watching began, <!date.*11:46.*>: Bank \d+, .* 7 more$/m)
  expect(text).toMatch(/^web: down <!date.*11:55.*>, up <!date.*11:56.*> \(1 min\), uptime /m)
  for (const words of ['Already down:', ': already down when watching began'])
    expect(text).not.toContain(words)
})

it('shows in one line when a check went down and up again, newest first', () => {
  const [first, second, third, latest] = [9, 7, 5, 2].map((minutes) =>
    createOutage('web', { startedAt: minutesAgo(minutes), endedAt: minutesAgo(minutes - 1) }),
  )
  if (!first || !second || !third || !latest) throw new Error('An outage is missing.')
  const open = { ...latest, endedAt: undefined }
  const times = (minutes: number) => `<!date.{0,60}11:${60 - minutes} UTC>`
  expect(renderText([first, second, third, open])).toMatch(
    new RegExp(
      `^web: 4 outages, .* · down ${times(2)}, still down \\(2 min\\) · down ${times(5)}, up ${times(4)} \\(1 min\\) · .* · and 1 earlier$`,
      'm',
    ),
  )
  const gone = { ...latest, ending: 'deleted' } as const
  const text = renderText(
    [{ ...BASELINE_OUTAGE, check: first.check, endedAt: minutesAgo(9) }, gone],
    first.check,
  )
  expect(text).toMatch(new RegExp(`^⚪ down ${times(2)}, deleted ${times(1)} \\(1 min\\)$`, 'm'))
  expect(text).toMatch(new RegExp(`^🟢 seen down ${times(14)}, up ${times(9)} \\(&gt; 5 min\\)$`, 'm'))
})

it('shows no outages for a check that was never down', () => {
  const text = renderText([], BASELINE_OUTAGE.check)
  expect(text).toContain('Outages: none\n')
  for (const words of ['Already down', 'Longest']) expect(text).not.toContain(words)
})

it('draws no chart and repeats no facts if only one day was observed, and lists the unobserved days', () => {
  const { text, blocks } = renderHistory([BASELINE_OUTAGE])
  expect(blocks.filter(({ type }) => String(type) === 'data_visualization')).toEqual([])
  expect(text).toContain('Total downtime: 13 min')
  expect(text).not.toContain('Nov 20: ')
  expect(text).toContain('No data for Nov 13–19.')
})

it('shows everything, page by page, for all health checks and for one', () => {
  const allOutages = Array.from({ length: 24 }, (_, index) =>
    createOutage(`web-${index}`, { startedAt: minutesAgo(5) }),
  )
  const [first, last] = [1, 3].map((page) => renderHistory(allOutages, undefined, page))
  expect(first?.text).toContain('24 health checks, page 1 of 3:')
  expect(JSON.stringify(first?.blocks)).toContain('/hc history --days 7 --page 2')
  expect(last?.text.match(/^web-\d+: /gm)).toHaveLength(4)
  const webOutages = Array.from({ length: 12 }, () =>
    createOutage('web', { startedAt: minutesAgo(5), endedAt: minutesAgo(4) }),
  )
  expect(renderHistory(webOutages, webOutages[0]?.check).text).toContain('12 outages, page 1 of 2:')
})

it('draws no chart if less than a day was observed', () => {
  expect(JSON.stringify(renderHistory([createOutage('web')]).blocks)).not.toContain('data_visualization')
})

it('says in which time zone its days begin', () => {
  expect(renderText([])).toContain('Days are in Coordinated Universal Time.')
  expect(zoneName('Europe/Paris', NOW)).toBe('Central European Standard Time (Europe/Paris)')
})

it('says what was down at the end of a past period, which may be up now', () => {
  const span = { from: minutesAgo(60), to: minutesAgo(10) }
  const outages = [createOutage('web', { startedAt: minutesAgo(30), endedAt: minutesAgo(5) })]
  const show = (now: Date): string => {
    const totals = sumWithoutPauses(outages, [span], span, 'UTC')
    const period = { typed: 'yesterday' }
    const options = { isTruncated: false, timeZone: 'UTC', environment: 'production' } as const
    return historyView({ totals, latest: outages, period, now, ...options }).text
  }
  expect(show(NOW)).toContain('Down at its end: 1 health check')
  expect(show(NOW)).not.toContain('Down now')
  expect(show(span.to)).toContain('Down now: 1 health check')
})

it.each([
  [0, '0 %'],
  [0.000001, '< 0.01 %'],
  [0.5, '50 %'],
  [0.99985, '99.98 %'],
  [0.999999, '> 99.99 %'],
  [1, '100 %'],
])('writes the share %s as “%s”', (share, text) => {
  expect(formatPercent(share)).toBe(text)
})
