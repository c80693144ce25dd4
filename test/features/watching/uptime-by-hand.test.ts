import { describe, expect, it } from 'vitest'
import type { Outage } from '../../../src/domain/outages/outage.ts'
import { digestModel } from '../../../src/features/watching/digests.ts'
import { reportOf } from '../../../src/features/watching/report/rules.ts'
import { type HistorySum, sumHistory, uptimeIn } from '../../../src/features/watching/rules/sum-history.ts'
import { EVERY_CHECK, type Watch } from '../../../src/features/watching/rules/watch.ts'

/** From an hour of the day to another; without an end, it goes on. */
type Hours = readonly [from: number, to?: number]

interface History {
  what: string
  down: readonly Hours[]
  seen?: readonly (readonly [number, number])[]
  planned?: readonly (readonly [number, number])[]
  madeAt?: number
  ending?: Outage['ending']
  /** Beside what is down. */
  installing?: Hours
  uptime: number | undefined
}

/** One day of one health check, and its uptime worked out by hand. */
const HISTORIES: readonly History[] = [
  { what: 'down for a quarter of the day', down: [[12, 18]], uptime: 18 / 24 },
  { what: 'still down', down: [[18]], uptime: 18 / 24 },
  { what: 'down since the day before', down: [[-5, 6]], uptime: 18 / 24 },
  {
    what: 'down twice',
    down: [
      [1, 2],
      [3, 5],
    ],
    uptime: 21 / 24,
  },
  {
    what: 'partly down unseen',
    down: [[3, 9]],
    seen: [
      [0, 6],
      [12, 24],
    ],
    uptime: 15 / 18,
  },
  {
    what: 'down unseen',
    down: [[7, 11]],
    seen: [
      [0, 6],
      [12, 24],
    ],
    uptime: 1,
  },
  { what: 'seen from noon on', down: [[6, 18]], seen: [[12, 24]], uptime: 6 / 12 },
  { what: 'never seen', down: [[1, 2]], seen: [], uptime: undefined },
  { what: 'seen for half a minute', down: [[0]], seen: [[0, 1 / 120]], uptime: undefined },
  {
    what: 'seen twice, down in between and in both',
    down: [[5, 19]],
    seen: [
      [0, 6],
      [18, 24],
    ],
    uptime: 10 / 12,
  },
  { what: 'made at noon', down: [[18]], madeAt: 12, uptime: 6 / 12 },
  { what: 'made at 8 PM', down: [[22, 23]], madeAt: 20, uptime: 3 / 4 },
  {
    what: 'made at noon and deleted while down',
    down: [[15, 18]],
    madeAt: 12,
    ending: 'deleted',
    uptime: 3 / 6,
  },
  { what: 'deleted while down', down: [[3, 6]], ending: 'deleted', uptime: 3 / 6 },
  { what: 'down in maintenance', down: [[11, 13]], planned: [[10, 14]], uptime: 1 },
  { what: 'down beyond maintenance', down: [[12, 16]], planned: [[10, 14]], uptime: 18 / 20 },
  { what: 'in maintenance all day', down: [[1, 2]], planned: [[0, 24]], uptime: undefined },
  {
    what: 'in maintenance that ends unseen',
    down: [[9, 18]],
    seen: [
      [0, 12],
      [16, 24],
    ],
    planned: [[10, 14]],
    uptime: 15 / 18,
  },
  {
    what: 'in two windows that overlap',
    down: [[7, 13]],
    planned: [
      [8, 11],
      [10, 12],
    ],
    uptime: 18 / 20,
  },
  { what: 'made in maintenance', down: [[8, 12]], planned: [[6, 9]], madeAt: 6, uptime: 12 / 15 },
  { what: 'installed again', down: [[6, 9]], ending: 'installing', installing: [9, 12], uptime: 21 / 24 },
]

const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 20) + hour * 3_600_000)
const SPAN = { from: at(0), to: at(24) }
const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
const WATCH: Watch = {
  ...PLACE,
  id: 'w',
  filter: EVERY_CHECK,
  afterBadPolls: 1,
  notify: 'once',
  reminderHours: 0,
  ownerId: 'U1',
  madeAt: at(-99),
  changedAt: at(-99),
  baselinePoll: 0,
}

function read({ down, seen = [[0, 24]], planned = [], madeAt, ending = 'recovered', installing }: History) {
  const check = { uuid: 'u1', name: 'web', ...(madeAt !== undefined && { madeAt: at(madeAt).toISOString() }) }
  const outageOf = ([from, to]: Hours, status: Outage['status'] = 'UNHEALTHY'): Outage => ({
    id: `${status} ${from}`,
    check,
    status,
    startedAt: at(from),
    ...(to !== undefined && { endedAt: at(to), ending }),
    isBaseline: false,
    badPolls: 3,
  })
  const kept = [
    ...down.map((hours) => outageOf(hours)),
    ...(installing ? [outageOf(installing, 'INSTALLING')] : []),
  ]
  return {
    check,
    kept,
    outages: kept.filter(({ status }) => status === 'UNHEALTHY'),
    observed: seen.map(([from, to]) => ({ from: at(from), to: at(to) })),
    planned: planned.map(([from, to]) => ({ about: { kind: 'all' as const }, from: at(from), to: at(to) })),
  }
}

function allOf<T>(slices: Generator<void, T, void>): T {
  for (;;) {
    const slice = slices.next()
    if (slice.done) return slice.value
  }
}

async function digestOf({ kept, observed, planned }: ReturnType<typeof read>): Promise<number | undefined> {
  const watching = {
    history: {
      outagePage: async ({ statuses = [] }: { statuses?: readonly string[] }, after?: Outage) =>
        after ? [] : kept.filter(({ status }) => statuses.includes(status)),
      observed: async () => observed,
    },
    watches: { list: async () => [WATCH] },
    maintenance: { planned: async () => planned },
  }
  const period = { from: SPAN.from.toISOString(), to: SPAN.to.toISOString(), timeZone: 'UTC' }
  const card = { ...PLACE, id: 'c', kind: 'digest', openedAt: SPAN.to, changedAt: SPAN.to, period } as const
  // A summary asks for nothing else.
  const { checks } = await digestModel(watching as unknown as Parameters<typeof digestModel>[0], PLACE, card)
  return checks[0]?.uptime
}

describe.each(HISTORIES)('the uptime of a health check that is $what', (history) => {
  const { uptime } = history
  const told = read(history)
  const { check, outages, observed, planned } = told
  const expected = uptime === undefined ? undefined : expect.closeTo(uptime, 9)
  const sum = (only?: typeof check): HistorySum =>
    allOf(sumHistory({ outages, observed, planned, span: SPAN, parts: [SPAN], only }))

  it('is the same in the summary, the history, its chart and the report', async () => {
    const one = sum(check)
    const report = allOf(
      reportOf({
        span: SPAN,
        uptimeSpan: SPAN,
        cards: [],
        muted: [],
        outages,
        before: outages,
        observed,
        planned,
        concerns: () => true,
        isCut: false,
      }),
    )
    expect({
      digest: await digestOf(told),
      all: sum().checks[0]?.uptime,
      history: uptimeIn(one),
      chart: one.parts.map(uptimeIn)[0],
      report: report.uptimes.checks[0]?.uptime,
    }).toEqual({ digest: expected, all: expected, history: expected, chart: expected, report: expected })
  })
})
