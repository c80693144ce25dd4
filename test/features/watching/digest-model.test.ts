import { describe, expect, it } from 'vitest'
import type { Outage } from '../../../src/domain/outages/outage.ts'
import { readDigestModel } from '../../../src/features/watching/digests.ts'
import type { CardState } from '../../../src/features/watching/rules/card.ts'
import { findNextDigest } from '../../../src/features/watching/rules/next-digest.ts'
import { digestView } from '../../../src/features/watching/views/digest.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { createModel, type Model } from './model/model.ts'

/** Converts an hour of the digest's day to a date, in UTC. */
const atHour = (hour: number): Date => new Date(Date.UTC(2026, 2, 1, 0) + hour * 3_600_000)
const MINUTE = 60_000
/** The number of checks that the channel doesn't watch: more than fit on one page of the listing. */
const UNWATCHED_CHECKS = 520
const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
const PERIOD = { from: atHour(0).toISOString(), to: atHour(24).toISOString(), timeZone: 'UTC' }
const CARD: Pick<CardState, 'period' | 'openedAt'> = {
  openedAt: atHour(24),
  period: PERIOD,
}
const createOutage = (uuid: string, from: number, to?: number): Outage => ({
  id: `${uuid} ${from}`,
  check: { uuid, name: uuid },
  startedAt: atHour(from),
  ...(to !== undefined && { endedAt: atHour(to), ending: 'recovered' }),
  isBaseline: false,
  downs: [{ from: atHour(from), to: to === undefined ? undefined : atHour(to) }],
})

/** The expected values were worked out by hand. Only hours in which the checks were observed count. */
it.each([
  {
    label: 'only observed time',
    outages: [createOutage('unseen', 1, 11), createOutage('seen', 13, 15)],
    observed: [
      [0, 1.5],
      [10.5, 24],
    ],
    expected: { longest: ['seen', 120], downMinutes: 180, uptimes: { unseen: 1 - 1 / 15, seen: 1 - 2 / 15 } },
  },
  {
    label: 'only the day’s part of an earlier outage',
    outages: [createOutage('old', -30, 1), createOutage('new', 2, 4)],
    observed: [[-48, 24]],
    expected: { longest: ['new', 120], downMinutes: 180, uptimes: { old: 23 / 24, new: 22 / 24 } },
  },
  {
    label: 'an ongoing outage until it was last observed',
    outages: [createOutage('open', 20), createOutage('short', 1, 3)],
    observed: [[0, 21]],
    expected: { longest: ['short', 120], downMinutes: 180, uptimes: { open: 20 / 21, short: 19 / 21 } },
  },
  {
    label: 'a new check from its creation',
    outages: [
      {
        ...createOutage('young', 22),
        check: { uuid: 'young', name: 'young', madeAt: atHour(20).toISOString() },
      },
    ],
    observed: [[0, 24]],
    expected: { longest: ['young', 120], downMinutes: 120, uptimes: { young: 0.5 } },
  },
  {
    label: 'nothing without observations',
    outages: [createOutage('unseen', 1, 11)],
    observed: [[12, 24]],
    expected: { longest: undefined, downMinutes: 0, uptimes: { unseen: 1 } },
  },
])('counts $label in a digest', async ({ outages, observed, expected }) => {
  const watching = {
    silences: { listMaintenance: async () => [] },
    history: {
      readOutagePage: async (_query: unknown, after: unknown) => (after ? [] : outages),
      findUnseen: async () => undefined,
      listObserved: async () =>
        observed.map(([from = 0, to = 0]) => ({ from: atHour(from), to: atHour(to) })),
    },
  }
  // Cast: a digest uses nothing else.
  const model = await readDigestModel(
    watching as unknown as Parameters<typeof readDigestModel>[0],
    PLACE,
    CARD,
  )
  const { longest, downMs, checks } = model
  expect(longest && [longest.outage.check.uuid, longest.ms / MINUTE]).toEqual(expected.longest)
  expect(downMs / MINUTE).toBe(expected.downMinutes)
  for (const [uuid, uptime] of Object.entries(expected.uptimes))
    expect(checks.find(({ check }) => check.uuid === uuid)?.uptime).toBeCloseTo(uptime)
})

it('counts everything that is down in a digest, but lists only the first few', async () => {
  const outages = Array.from({ length: 50 }, (_, index) => createOutage(`web-${index}`, 20))
  const watching = {
    silences: { listMaintenance: async () => [] },
    history: {
      readOutagePage: async (_query: unknown, after: unknown) => (after ? [] : outages),
      findUnseen: async () => undefined,
      listObserved: async () => [{ from: atHour(0), to: atHour(24) }],
    },
  }
  const model = await readDigestModel(
    watching as unknown as Parameters<typeof readDigestModel>[0],
    PLACE,
    CARD,
  )
  const { text } = digestView(model)
  for (const words of [
    '50 still down',
    'and 30 more. To see them, use /hc list',
    'and 40 more that were down',
  ])
    expect(text).toContain(words)
})

it('counts every page of the outages that were posted in the channel', async () => {
  const posted = Array.from({ length: 1200 }, (_, index) => createOutage(`web-${index}`, 2, 3))
  const queries: unknown[] = []
  const watching = {
    silences: { listMaintenance: async () => [] },
    history: {
      readOutagePage: async (query: { postedIn?: string }, after?: Outage) => {
        queries.push(query)
        if (query.postedIn !== PLACE.channelId) return []
        const from = after ? posted.indexOf(after) + 1 : 0
        return posted.slice(from, from + 500)
      },
      findUnseen: async () => undefined,
      listObserved: async () => [{ from: atHour(0), to: atHour(24) }],
    },
  }
  const model = await readDigestModel(
    watching as unknown as Parameters<typeof readDigestModel>[0],
    PLACE,
    CARD,
  )
  expect(queries).toHaveLength(4)
  expect(model.outages).toBe(1200)
  expect(model.checks).toHaveLength(1200)
})

describe.each(eitherOf(SHARED_DATABASES))('a channel’s digest, with $name', ({ start }) => {
  const startDigest = async (
    database: { url: string; keys: string },
    filterIndex: number,
    extraChecks = 0,
  ): Promise<Model> => {
    const model = await createModel({ url: database.url, keys: database.keys, extraChecks })
    await model.watch(0, filterIndex, 1)
    await model.watch(1, 0, 1)
    await model.passMinute()
    const settings = { hour: 13, timeZone: 'UTC' }
    const by = { userId: 'U1', now: model.now(), next: findNextDigest(settings, model.now()) }
    await model.store.watching.digests.set({ ...PLACE }, settings, by)
    return model
  }
  const listDigests = ({ channels }: Model) =>
    [...channels.messages.values()].flatMap(({ model }) =>
      'stillDown' in model && 'parts' in model ? [model] : [],
    )

  it('includes all outages of the channel, even if other channels watch many more', async () => {
    await using database = await start()
    await using model = await startDigest(database, 1, UNWATCHED_CHECKS)
    model.setStatus(0, 'UNHEALTHY')
    await model.passMinute()
    model.setAllStatuses('UNHEALTHY')
    await model.passWithoutFaults(2)
    await model.jumpClock(55)
    await model.passWithoutFaults(3)
    expect(listDigests(model)).toMatchObject([{ outages: 2, checks: [{}, {}], stillDown: [{}, {}] }])
  })
})
