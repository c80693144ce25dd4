import { expect, it } from 'vitest'
import { downWithinMs, observedMs, uptimeOf } from '../../../src/domain/watching/uptime.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 1, 12, minute))
const seen = (from: number, to: number) => ({ from: at(from), to: at(to) })
const outage = (from: number, to?: number) => ({
  id: 'o',
  check: { uuid: 'u', name: 'web' },
  status: 'UNHEALTHY' as const,
  startedAt: at(from),
  ...(to !== undefined && { endedAt: at(to) }),
  isBaseline: false,
  badPolls: 1,
})

it.each([
  { what: 'nothing was observed', outages: [outage(0, 10)], observed: [], uptime: undefined },
  { what: 'nothing happened', outages: [], observed: [seen(0, 10)], uptime: 1 },
  { what: 'it was down for half of it', outages: [outage(0, 5)], observed: [seen(0, 10)], uptime: 0.5 },
  { what: 'nobody looked for half of it', outages: [outage(0, 10)], observed: [seen(5, 15)], uptime: 0.5 },
  { what: 'it goes on', outages: [outage(8)], observed: [seen(0, 10)], uptime: 0.8 },
  { what: 'there is a gap', outages: [outage(4, 12)], observed: [seen(0, 5), seen(10, 15)], uptime: 0.7 },
])('the uptime where $what is $uptime', ({ outages, observed, uptime }) => {
  const found = uptimeOf(outages, observed)
  if (uptime === undefined) expect(found).toBeUndefined()
  else expect(found).toBeCloseTo(uptime)
  expect(downWithinMs(outages, observed)).toBeLessThanOrEqual(observedMs(observed))
})
