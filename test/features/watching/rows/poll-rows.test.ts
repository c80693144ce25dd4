import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { hashToPollGroup, WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'

const START_MS = Date.UTC(2026, 2, 1, 12)
const MINUTE_MS = 60_000
const GROUP = hashToPollGroup('T0')
/** Workspaces in one poll group. */
const IDS = Array.from({ length: 2000 }, (_, index) => `T${index}`)
  .filter((id) => hashToPollGroup(id) === GROUP)
  .slice(0, 12)

async function startPolls({ url, keys }: TestDatabase) {
  let nowMs = START_MS
  const clock = () => new Date(nowMs)
  const store = await openStore({ url, keys, now: clock, clock })
  for (const workspaceId of IDS)
    await store.watching.watches.add({
      workspaceId,
      channelId: 'C1',
      environment: 'production',
      filter: ALL_CHECKS,
      afterBadPolls: 1,
      notify: 'once',
      reminderHours: 0,
      ownerId: 'U1',
      madeAt: clock(),
    })
  const [work] = await store.work.claimDue('me', [WATCH_WORK.poll], 9)
  const { polls, history } = store.watching
  const leaseHolder = { workId: work?.id ?? '', owner: 'me' }
  const toScope = (workspaceId: string) => ({ workspaceId, environment: 'production' }) as const
  const createUnchangedPoll = (workspaceId: string, poll: number) => ({
    scope: toScope(workspaceId),
    leaseHolder,
    result: {
      poll,
      at: clock(),
      clockMs: 0,
      intervalMs: MINUTE_MS,
      statuses: ['UNHEALTHY' as const],
      total: 1,
      isFull: false,
      missedChanges: { down: 0, up: 0 },
    },
  })
  return {
    polls,
    history,
    leaseHolder,
    createUnchangedPoll,
    toScope,
    pass(ms: number): void {
      nowMs += ms
    },
    listDue: async (): Promise<string[]> =>
      (await polls.listGroup(GROUP))
        .filter(({ dueInMs }) => dueInMs <= 0)
        .map(({ workspaceId }) => workspaceId),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

describe.each(SHARED_DATABASES)('a poll group on $name', ({ start }) => {
  it('lists its scopes with the most overdue first, and returns their watches', async () => {
    await using database = await start()
    await using group = await startPolls(database)
    const [first = '', second = '', third = ''] = IDS
    const failed = { failure: 'unreachable', at: new Date(START_MS), retryMs: 2 * MINUTE_MS } as const
    expect(await group.polls.saveFailure(group.toScope(first), group.leaseHolder, failed)).toBe(true)
    expect(
      await group.polls.saveResult(
        group.toScope(second),
        group.leaseHolder,
        group.createUnchangedPoll(second, 1),
      ),
    ).toBe(true)
    group.pass(MINUTE_MS)
    const listed = await group.polls.listGroup(GROUP)
    expect(listed).toHaveLength(IDS.length)
    expect(listed.slice(-2)).toMatchObject([
      { workspaceId: second, dueInMs: 0, isPolled: true, isFailing: false },
      { workspaceId: first, dueInMs: MINUTE_MS, isPolled: false, isFailing: true },
    ])
    const requested = [first, third, 'T-gone'].map(group.toScope)
    const { at, scopes } = await group.polls.readScopes(requested)
    expect(at).toEqual(new Date(START_MS + MINUTE_MS))
    expect([...scopes.keys()].toSorted()).toEqual([first, third].map((id) => `${id} production`).toSorted())
    for (const { watches, workspaceId } of scopes.values()) expect(watches).toMatchObject([{ workspaceId }])
  })
})

describe.each(SHARED_DATABASES)('polls without changes on $name', ({ start }) => {
  it('are saved together, except those taken over or changed by another process', async () => {
    await using database = await start()
    await using group = await startPolls(database)
    const unchangedPolls = IDS.map((id, index) => group.createUnchangedPoll(id, index === 7 ? 2 : 1))
    const takenOver = {
      ...group.createUnchangedPoll(IDS[8] ?? '', 1),
      leaseHolder: { ...group.leaseHolder, owner: 'another' },
    }
    expect(await group.polls.reportLate(group.toScope(IDS[9] ?? ''))).toBe(true)
    const saved = await group.polls.saveUnchanged(unchangedPolls.with(8, takenOver))
    expect(saved).toEqual(IDS.map((_, index) => ![7, 8, 9].includes(index)))
    expect((await group.listDue()).toSorted()).toEqual([IDS[7], IDS[8], IDS[9]].toSorted())
    expect(await group.history.findPollStatus(IDS[9] ?? '', 'production')).toMatchObject({
      unseen: { failure: 'late' },
    })
    group.pass(MINUTE_MS)
    expect(await group.listDue()).toHaveLength(IDS.length)
  })

  it.each([-7_200_000, -600_000])(
    'never shorten the observed time when the clock jumps by %i ms',
    async (ms) => {
      await using database = await start()
      await using group = await startPolls(database)
      const [id = ''] = IDS
      const saveAll = () => group.polls.saveUnchanged(IDS.map((id) => group.createUnchangedPoll(id, 1)))
      for (let minute = 0; minute < 12; minute += 1) {
        await saveAll()
        group.pass(MINUTE_MS)
      }
      await saveAll()
      group.pass(ms)
      for (let minute = 0; minute < 3; minute += 1) {
        await saveAll()
        expect(await group.listDue()).toEqual([])
        group.pass(MINUTE_MS)
      }
      const wholeTime = { from: new Date(0), to: new Date(START_MS * 2) }
      const observed = await group.history.listObserved({ ...group.toScope(id), ...wholeTime })
      const wholeSpan = { from: new Date(START_MS), to: new Date(START_MS + 12 * MINUTE_MS) }
      const since = START_MS + 12 * MINUTE_MS + ms
      const overlapSpan = { from: new Date(since), to: new Date(since + 2 * MINUTE_MS) }
      expect(observed).toEqual(since < START_MS ? [overlapSpan, wholeSpan] : [wholeSpan])
    },
  )

  it('extend the observed time, and leave a gap if nobody polled', async () => {
    await using database = await start()
    await using group = await startPolls(database)
    const ids = IDS.slice(0, 3)
    const listObservedUntil = (to: Date) =>
      group.history.listObserved({ ...group.toScope(ids[1] ?? ''), from: new Date(0), to })
    const listObserved = () => listObservedUntil(new Date(START_MS * 2))
    const saveAll = () => group.polls.saveUnchanged(ids.map((id) => group.createUnchangedPoll(id, 1)))
    for (let minute = 0; minute < 3; minute += 1) {
      await saveAll()
      group.pass(MINUTE_MS)
    }
    const first = { from: new Date(START_MS), to: new Date(START_MS + 2 * MINUTE_MS) }
    expect(await listObserved()).toEqual([first])
    // Unchanged polls are saved only some minutes later, so the minutes after the last saved poll count as observed for now.
    const soonAfter = new Date(START_MS + 7 * MINUTE_MS)
    expect(await listObservedUntil(soonAfter)).toEqual([{ ...first, to: soonAfter }])
    group.pass(3 * MINUTE_MS)
    await saveAll()
    const again = new Date(START_MS + 6 * MINUTE_MS)
    expect(await listObserved()).toEqual([first, { from: again, to: again }])
    const failed = { failure: 'unreachable', at: again, retryMs: 0 } as const
    for (const id of ids) await group.polls.saveFailure(group.toScope(id), group.leaseHolder, failed)
    expect(await listObservedUntil(new Date(START_MS + 8 * MINUTE_MS))).toEqual([
      first,
      { from: again, to: again },
    ])
  })

  it('are saved together with the next poll that detects a change', async () => {
    await using database = await start()
    await using group = await startPolls(database)
    const [id = ''] = IDS
    const scope = group.toScope(id)
    await group.polls.saveUnchanged([group.createUnchangedPoll(id, 1)])
    const since = new Date(START_MS + MINUTE_MS)
    group.pass(9 * MINUTE_MS)
    const last = { poll: 1, now: { at: new Date(START_MS), clockMs: 0 }, statesVersion: null, changes: [] }
    const otherChange = { ...last, statesVersion: 'written by another' as const, nextStatesVersion: 'a' }
    const unchangedPoll = { ...group.createUnchangedPoll(id, 1), since }
    expect(await group.polls.saveResult(scope, group.leaseHolder, unchangedPoll, otherChange)).toBe(false)
    const ownChange = { ...last, nextStatesVersion: 'b' }
    expect(await group.polls.saveResult(scope, group.leaseHolder, unchangedPoll, ownChange)).toBe(true)
    const wholeTime = { from: new Date(0), to: new Date(START_MS * 2) }
    const wholeSpan = { from: new Date(START_MS), to: new Date(START_MS + 9 * MINUTE_MS) }
    expect(await group.history.listObserved({ ...scope, ...wholeTime })).toEqual([wholeSpan])
    const { scopes } = await group.polls.readScopes([scope])
    expect([...scopes.values()]).toMatchObject([{ poll: 2, statesVersion: 'b' }])
  })
})
