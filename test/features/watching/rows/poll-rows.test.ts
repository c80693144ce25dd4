import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { pollGroupOf, WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { EVERY_CHECK } from '../../../../src/features/watching/rules/watch.ts'
import { DATABASES, SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'

const BEGIN = Date.UTC(2026, 2, 1, 12)
const MINUTE_MS = 60_000
const GROUP = pollGroupOf('T0')
/** Workspaces whose polls are of one group. */
const IDS = Array.from({ length: 2000 }, (_, nth) => `T${nth}`)
  .filter((id) => pollGroupOf(id) === GROUP)
  .slice(0, 50)
const ALL = { answered: 99, failing: 99 }

async function startPolls({ url, keys }: TestDatabase) {
  let now = BEGIN
  const clock = () => new Date(now)
  const store = await openStore({ url, keys, now: clock, clock })
  for (const workspaceId of IDS)
    await store.watching.watches.add({
      workspaceId,
      channelId: 'C1',
      environment: 'production',
      filter: EVERY_CHECK,
      afterBadPolls: 1,
      notify: 'once',
      reminderHours: 0,
      ownerId: 'U1',
      madeAt: clock(),
    })
  const [work] = await Array.fromAsync(store.work.claimDue('me', 3_600_000, [WATCH_WORK.poll], 9))
  const { polls, history } = store.watching
  const by = { workId: work?.id ?? '', owner: 'me' }
  const scopeOf = (workspaceId: string) => ({ workspaceId, environment: 'production' }) as const
  const endOf = (workspaceId: string, poll: number) => ({
    scope: scopeOf(workspaceId),
    by,
    end: {
      poll,
      at: clock(),
      intervalMs: MINUTE_MS,
      statuses: ['UNHEALTHY' as const],
      total: 1,
      isFull: false,
      meanwhile: { down: 0, up: 0 },
    },
  })
  return {
    polls,
    history,
    by,
    endOf,
    scopeOf,
    passes(ms: number): void {
      now += ms
    },
    due: async (places: typeof ALL, underWay: string[] = []): Promise<string[]> => {
      const names = new Set(underWay.map((id) => `${id} production`))
      const { scopes } = await polls.due(GROUP, places, names)
      return scopes.map(({ workspaceId }) => workspaceId)
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

describe.each(DATABASES)('what is due on $name', ({ start }) => {
  it('is told with its watches, and those that fail take the places of no others', async () => {
    await using database = await start()
    await using group = await startPolls(database)
    const [, ...others] = IDS
    const failing = IDS.slice(10)
    const failed = { failure: 'unreachable', at: new Date(BEGIN), retryMs: 0 } as const
    for (const id of failing) expect(await group.polls.fail(group.scopeOf(id), group.by, failed)).toBe(true)
    group.passes(MINUTE_MS)
    const { at, scopes, isMore } = await group.polls.due(GROUP, { answered: 16, failing: 4 }, new Set())
    expect(at).toEqual(new Date(BEGIN + MINUTE_MS))
    expect(scopes.map(({ isFailing }) => isFailing)).toEqual([
      ...Array(10).fill(false),
      ...Array(4).fill(true),
    ])
    for (const { watches, workspaceId } of scopes) expect(watches).toMatchObject([{ workspaceId }])
    expect(isMore).toBe(true)
    expect((await group.due(ALL)).toSorted()).toEqual(IDS.toSorted())
    expect((await group.due(ALL, ['T0'])).toSorted()).toEqual(others.toSorted())
    expect(await group.due({ answered: 2, failing: 0 }, IDS.slice(0, 9))).toEqual([IDS[9]])
  })
})

describe.each(SHARED_DATABASES)('polls that found nothing new on $name', ({ start }) => {
  it('are ended together, but for those that another has taken over', async () => {
    await using database = await start()
    await using group = await startPolls(database)
    const ends = IDS.map((id, nth) => group.endOf(id, nth === 7 ? 2 : 1))
    const stolen = { ...group.endOf(IDS[8] ?? '', 1), by: { ...group.by, owner: 'another' } }
    const written = await group.polls.finishQuietly(ends.with(8, stolen))
    expect(written).toEqual(IDS.map((_, nth) => nth !== 7 && nth !== 8))
    expect((await group.due(ALL)).toSorted()).toEqual([IDS[7], IDS[8]].toSorted())
    group.passes(MINUTE_MS)
    expect(await group.due(ALL)).toHaveLength(IDS.length)
  })

  it.each([-7_200_000, -600_000])(
    'are due, and take nothing from what was observed, when the clock is set by %i ms',
    async (ms) => {
      await using database = await start()
      await using group = await startPolls(database)
      const [id = ''] = IDS
      for (let poll = 1; poll <= 30; poll += 1) {
        await group.polls.finishQuietly(IDS.map((one) => group.endOf(one, poll)))
        group.passes(MINUTE_MS)
      }
      await group.polls.finishQuietly(IDS.map((one) => group.endOf(one, 31)))
      group.passes(ms)
      expect(await group.due(ALL)).toEqual([])
      await group.polls.bringForward(GROUP, MINUTE_MS)
      expect(await group.due(ALL)).toHaveLength(IDS.length)
      for (let poll = 32; poll <= 34; poll += 1) {
        await group.polls.finishQuietly(IDS.map((one) => group.endOf(one, poll)))
        await group.polls.bringForward(GROUP, MINUTE_MS)
        expect(await group.due(ALL)).toEqual([])
        group.passes(MINUTE_MS)
      }
      const all = { from: new Date(0), to: new Date(BEGIN * 2) }
      const observed = await group.history.observed({ ...group.scopeOf(id), ...all })
      const whole = { from: new Date(BEGIN), to: new Date(BEGIN + 30 * MINUTE_MS) }
      const since = BEGIN + 30 * MINUTE_MS + ms
      const before = { from: new Date(since), to: new Date(since + 2 * MINUTE_MS) }
      expect(observed).toEqual(since < BEGIN ? [before, whole] : [whole])
    },
  )

  it('make what was observed longer, and leave a gap where nobody looked', async () => {
    await using database = await start()
    await using group = await startPolls(database)
    const ids = IDS.slice(0, 3)
    const observed = () =>
      group.history.observed({ ...group.scopeOf(ids[1] ?? ''), from: new Date(0), to: new Date(BEGIN * 2) })
    for (let poll = 1; poll <= 3; poll += 1) {
      await group.polls.finishQuietly(ids.map((id) => group.endOf(id, poll)))
      group.passes(MINUTE_MS)
    }
    const first = { from: new Date(BEGIN), to: new Date(BEGIN + 2 * MINUTE_MS) }
    expect(await observed()).toEqual([first])
    group.passes(3 * MINUTE_MS)
    await group.polls.finishQuietly(ids.map((id) => group.endOf(id, 4)))
    const again = new Date(BEGIN + 6 * MINUTE_MS)
    expect(await observed()).toEqual([first, { from: again, to: again }])
  })
})
