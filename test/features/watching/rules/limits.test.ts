import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../packages/runtime/src/durations.ts'
import type { CheckFacts, Outage } from '../../../../src/domain/outages/outage.ts'
import { reconcile } from '../../../../src/features/watching/rules/reconcile.ts'
import type { Slices } from '../../../../src/features/watching/rules/slices.ts'
import { readyWatch } from '../../../../src/features/watching/rules/subjects.ts'
import { sumHistory } from '../../../../src/features/watching/rules/sum-history.ts'
import { EVERY_CHECK, type Watch } from '../../../../src/features/watching/rules/watch.ts'
import { candidateOf } from './replay.ts'

/** Limits of one workspace. */
const [OPEN, STRETCHES, WATCHES, NAMES, DAYS] = [2000, 500, 1000, 20, 90]
/** So many looks at outages, checks and stretches take less than a millisecond. */
const MOST_LOOKS = 30_000

const NOW = new Date('2026-11-20T12:00:00Z')
const SPAN = { from: new Date(NOW.getTime() - DAYS * DAY_MS), to: NOW }

/** An object that counts how often anything of it is read. */
function counted<T extends object>(one: T, count: () => void): T {
  return new Proxy(one, {
    get(target, key) {
      count()
      return Reflect.get(target, key)
    },
  })
}

/** Everything as long as it may be: what slices look at is counted between one yield and the next. */
function startLimits() {
  let looks = 0
  const look = (): void => {
    looks += 1
  }
  const outages = Array.from({ length: OPEN }, (_, index): Outage => {
    const check = counted<CheckFacts>({ uuid: `u${index}`, name: `shop-${index}` }, look)
    const startedAt = new Date(NOW.getTime() - 6 * DAY_MS + index * 60_000)
    const base = { id: `o${index}`, check, status: 'UNHEALTHY', startedAt } as const
    const firstLook = { at: new Date(startedAt.getTime() + HOUR_MS), phrase: 'refused', detail: '' }
    return counted<Outage>({ ...base, isBaseline: false, badPolls: 5, firstLook }, look)
  })
  const observed = Array.from({ length: STRETCHES }, (_, index) => {
    const from = new Date(SPAN.from.getTime() + (index / STRETCHES) * DAYS * DAY_MS)
    return { from, to: new Date(from.getTime() + HOUR_MS) }
  })
  return {
    outages,
    observed,
    /** What the slices come to, the most looks in one of them, and all. */
    run<T>(slices: Slices<T>): { result: T; most: number; all: number } {
      let most = 0
      for (let before = looks, first = looks; ; before = looks) {
        const slice = slices.next()
        most = Math.max(most, looks - before)
        if (slice.done) return { result: slice.value, most, all: looks - first }
      }
    },
  }
}

const TERMS = { filter: EVERY_CHECK, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const
const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const

const watchesOf = (pattern: (nth: number) => string): Watch[] =>
  Array.from({ length: WATCHES }, (_, index) => ({
    ...PLACE,
    ...TERMS,
    ...{ id: `w${index}`, ownerId: 'U1', madeAt: SPAN.from, changedAt: SPAN.from, baselinePoll: 0 },
    filter: {
      include: Array.from({ length: NAMES }, (_, name) => ({
        field: 'name' as const,
        pattern: pattern(index * NAMES + name),
      })),
      exclude: [],
    },
  }))

describe(`at ${OPEN} open outages`, () => {
  it(`a history over ${STRETCHES} stretches is summed up likewise`, () => {
    const { outages, observed, run } = startLimits()
    const parts = Array.from({ length: 20 }, () => SPAN)
    const { result, most } = run(sumHistory({ outages, observed, span: SPAN, parts }))
    expect(result.stillDown.length).toBe(OPEN)
    expect(most).toBeLessThanOrEqual(MOST_LOOKS)
  })
})

describe(`with ${WATCHES} watches of ${NAMES} names`, () => {
  const told = (pattern: (nth: number) => string) => {
    const { outages, run } = startLimits()
    const watches = watchesOf(pattern).map(readyWatch)
    const view = { place: PLACE, watches, mutes: [], cards: [], told: new Set<string>() }
    const some = outages.slice(0, 100)
    return run(
      reconcile(view, { poll: 9, at: NOW, candidates: some.map(candidateOf), ended: [] }, () => 'card'),
    )
  }

  it('finds by name what is to be told, and compares nothing else', () => {
    const { result, all } = told((nth) => `shop-${nth}`)
    expect(result).toMatchObject([{ isNew: true }])
    expect(result[0]?.outageIds.length).toBe(100)
    expect(all).toBeLessThan(100 * 100)
  })

  it('takes what begins with a star in slices, none of which looks at many', () => {
    const { result, most, all } = told((nth) => `*-x${nth}*`)
    expect(result).toEqual([])
    expect(all).toBeGreaterThan(100 * WATCHES * NAMES)
    expect(most).toBeLessThanOrEqual(MOST_LOOKS)
  })
})
