import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { selectRows } from '../../../../packages/durable/src/index.ts'
import { openStore } from '../../../../src/app/store.ts'
import type { ScopeDeps } from '../../../../src/features/watching/polling/poll-scope.ts'
import { createPollWork } from '../../../../src/features/watching/polling/poll-work.ts'
import { hashToPollGroup, WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS } from '../../../../src/features/watching/rules/watch.ts'
import { createLog } from '../../../../src/log.ts'
import type { Api } from '../../../../src/service/service.ts'
import { SHARED_DATABASES, startSqliteFile, type TestDatabase } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'
import { eitherOf } from '../../../long.ts'
import { createStopwatch } from '../stopwatch.ts'

const START_MS = Date.UTC(2026, 2, 1, 12)
const INTERVAL_MS = 60_000
/** The poll group that saves unchanged polls least often: after more than four polls. */
const GROUP = 240
const IDS = Array.from({ length: 30_000 }, (_, index) => `T${index}`)
  .filter((id) => hashToPollGroup(id) === GROUP)
  .slice(0, 21)
/** A workspace whose watch is added later than the others. */
const LATER_ID = IDS.pop() ?? ''

const ALL_TIME = { from: new Date(0), to: new Date(START_MS * 2) }
const toScope = (workspaceId: string) => ({ workspaceId, environment: 'production' }) as const

/** Simulates processes that share a database and its clock. Each has its own stopwatch. */
async function startCluster({ url, keys }: TestDatabase) {
  let nowMs = START_MS
  const clock = () => new Date(nowMs)
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url, keys, now: clock, clock }))
  const database = started.use(await openDatabase(url))
  const { watches, history, polls } = store.watching
  const watch = (workspaceId: string) =>
    watches.add({
      ...{ workspaceId, channelId: 'C1', environment: 'production', filter: ALL_CHECKS },
      ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: clock() },
    } as const)
  for (const id of IDS) await watch(id)
  const down = new Set<string>()
  const listChecks = (id: string) => [
    { uuid: 'a1', name: 'web-1', status: down.has(id) ? 'UNHEALTHY' : 'HEALTHY' },
  ]
  const processes = new Set<{ pass(ms: number): Promise<void> }>()

  /** Starts a process that claims the group, or takes over its lease. Throws if the group isn't due. */
  async function startProcess(owner: string) {
    const times = createStopwatch()
    const polledIds: string[] = []
    const work = createPollWork({
      ...times,
      polls,
      getApi: async (id: string) => {
        polledIds.push(id)
        const value = { total: 1, isComplete: true, results: listChecks(id) }
        return { healthChecks: { listIfChanged: async () => ({ digest: 'd', value }) } } as unknown as Api
      },
      log: createLog('silent'),
      intervalMs: INTERVAL_MS,
      wake: () => undefined,
    } as ScopeDeps)
    const stop = new AbortController()
    let isOver = false
    const [lease] = (await store.work.listLeases()).filter(({ kind }) => kind === WATCH_WORK.poll)
    const leased = lease
      ? await store.work.takeOver(lease, owner)
      : await store.work.claim({ workspaceId: '', kind: WATCH_WORK.poll, key: `${GROUP}` }, owner)
    if (!leased) throw new Error('The group is not due.')
    const run = work
      .run({ work: leased, owner, signal: stop.signal, wantsStop: () => false })
      .then((end) => store.work.release(leased.id, owner, end))
      .finally(() => {
        isOver = true
      })
    const handle = {
      polledIds,
      run,
      isOver: () => isOver,
      /** Crashes or stalls the process: it does nothing unless the test calls its `pass`. */
      kill: () => processes.delete(handle),
      async stop(): Promise<void> {
        processes.delete(handle)
        stop.abort()
        await run
      },
      async pass(ms: number): Promise<void> {
        times.pass(ms)
        await times.waitUntilIdle()
      },
    }
    processes.add(handle)
    await times.waitUntilIdle()
    return handle
  }

  /** Returns a value that changes with every write to any table. */
  async function readVersion(): Promise<string> {
    if (database.kind === 'sqlite') {
      // `data_version` changes with every commit on another connection.
      const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(database.rows)
      return `${rows[0]?.data_version}`
    }
    const tables = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = 'public'`.execute(database.rows)
    const versions = tables.rows.map(async ({ name }) => {
      const { rows } = await sql<{ all: string }>`
        select string_agg(ctid::text || xmin::text, ' ' order by ctid) as all from ${sql.table(name)}`.execute(
        database.rows,
      )
      return `${name} ${rows[0]?.all}`
    })
    return (await Promise.all(versions)).join('\n')
  }

  const resources = started.move()
  return {
    watches,
    watch,
    listOutages: (id = '') => history.listOutages({ ...toScope(id), ...ALL_TIME, limit: 9 }),
    listObserved: (id = '') => history.listObserved({ ...toScope(id), ...ALL_TIME }),
    /** The number of the next poll, and a version that changes with each write of the states. */
    async readPolls(id = '') {
      const [scope] = (await polls.readScopes([toScope(id)])).scopes.values()
      return { nextPoll: scope?.poll ?? 0, statesVersion: scope?.statesVersion }
    },
    listOpenCards: (id = '') =>
      selectRows(database.rows, 'watch_card', { workspace_id: id, closed_at: null }).execute(),
    down,
    readVersion,
    startProcess,
    /** Runs rounds of two seconds. */
    async pass(ms: number): Promise<void> {
      for (let passedMs = 0; passedMs < ms; passedMs += 2000) {
        nowMs += 2000
        for (const process of processes) await process.pass(2000)
      }
    },
    jump(ms: number): void {
      nowMs += ms
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe.each(eitherOf(SHARED_DATABASES))('polls without changes, on $name', ({ start }) => {
  it('write no row in 100 polls while one process leases the group', async () => {
    await using database = await start()
    await using cluster = await startCluster(database)
    const process = await cluster.startProcess('first')
    expect(process.polledIds).toHaveLength(IDS.length)
    const before = await cluster.readVersion()
    await cluster.pass(2 * INTERVAL_MS + 10_000)
    expect(process.isOver()).toBe(false)
    expect(process.polledIds).toHaveLength(3 * IDS.length)
    expect(await cluster.readVersion()).toBe(before)
    cluster.down.add(IDS[7] ?? '')
    await cluster.pass(INTERVAL_MS)
    expect(await cluster.listOutages(IDS[7])).toHaveLength(1)
  })

  it('are saved when their process stops, and the next process polls only what is due', async () => {
    await using database = await start()
    await using cluster = await startCluster(database)
    const first = await cluster.startProcess('first')
    await cluster.pass(30_000)
    await cluster.watch(LATER_ID)
    await cluster.pass(40_000)
    expect(first.polledIds).toHaveLength(2 * IDS.length + 1)
    await first.stop()
    await cluster.pass(20_000)
    const next = await cluster.startProcess('second')
    await cluster.pass(10_000)
    expect(next.polledIds).toEqual([LATER_ID])
    await cluster.pass(30_000)
    expect(next.polledIds).toHaveLength(1 + IDS.length)
    // Unsaved polls count as observed too.
    expect(await cluster.listObserved(IDS[0])).toEqual([{ from: new Date(START_MS), to: expect.any(Date) }])
  })

  it('are taken over by another process after a crash, without missing or repeating outages', async () => {
    await using database = await start()
    await using cluster = await startCluster(database)
    const [downId] = IDS
    const first = await cluster.startProcess('first')
    await cluster.pass(2 * INTERVAL_MS + 20_000)
    first.kill()
    cluster.down.add(downId ?? '')
    const next = await cluster.startProcess('second')
    expect(next.polledIds.length).toBeLessThanOrEqual(2)
    await cluster.pass(INTERVAL_MS)
    expect(next.polledIds.toSorted()).toEqual(expect.arrayContaining(IDS.toSorted()))
    expect(next.polledIds.length).toBeLessThan(1.2 * IDS.length)
    await cluster.pass(INTERVAL_MS)
    expect(await cluster.listOutages(downId)).toHaveLength(1)
    expect(await cluster.listOpenCards(downId)).toHaveLength(1)
  })

  it('aren’t saved by a stalled process after another has taken over', async () => {
    await using database = await start()
    await using cluster = await startCluster(database)
    const first = await cluster.startProcess('first')
    await cluster.pass(INTERVAL_MS + 10_000)
    first.kill()
    const next = await cluster.startProcess('second')
    await cluster.pass(INTERVAL_MS)
    await next.stop()
    const before = await cluster.readVersion()
    const { length } = first.polledIds
    await first.pass(INTERVAL_MS)
    await first.run
    expect(await cluster.readVersion()).toBe(before)
    expect(first.polledIds).toHaveLength(length)
  })
})

/** These tests run on one database, because they don't depend on its kind. */
describe('polls without changes', () => {
  it('leave no gap in the observed time, even if they stay unsaved for a long time', async () => {
    await using database = await startSqliteFile()
    await using cluster = await startCluster(database)
    const first = await cluster.startProcess('first')
    await cluster.pass(4 * INTERVAL_MS)
    const polls = first.polledIds.filter((id) => id === IDS[0]).length
    expect(polls).toBeGreaterThan(3)
    await first.stop()
    expect(await cluster.listObserved(IDS[0])).toEqual([
      { from: new Date(START_MS), to: new Date(START_MS + (polls - 1) * INTERVAL_MS) },
    ])
  })

  it('save the poll number up to the fifth bad poll of an outage, but not the unchanged states', async () => {
    await using database = await startSqliteFile()
    await using cluster = await startCluster(database)
    await cluster.startProcess('first')
    const [downId] = IDS
    cluster.down.add(downId ?? '')
    await cluster.pass(INTERVAL_MS)
    const { nextPoll, statesVersion } = await cluster.readPolls(downId)
    await cluster.pass(4 * INTERVAL_MS)
    // Saved up to the fifth bad poll, so that a new watch that waits for five has the outage in its baseline.
    expect(await cluster.readPolls(downId)).toEqual({ nextPoll: nextPoll + 4, statesVersion })
    const before = await cluster.readVersion()
    await cluster.pass(2 * INTERVAL_MS)
    expect(await cluster.readVersion()).toBe(before)
    expect(await cluster.listOpenCards(downId)).toHaveLength(1)
  })

  it('keep their interval and notice changes by other processes, even if the clock is changed', async () => {
    await using database = await startSqliteFile()
    await using cluster = await startCluster(database)
    const process = await cluster.startProcess('first')
    for (const ms of [-7_200_000, 14_400_000]) {
      const { length } = process.polledIds
      await cluster.pass(20_000)
      cluster.jump(ms)
      await cluster.pass(INTERVAL_MS - 20_000)
      expect(process.polledIds).toHaveLength(length + IDS.length)
    }
    await cluster.watch(LATER_ID)
    await cluster.pass(4000)
    expect(process.polledIds.filter((id) => id === LATER_ID)).toHaveLength(1)
    for (const { id } of await cluster.watches.list(LATER_ID))
      await cluster.watches.remove(LATER_ID, id, new Date())
    await cluster.pass(INTERVAL_MS)
    expect(process.polledIds.filter((id) => id === LATER_ID)).toHaveLength(1)
  })
})
