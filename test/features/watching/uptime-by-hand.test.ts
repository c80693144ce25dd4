import { describe, expect, it } from 'vitest'
import type { Outage } from '../../../src/domain/outages/outage.ts'
import { readDigestModel } from '../../../src/features/watching/digests.ts'
import type { DigestModel } from '../../../src/features/watching/rules/sum-history.ts'
import {
  getUptime,
  type HistoryTotals,
  sumHistory,
} from '../../../src/features/watching/rules/sum-history.ts'
import { digestView } from '../../../src/features/watching/views/digest.ts'
import { historyView, listWorstChecks } from '../../../src/features/watching/views/history.ts'

/** A time span, in hours of the day. Without `to`, it's still going on. */
type Hours = readonly [from: number, to?: number]

/** One day of a health check. All times are hours of that day. */
interface History {
  label: string
  down: readonly Hours[]
  observed?: readonly (readonly [number, number])[]
  planned?: readonly (readonly [number, number])[]
  madeAt?: number
  ending?: Outage['ending']
  /** The expected uptime. */
  uptime: number | undefined
}

/** Days of a health check, each with its uptime worked out by hand. */
const HISTORIES: readonly History[] = [
  { label: 'down for a quarter of the day', down: [[12, 18]], uptime: 18 / 24 },
  { label: 'still down', down: [[18]], uptime: 18 / 24 },
  { label: 'down since the day before', down: [[-5, 6]], uptime: 18 / 24 },
  {
    label: 'down twice',
    down: [
      [1, 2],
      [3, 5],
    ],
    uptime: 21 / 24,
  },
  {
    label: 'partly down while not observed',
    down: [[3, 9]],
    observed: [
      [0, 6],
      [12, 24],
    ],
    uptime: 15 / 18,
  },
  {
    label: 'down while not observed',
    down: [[7, 11]],
    observed: [
      [0, 6],
      [12, 24],
    ],
    uptime: 1,
  },
  { label: 'observed from noon on', down: [[6, 18]], observed: [[12, 24]], uptime: 6 / 12 },
  { label: 'never observed', down: [[1, 2]], observed: [], uptime: undefined },
  { label: 'observed for half a minute', down: [[0]], observed: [[0, 1 / 120]], uptime: undefined },
  {
    label: 'observed twice, and down in both periods and in between',
    down: [[5, 19]],
    observed: [
      [0, 6],
      [18, 24],
    ],
    uptime: 10 / 12,
  },
  { label: 'created at noon', down: [[18]], madeAt: 12, uptime: 6 / 12 },
  { label: 'created at 8 PM', down: [[22, 23]], madeAt: 20, uptime: 3 / 4 },
  {
    label: 'created at noon and deleted while down',
    down: [[15, 18]],
    madeAt: 12,
    ending: 'deleted',
    uptime: 3 / 6,
  },
  { label: 'deleted while down', down: [[3, 6]], ending: 'deleted', uptime: 3 / 6 },
  { label: 'down in maintenance', down: [[11, 13]], planned: [[10, 14]], uptime: 1 },
  { label: 'down for longer than its maintenance', down: [[12, 16]], planned: [[10, 14]], uptime: 18 / 20 },
  { label: 'in maintenance all day', down: [[1, 2]], planned: [[0, 24]], uptime: undefined },
  {
    label: 'in maintenance that ends while not observed',
    down: [[9, 18]],
    observed: [
      [0, 12],
      [16, 24],
    ],
    planned: [[10, 14]],
    uptime: 15 / 18,
  },
  {
    label: 'in two overlapping maintenance windows',
    down: [[7, 13]],
    planned: [
      [8, 11],
      [10, 12],
    ],
    uptime: 18 / 20,
  },
  { label: 'created in maintenance', down: [[8, 12]], planned: [[6, 9]], madeAt: 6, uptime: 12 / 15 },
  { label: 'installed again', down: [[6, 9]], ending: 'installing', uptime: 21 / 24 },
]

const atHour = (hour: number): Date => new Date(Date.UTC(2026, 10, 20) + hour * 3_600_000)
const SPAN = { from: atHour(0), to: atHour(24) }
const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
function toInput({
  down,
  observed: observedHours = [[0, 24]],
  planned = [],
  madeAt,
  ending = 'recovered',
}: History) {
  const check = {
    uuid: 'u1',
    name: 'web',
    ...(madeAt !== undefined && { madeAt: atHour(madeAt).toISOString() }),
  }
  const createOutage = ([from, to]: Hours): Outage => ({
    id: `from ${from}`,
    check,
    startedAt: atHour(from),
    ...(to !== undefined && { endedAt: atHour(to), ending }),
    isBaseline: false,
    downs: [{ from: atHour(from), to: to === undefined ? undefined : atHour(to) }],
  })
  return {
    check,
    outages: down.map(createOutage),
    observed: observedHours.map(([from, to]) => ({ from: atHour(from), to: atHour(to) })),
    planned: planned.map(([from, to]) => ({
      subject: { kind: 'all' as const },
      from: atHour(from),
      to: atHour(to),
    })),
  }
}

function runToEnd<T>(slices: Generator<void, T, void>): T {
  for (;;) {
    const slice = slices.next()
    if (slice.done) return slice.value
  }
}

/** The part of a store that summaries and histories read. */
type HistoryStore = Parameters<typeof readDigestModel>[0]

function createStore({ outages, observed, planned }: ReturnType<typeof toInput>): HistoryStore {
  const store = {
    history: {
      listOutages: async () => outages,
      readOutagePage: async (_: unknown, after?: Outage) => (after ? [] : outages),
      listObserved: async () => observed,
      findUnseen: async () => undefined,
    },
    silences: { listMaintenance: async () => planned },
  }
  // Cast: nothing else is read.
  return store as unknown as HistoryStore
}

async function readDigest(store: HistoryStore): Promise<DigestModel> {
  const period = { from: SPAN.from.toISOString(), to: SPAN.to.toISOString(), timeZone: 'UTC' }
  return readDigestModel(store, PLACE, { openedAt: SPAN.to, period })
}

describe.each(HISTORIES)('a health check that is $label', (history) => {
  const { uptime } = history
  const input = toInput(history)
  const { check, outages, observed, planned } = input
  const store = createStore(input)
  const sumDay = (forCheck?: typeof check): HistoryTotals =>
    runToEnd(sumHistory({ outages, observed, planned, span: SPAN, parts: [SPAN], check: forCheck }))

  it('shows the same uptime in the summary, the history, and the chart', async () => {
    const totals = sumDay(check)
    const expected = uptime === undefined ? undefined : expect.closeTo(uptime, 9)
    expect({
      digest: (await readDigest(store)).checks[0]?.uptime,
      all: sumDay().checks[0]?.uptime,
      history: getUptime(totals),
      chart: totals.parts.map(getUptime)[0],
    }).toEqual({ digest: expected, all: expected, history: expected, chart: expected })
  })

  it('shows the same totals in the summary, the history, and the chart', async () => {
    const pickTotals = ({
      outages,
      downMs,
      plannedMs,
    }: Pick<HistoryTotals, 'outages' | 'downMs' | 'plannedMs'>) => ({
      outages,
      downMs,
      plannedMs,
    })
    const digest = await readDigest(store)
    const all = sumDay()
    for (const totals of [digest, all.parts[0], sumDay(check)])
      expect(totals && pickTotals(totals)).toEqual(pickTotals(all))
    const worstLine = listWorstChecks(all)[0] ?? ''
    const viewOptions = { environment: 'production', now: SPAN.to } as const
    const days = sumDay().parts.map((part) => ({ ...part, days: 1 }))
    for (const { text } of [
      digestView(digest),
      historyView({
        ...viewOptions,
        ...{
          totals: { ...all, parts: days },
          check: undefined,
          period: { days: 1 },
          timeZone: 'UTC',
          isTruncated: false,
          latest: [],
        },
      }),
    ])
      expect(text).toContain(worstLine)
  })
})
