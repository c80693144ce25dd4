import { HOUR_MS } from '@signalman/runtime'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Incident, openIncident } from '../../../../src/domain/outages/incident.ts'
import type { Span } from '../../../../src/domain/outages/outage.ts'
import type { Silence } from '../../../../src/features/watching/rules/silence.ts'
import { getUptime, sumHistory } from '../../../../src/features/watching/rules/sum-history.ts'
import { quickOrLong } from '../../../long.ts'

/** Times are in steps of 20 s, so that outages aren't whole minutes. */
const STEP_MS = 20_000
const STEPS = 400
const NAMES = ['shop', 'shop-eu', 'mail']
const at = (step: number): Date => new Date(Date.UTC(2026, 10, 28) + step * STEP_MS)
const toSpan = (from: number, to: number): Span => ({ from: at(from), to: at(to) })
const list = <T>(count: number, toItem: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => toItem(index))

interface Drawn {
  readonly name: string
  /** The steps in which it goes down and up, in turn. */
  readonly changes: readonly number[]
}

const createIncident = ({ name, changes }: Drawn, index: number): Incident => {
  const opened = openIncident({ uuid: name, name }, at(changes[0] ?? 0), String(index))
  const downs = list(Math.ceil(changes.length / 2), (pair) => {
    const [from = 0, to] = changes.slice(pair * 2)
    return { from: at(from), ...(to !== undefined && { to: at(to) }) }
  })
  const isDown = changes.length % 2 === 1
  return { ...opened, isDown, downs, ...(!isDown && { closedAt: at(changes.at(-1) ?? 0) }) }
}

const createMaintenance = (pattern: string, from: number, to: number): Silence => ({
  ...{ id: `${pattern} ${from}`, workspaceId: 'T1', environment: 'production' },
  ...{ channelId: 'C1', isMaintenance: true, from: at(from), to: at(to), timeZone: 'UTC', reason: '' },
  subject: pattern === '*' ? { kind: 'all' } : { kind: 'name', pattern },
  ...{ ownerId: 'U1', ownerName: 'Bea', madeAt: at(0) },
})

/** Sorted steps, each once. */
const steps = (maxLength: number) =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: STEPS }), { minLength: 1, maxLength })
    .map((drawn) => drawn.toSorted((left, right) => left - right))

const histories = fc.record({
  outages: fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), changes: steps(7) }), {
    maxLength: 3,
    selector: ({ name }) => name,
  }),
  gaps: steps(6),
  planned: fc.array(
    fc.tuple(fc.constantFrom('*', 'shop*', 'mail'), fc.nat(STEPS - 1), fc.integer({ min: 1, max: 200 })),
    { maxLength: 3 },
  ),
  period: fc.tuple(fc.nat(200), fc.integer({ min: 210, max: STEPS })),
  cuts: steps(5),
})

it('adds up, by outage, check, and day, to what is counted step by step', async () => {
  const run = fc.asyncProperty(histories, async ({ outages, gaps, planned, period: [from, to], cuts }) => {
    const span = toSpan(from, to)
    const observed = list(Math.ceil(gaps.length / 2), (pair) =>
      toSpan(gaps[pair * 2] ?? 0, gaps[pair * 2 + 1] ?? STEPS),
    )
    const borders = [from, ...cuts.filter((cut) => cut > from && cut < to), to]
    const days = list(borders.length - 1, (index) => toSpan(borders[index] ?? 0, borders[index + 1] ?? 0))
    const incidents = outages.map(createIncident)
    const maintenance = planned.map(([pattern, start, length]) =>
      createMaintenance(pattern, start, start + length),
    )
    const totals = await sumHistory({ incidents, observed, maintenance, span, days })

    const isIn = (span: Span, step: number) => span.from <= at(step) && at(step) < span.to
    const covers = (pattern: string, name: string) =>
      pattern === '*' || name.startsWith(pattern.replace('*', ''))
    const isCounted = (name: string, step: number) =>
      observed.some((seen) => isIn(seen, step)) &&
      !planned.some(
        ([pattern, start, length]) => covers(pattern, name) && step >= start && step < start + length,
      )
    const isDown = (name: string, step: number) =>
      isCounted(name, step) &&
      outages.some(
        (one) => one.name === name && one.changes.filter((change) => change <= step).length % 2 === 1,
      )
    const count = (matches: (step: number) => boolean, span = [from, to] as const) =>
      list(span[1] - span[0], (index) => span[0] + index).filter(matches).length * STEP_MS

    expect(totals.seenMs).toBe(count((step) => observed.some((seen) => isIn(seen, step))))
    expect(totals.countedMs).toBe(count((step) => isCounted('', step)))
    for (const { check, downMs, countedMs } of totals.checks) {
      expect(downMs).toBe(count((step) => isDown(check.name, step)))
      expect(countedMs).toBe(count((step) => isCounted(check.name, step)))
    }
    for (const [index, day] of totals.days.entries()) {
      const [start = 0, end = 0] = borders.slice(index)
      expect(day.downMs).toBe(
        NAMES.reduce((ms, name) => ms + count((step) => isDown(name, step), [start, end]), 0),
      )
    }
    const sum = (parts: readonly { readonly downMs: number }[]) =>
      parts.reduce((ms, { downMs }) => ms + downMs, 0)
    expect(sum(totals.checks)).toBe(totals.downMs)
    expect(sum(totals.days)).toBe(totals.downMs)
    for (const check of totals.checks) expect(sum(check.incidents)).toBe(check.downMs)
  })
  await fc.assert(run, { numRuns: quickOrLong('SUMS', { quick: 100, long: 3000 }) })
})

it('counts an outage in the period in which it began, unless it was all in maintenance or down before', async () => {
  const outage = (changes: readonly number[], index: number, others: Partial<Incident> = {}) => ({
    ...createIncident({ name: 'shop', changes }, index),
    ...others,
  })
  const incidents = [
    outage([10, 30], 1),
    outage([50, 70], 2),
    outage([80, 90], 3),
    outage([95, 98], 4, { isBaseline: true }),
  ]
  const span = toSpan(20, 200)
  const input = { incidents, observed: [toSpan(0, 200)], span, days: [span] }
  const maintenance = [createMaintenance('sh*', 75, 100)]
  expect((await sumHistory({ ...input, maintenance })).outages).toBe(1)
  expect((await sumHistory({ ...input, maintenance: [] })).outages).toBe(2)
})

it.each([
  ['a day', { hours: 24, countedHours: 24, downHours: 6 }, 0.75],
  ['nothing that counts', { hours: 24, countedHours: 0, downHours: 0 }, undefined],
  ['less than a day of a week', { hours: 168, countedHours: 23, downHours: 1 }, undefined],
  ['a day of a week', { hours: 168, countedHours: 24, downHours: 24 }, 0],
  ['almost all of ten hours', { hours: 10, countedHours: 9, downHours: 0 }, 1],
  ['half of ten hours', { hours: 10, countedHours: 5, downHours: 0 }, undefined],
] as const)('says the uptime of %s', (_, { hours, countedHours, downHours }, uptime) => {
  const [countedMs, downMs] = [countedHours * HOUR_MS, downHours * HOUR_MS]
  const span = { from: new Date(0), to: new Date(hours * HOUR_MS) }
  expect(getUptime({ countedMs, downMs }, span)).toBe(uptime)
})
