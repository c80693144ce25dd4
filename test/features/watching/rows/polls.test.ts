import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createDatabaseTime } from '../../../../packages/durable/src/database/clock.ts'
import type { Database } from '../../../../packages/durable/src/database/database.ts'
import { openStore } from '../../../../src/app/store.ts'
import { observe } from '../../../../src/domain/outages/observe.ts'
import type { LeaseHolder } from '../../../../src/features/watching/rows/poll-rows.ts'
import { createPollStore } from '../../../../src/features/watching/rows/polls.ts'
import type { SuccessfulPoll } from '../../../../src/features/watching/rows/save-polls.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS, type NewWatch } from '../../../../src/features/watching/rules/watch.ts'
import { KEY_A, SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'
import { startPostgresDatabase } from '../../../databases/postgres.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
/** A time at which every poll is due. */
const LATER = new Date('2099-01-01T00:00:00.000Z')
const clock = () => LATER

const readScope = async ({ readScopes }: Pick<ReturnType<typeof createPollStore>, 'readScopes'>) =>
  (await readScopes([SCOPE])).scopes.get('T1 production')

const WATCH: NewWatch = {
  ...SCOPE,
  channelId: 'C1',
  filter: ALL_CHECKS,
  afterBadPolls: 1,
  notify: 'once',
  reminderHours: 0,
  ownerId: 'U1',
  madeAt: NOW,
}

describe.each(SHARED_DATABASES)('polls on $name', ({ start }) => {
  it('are saved only if they’re based on the current state', async () => {
    await using database = await start()
    await using store = await openStore({ ...database, clock })
    const { watches, polls, history } = store.watching
    await watches.add(WATCH)
    const [work] = await store.work.claimDue('me', [WATCH_WORK.poll], 9)
    const leaseHolder = { workId: work?.id ?? '', owner: 'me' }
    // Two concurrent polls that start from the same stored states.
    const scopes = [await readScope(polls), await readScope(polls)]
    const check = { uuid: 'a1', name: 'web-1' }
    const recorded: boolean[] = []
    for (const [index, scope] of scopes.entries()) {
      if (!scope) throw new Error('Nothing is watched.')
      const states = await polls.readStates(scope)
      const none = { good: new Set<never>(), deleted: new Set<never>() }
      const times = { at: NOW, clockMs: 0, previousClockMs: 0 }
      const seen = { poll: scope.poll, ...times, bad: new Map([['a1', check]]), ...none }
      const changes = observe(states, seen, () => `outage-${index}`)
      const { poll, statesVersion } = scope
      const now = { at: NOW, clockMs: 0 }
      const change = { poll, now, statesVersion, nextStatesVersion: `mark-${index}`, changes }
      recorded.push(await polls.saveBatch(SCOPE, leaseHolder, change))
    }
    expect(recorded).toEqual([true, false])
    const period = { from: new Date(0), to: new Date(NOW.getTime() + 1), limit: 9 }
    expect(await history.listOutages({ ...SCOPE, ...period })).toMatchObject([{ id: 'outage-0' }])
    const again = await readScope(polls)
    expect([...((again && (await polls.readStates(again)))?.keys() ?? [])]).toEqual(['a1'])
    expect(again?.statesVersion).toBe('mark-0')
  })
})

const createResult = (poll: number): SuccessfulPoll => ({
  poll,
  at: new Date(NOW.getTime() + poll * 60_000),
  clockMs: 0,
  intervalMs: 60_000,
  total: 1,
  isFull: false,
})

/**
 * Simulates a process that stalls right before it saves an unchanged poll. Meanwhile, another process takes over its work and runs
 * `beforeSave`. Returns whether the poll was saved, and the stored scope.
 */
async function saveAfterStall(
  { url, keys }: TestDatabase,
  beforeSave: (polls: ReturnType<typeof createPollStore>, leaseHolder: LeaseHolder) => Promise<unknown>,
) {
  await using store = await openStore({ url, keys, clock })
  await using database = await openDatabase(url)
  await store.watching.watches.add(WATCH)
  const [work] = await store.work.claimDue('first', [WATCH_WORK.poll], 9)
  const workId = work?.id ?? ''
  const polls = createPollStore(database, createDatabaseTime(database.kind, clock))
  const relaxed: Database['relaxed'] = async (write) => {
    await database.rows.updateTable('work').set({ owner: 'second' }).where('id', '=', workId).execute()
    await beforeSave(polls, { workId, owner: 'second' })
    return database.relaxed(write)
  }
  const stalledPolls = createPollStore({ ...database, relaxed }, createDatabaseTime(database.kind, clock))
  const [isSaved] = await stalledPolls.saveUnchanged([
    { scope: SCOPE, leaseHolder: { workId, owner: 'first' }, result: createResult(1) },
  ])
  return { isSaved, scope: await readScope(polls) }
}

describe.each(SHARED_DATABASES)('a stalled process on $name', ({ start }) => {
  it('doesn’t overwrite later polls or a later failure', async () => {
    await using database = await start()
    const { isSaved, scope } = await saveAfterStall(database, async (polls, leaseHolder) => {
      expect(await polls.saveResult(SCOPE, leaseHolder, { result: createResult(1) })).toBe(true)
      expect(await polls.saveResult(SCOPE, leaseHolder, { result: createResult(2) })).toBe(true)
      const failed = { failure: 'unauthorized', at: new Date(), retryMs: 60_000 } as const
      expect(await polls.saveFailure(SCOPE, leaseHolder, failed)).toBe(true)
    })
    expect(isSaved).toBe(false)
    expect(scope).toMatchObject({
      poll: 3,
      isFailing: true,
    })
  })

  it('saves no poll after another process has taken over', async () => {
    await using database = await start()
    const { isSaved, scope } = await saveAfterStall(database, (polls, leaseHolder) =>
      polls.saveFailure(SCOPE, leaseHolder, { failure: 'unauthorized', at: new Date(), retryMs: 60_000 }),
    )
    expect(isSaved).toBe(false)
    expect(scope).toMatchObject({ poll: 1, isFailing: true })
  })
})

it('leaves database connections for user requests while many polls wait to be saved, on PostgreSQL', async () => {
  await using server = await startPostgresDatabase('migrated')
  await using database = await openDatabase(server.url)
  await using store = await openStore({ url: server.url, keys: KEY_A, clock })
  const { watches, polls } = store.watching
  const scopes = Array.from({ length: 20 }, (_, index) => ({ ...SCOPE, workspaceId: `T${index}` }))
  for (const scope of scopes) await watches.add({ ...WATCH, ...scope })
  const [work] = await store.work.claimDue('me', [WATCH_WORK.poll], 1)
  const leaseHolder = { workId: work?.id ?? '', owner: 'me' }
  const failed = { failure: 'unreachable', at: NOW, retryMs: 1000 } as const
  const { saved } = await database.rows.transaction().execute(async (transaction) => {
    await sql`lock table watch_poll in exclusive mode`.execute(transaction)
    const saved = scopes.map((scope) => polls.saveFailure(scope, leaseHolder, failed))
    const waiting = sql<{ many: string }>`select count(*) as many from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    const countWaiting = async () => Number((await waiting.execute(database.reading)).rows[0]?.many)
    await expect.poll(countWaiting, { interval: 5 }).toBeGreaterThan(3)
    expect(await watches.list('T7')).toHaveLength(1)
    return { saved }
  })
  expect(await Promise.all(saved)).toEqual(scopes.map(() => true))
})
