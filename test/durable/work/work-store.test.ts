import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createDatabaseTime } from '../../../packages/durable/src/database/clock.ts'
import { CommitUnknown } from '../../../packages/durable/src/database/errors.ts'
import { reschedule, unschedule } from '../../../packages/durable/src/work/schedule.ts'
import { createSteps } from '../../../packages/durable/src/work/steps.ts'
import type { WorkStore } from '../../../packages/durable/src/work/work-store.ts'
import { createWorkStore } from '../../../packages/durable/src/work/work-store.ts'
import { newId } from '../../../packages/runtime/src/new-id.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { startDatabaseProxy } from '../../databases/database-proxy.ts'
import { KEY_A, NO_PROCESSES, SHARED_DATABASES, sealerOf } from '../../databases/databases.ts'
import { migrate, openDatabase } from '../../databases/open.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { startStore } from '../../databases/store.ts'
import { decide } from '../../decide.ts'

const NO_AUDIT = {
  appendInTransaction: async () => undefined,
  appendMissing: async () => undefined,
  decide: () => Promise.reject(new Error('Unused.')),
}
const WORK = { workspaceId: 'T1', kind: 'k', body: { a: 1 } } as const
const KINDS = ['k', 'other']
const LEASE_MS = 60_000

const stop = (store: Store, id: string) =>
  decide(store, 'T1', (decisions) => store.work.within(decisions).stop(id))
const claimOne = async (work: WorkStore, owner: string) => (await work.claimDue(owner, KINDS, 1))[0]

describe.each(SHARED_DATABASES)('work on $name, after the clock changed', ({ start }) => {
  it.each([
    { byMs: -7_200_000, isDue: true },
    { byMs: -600_000, isDue: true },
    // A clock that is corrected gradually.
    { byMs: -500, isDue: false },
    { byMs: 30_000, isDue: false },
    { byMs: 7_200_000, isDue: true },
  ])('is made due once if the clock jumped by $byMs ms: $isDue', async ({ byMs, isDue }) => {
    await using database = await start()
    let now = Date.UTC(2026, 2, 1)
    await using store = await openStore({ ...database, clock: () => new Date(now) })
    const { work } = store
    const id = await work.add(WORK, 'waiting')
    await claimOne(work, 'one')
    await work.release(id, 'one', { state: 'waiting', dueInMs: 60_000 })
    now += byMs
    await work.makeDueAfterClockChange()
    expect((await claimOne(work, 'one'))?.id).toBe(isDue ? id : undefined)
    if (!isDue) return
    await work.release(id, 'one', { state: 'waiting', dueInMs: 60_000 })
    await work.makeDueAfterClockChange()
    expect(await claimOne(work, 'one')).toBeUndefined()
    now += 60_000
    expect((await claimOne(work, 'one'))?.id).toBe(id)
  })
})

it('says whether the database accepts writes, without changing a row', async () => {
  await using database = await openDatabase('sqlite::memory:')
  await database.withExclusiveLock((transaction) => migrate(transaction, new Date()))
  const time = createDatabaseTime(database.kind)
  const work = createWorkStore(database, time, sealerOf(KEY_A), NO_PROCESSES)
  await expect(work.makeDueAfterClockChange()).resolves.toBeUndefined()
  await sql`pragma query_only = on`.execute(database.rows)
  await expect(work.makeDueAfterClockChange()).rejects.toThrow('readonly')
})

it.each(SHARED_DATABASES)(
  'runs work on $name again immediately if it was requested while it ran, even if the clock was set back',
  async ({ start }) => {
    await using database = await start()
    let now = Date.UTC(2026, 2, 1)
    await using store = await openStore({ ...database, clock: () => new Date(now) })
    const { work } = store
    const key = { workspaceId: WORK.workspaceId, kind: WORK.kind, key: 'k' }
    const id = await work.add({ ...WORK, ...key }, 'waiting')
    for (const end of [{ state: 'waiting', dueInMs: 60_000 }, { state: 'done' }] as const)
      for (const owner of ['one', 'two']) {
        await claimOne(work, 'one')
        await work.schedule(key)
        now -= 5_400_000
        const [lease] = await work.listLeases()
        if (lease && owner === 'two') await work.takeOver(lease, owner)
        await work.release(id, owner, end)
        await work.makeDueAfterClockChange()
        expect((await claimOne(work, 'one'))?.id).toBe(id)
        await work.release(id, 'one', { state: 'waiting', dueInMs: 0 })
      }
  },
)

describe.each(SHARED_DATABASES)('work on $name', ({ start }) => {
  it('has one owner at a time, and can be taken over by only one other process', async () => {
    await using store = await startStore(start)
    const { work } = store
    const id = await work.add(WORK, 'waiting')
    expect(await claimOne(work, 'one')).toMatchObject({ id, workspaceId: 'T1', body: { a: 1 }, attempts: 1 })
    expect(await claimOne(work, 'two')).toBeUndefined()
    expect(await work.renew('one')).toEqual(new Map([[id, false]]))
    const [abandoned] = await work.listLeases()
    expect(abandoned).toMatchObject({ id, owner: 'one' })
    if (!abandoned) throw new Error('No work is running.')
    const takenOver = await Promise.all([work.takeOver(abandoned, 'two'), work.takeOver(abandoned, 'three')])
    expect(takenOver.filter(Boolean)).toHaveLength(1)
    expect(takenOver.find(Boolean)).toMatchObject({ id, attempts: 2 })
    expect(await work.renew('one')).toEqual(new Map())
    await work.release(id, 'one', { state: 'done' })
    expect((await work.find('T1', id))?.state).toBe('running')
    await work.release(id, takenOver[0] ? 'two' : 'three', { state: 'done', deletesBody: true })
    expect(await work.find('T1', id)).toMatchObject({ state: 'done', body: undefined })
    expect(await work.find('T2', id)).toBeUndefined()
  })

  it('isn’t taken over if its owner sent another heartbeat', async () => {
    await using store = await startStore(start)
    const { work } = store
    await work.add(WORK, 'waiting')
    await work.claimDue('one', KINDS, 1)
    await work.renew('one')
    const [lease] = await work.listLeases()
    if (!lease) throw new Error('No work is running.')
    // Two heartbeats in the same millisecond count as the same heartbeat.
    await setTimeout(2)
    await work.renew('one')
    expect(await work.takeOver(lease, 'two', LEASE_MS)).toBeUndefined()
  })

  it('is started once per key, and later calls return the existing work', async () => {
    await using store = await startStore(start)
    const { work } = store
    const keyed = { ...WORK, key: 'submission 1' }
    const begun = await Promise.all(Array.from({ length: 50 }, (_, index) => work.begin(keyed, `o${index}`)))
    const first = begun.filter(({ isNew }) => isNew)
    expect(first).toHaveLength(1)
    const [{ work: begunWork } = { work: undefined }] = first
    expect(new Set(begun.map(({ work }) => work.id))).toEqual(new Set([begunWork?.id]))
    expect((await work.begin({ ...keyed, workspaceId: 'T2' }, 'o')).isNew).toBe(true)
    const owner = begun.findIndex(({ isNew }) => isNew)
    await work.release(begunWork?.id ?? '', `o${owner}`, { state: 'done' })
    expect(await work.begin(keyed, 'later')).toMatchObject({
      isNew: false,
      work: { state: 'done' },
    })
  })

  it('can be rejected before it is committed, and later be started with the same key', async () => {
    await using store = await startStore(start)
    const { work } = store
    const refused = work.begin({ ...WORK, key: '1' }, 'one', () => {
      throw new Error('Refused.')
    })
    await expect(refused).rejects.toThrow('Refused.')
    const act = { ...WORK, key: '1', id: newId() }
    expect((await work.begin(act, 'one')).isNew).toBe(true)
    expect((await work.begin(act, 'one')).isNew).toBe(true)
    expect((await work.begin(act, 'two')).isNew).toBe(false)
    expect((await work.begin({ ...WORK, key: '1' }, 'one')).isNew).toBe(false)
    // Once this process has taken it over, it runs already.
    for (const lease of await work.listLeases()) await work.takeOver(lease, 'one')
    expect((await work.begin(act, 'one')).isNew).toBe(false)
  })

  it('runs once more with the same body if it is requested while it runs', async () => {
    await using store = await startStore(start)
    const { work } = store
    const finish = (id: string) => work.release(id, 'me', { state: 'done', deletesBody: true })
    const { id } = (await work.begin({ ...WORK, key: '1' }, 'me')).work
    await work.schedule({ workspaceId: WORK.workspaceId, kind: WORK.kind, key: '1' })
    await finish(id)
    expect(await work.find('T1', id)).toMatchObject({ state: 'waiting', body: WORK.body })
    expect(await claimOne(work, 'me')).toMatchObject({ id, attempts: 1 })
  })

  it('starts only once, and can be stopped and restarted', async () => {
    await using store = await startStore(start)
    const { work } = store
    const id = await work.add(WORK, 'prepared')
    expect(await claimOne(work, 'one')).toBeUndefined()
    const begin = (workspaceId = 'T1') =>
      decide(store, workspaceId, (decisions) => work.within(decisions).start(id, WORK))
    const results = await Promise.all([begin(), begin()])
    expect(results.sort()).toEqual(['over', 'started'])
    expect(await stop(store, id)).toBe('stopped')
    expect(await begin('T2')).toBe('over')
    expect(await begin()).toBe('started')
    await claimOne(work, 'one')
    expect(await decide(store, 'T2', (decisions) => work.within(decisions).stop(id))).toBe('over')
    expect(await stop(store, id)).toBe('asked')
    expect(await work.renew('one')).toEqual(new Map([[id, true]]))
    await work.release(id, 'one', { state: 'stopped' })
    expect(await begin()).toBe('started')
    expect(await claimOne(work, 'one')).toMatchObject({ body: { a: 1 }, attempts: 1 })
    expect(await work.renew('one')).toEqual(new Map([[id, false]]))
    await work.release(id, 'one', { state: 'done' })
    expect(await stop(store, id)).toBe('over')
    expect(await begin()).toBe('over')
    expect(await stop(store, await work.add(WORK, 'prepared'))).toBe('stopped')
  })

  it.each([
    { state: 'waiting', afterUnschedule: undefined, afterReschedule: 'waiting' },
    { state: 'running', afterUnschedule: 'running', afterReschedule: 'running' },
    { state: 'stopped', afterUnschedule: undefined, afterReschedule: 'stopped' },
    { state: 'done', afterUnschedule: undefined, afterReschedule: 'waiting' },
  ] as const)(
    'that is $state is unscheduled and rescheduled within a transaction',
    async ({ state, afterUnschedule, afterReschedule }) => {
      await using store = await startStore(start)
      await using opened = await openDatabase(store.url)
      const { work } = store
      const keys = ['unscheduled', 'rescheduled', 'other kind'].map((key) => ({ ...WORK, key }))
      const ids: string[] = []
      for (const each of keys)
        if (state === 'waiting') ids.push(await work.add(each, 'waiting'))
        else {
          const { id } = (await work.begin(each, 'one')).work
          ids.push(id)
          if (state !== 'running') await work.release(id, 'one', { state })
        }
      const [unscheduled, rescheduled, other] = ids
      await unschedule(opened.rows, { ...WORK, key: 'unscheduled' })
      await reschedule(opened.rows, createDatabaseTime(opened.kind), WORK.kind, rescheduled ?? '')
      await reschedule(opened.rows, createDatabaseTime(opened.kind), 'other', other ?? '')
      const stateOf = async (id?: string) => (await work.find('T1', id ?? ''))?.state
      expect(await Promise.all([unscheduled, rescheduled, other].map(stateOf))).toEqual([
        afterUnschedule,
        afterReschedule,
        state,
      ])
    },
  )

  it('keeps a stop request when another process takes it over or claims it', async () => {
    await using store = await startStore(start)
    const { work } = store
    const id = await work.add(WORK, 'waiting')
    expect((await claimOne(work, 'one'))?.wantsStop).toBe(false)
    await stop(store, id)
    const [lease] = await work.listLeases()
    if (!lease) throw new Error('No work is running.')
    expect((await work.takeOver(lease, 'two'))?.wantsStop).toBe(true)
    await work.release(id, 'two', { state: 'waiting', dueInMs: 0 })
    expect((await claimOne(work, 'three'))?.wantsStop).toBe(true)
  })

  it('is asked to stop, and is due, while it pauses between two attempts', async () => {
    await using store = await startStore(start)
    const { work } = store
    const id = await work.add(WORK, 'waiting')
    await claimOne(work, 'one')
    await work.release(id, 'one', { state: 'waiting', dueInMs: 600_000 })
    expect(await claimOne(work, 'one')).toBeUndefined()
    expect(await stop(store, id)).toBe('asked')
    expect(await claimOne(work, 'two')).toMatchObject({ id, wantsStop: true })
  })

  it('is claimed for workspaces in equal parts', async () => {
    await using store = await startStore(start)
    const { work } = store
    for (let index = 0; index < 8; index += 1) await work.add(WORK, 'waiting')
    await work.add({ ...WORK, workspaceId: 'T2' }, 'waiting')
    const claim = async (limit: number, options = {}) =>
      (await work.claimDue('one', KINDS, limit, options)).map(({ workspaceId }) => workspaceId).toSorted()
    expect(await claim(2)).toEqual(['T1', 'T2'])
    await work.add({ ...WORK, workspaceId: 'T3' }, 'waiting')
    await work.add({ ...WORK, workspaceId: 'T3' }, 'waiting')
    expect(await claim(4)).toEqual(['T1', 'T1', 'T3', 'T3'])
    expect(await claim(4, { except: ['T1'] })).toEqual([])
    expect(await claim(4, { perWorkspace: 2 })).toEqual(['T1', 'T1'])
  })

  it('is claimed first for the workspace that has waited longest, even if it also has newer work', async () => {
    await using database = await start()
    let now = Date.UTC(2026, 2, 1)
    await using store = await openStore({ ...database, clock: () => new Date(now) })
    for (const workspaceId of ['T1', 'T2', 'T1']) {
      now += 1000
      await store.work.add({ ...WORK, workspaceId }, 'waiting')
    }
    expect((await claimOne(store.work, 'one'))?.workspaceId).toBe('T1')
  })

  it('is claimed for colleagues first while one person has some of it running, and else by age', async () => {
    await using database = await start()
    let now = Date.UTC(2026, 2, 1)
    await using store = await openStore({ ...database, clock: () => new Date(now) })
    const people = ['U1', 'U1', 'U1', undefined, 'U2', 'U2', 'U3']
    for (const personId of people) {
      now += 1000
      await store.work.add({ ...WORK, personId }, 'waiting')
    }
    await store.work.add({ ...WORK, kind: 'unclaimed', personId: 'U2' }, 'waiting')
    await store.work.claimDue('one', ['unclaimed'], 1)
    const claimed: (string | undefined)[] = []
    for (const _ of people) {
      const work = await claimOne(store.work, 'one')
      claimed.push(work?.personId)
      // Only U1's goes on.
      if (work && work.personId !== 'U1') await store.work.release(work.id, 'one', { state: 'done' })
    }
    expect(claimed).toEqual(['U1', undefined, 'U2', 'U2', 'U3', 'U1', 'U1'])
  })

  it('is claimed for many workspaces in one statement, and never by two processes', async () => {
    await using store = await startStore(start)
    for (let index = 0; index < 90; index += 1)
      await store.work.add({ ...WORK, workspaceId: `T${index}` }, 'waiting')
    const claim = (owner: string, limit: number) => store.work.claimDue(owner, KINDS, limit)
    const first = await claim('one', 30)
    expect(first).toHaveLength(30)
    const ids = first.map(({ id }) => id)
    while (ids.length < 90) {
      const others = await Promise.all(['two', 'three', 'four'].map((owner) => claim(owner, 20)))
      ids.push(...others.flat().map(({ id }) => id))
    }
    expect(new Set(ids).size).toBe(90)
  })

  it('is added once per key, by several callers at once', async () => {
    await using store = await startStore(start)
    const add = (workspaceId: string, key: string) =>
      store.work.add({ workspaceId, kind: 'k', key, body: key }, 'prepared')
    const ids = await Promise.all([add('T1', 'a'), add('T1', 'a'), add('T1', 'b'), add('T2', 'a')])
    expect(ids[0]).toBe(ids[1])
    expect(new Set(ids).size).toBe(3)
  })

  it('is scheduled once per kind and key, and runs again if requested while it ran', async () => {
    await using store = await startStore(start)
    const { work } = store
    const scheduled = { workspaceId: 'T1', kind: 'k', key: 'order 1' }
    await work.schedule(scheduled, new Date(Date.now() + 3_600_000))
    expect(await claimOne(work, 'one')).toBeUndefined()
    await work.ensure(scheduled, 0)
    expect(await claimOne(work, 'one')).toBeUndefined()
    await work.schedule(scheduled)
    const claimed = await claimOne(work, 'one')
    expect(claimed).toMatchObject({ key: 'order 1' })
    await work.schedule(scheduled)
    expect(await claimOne(work, 'two')).toBeUndefined()
    await work.release(claimed?.id ?? '', 'one', { state: 'done' })
    const reclaimed = await claimOne(work, 'two')
    expect(reclaimed).toMatchObject({ id: claimed?.id, attempts: 1 })
    await work.release(reclaimed?.id ?? '', 'two', { state: 'waiting', dueInMs: 3_600_000 })
    expect(await claimOne(work, 'one')).toBeUndefined()
  })

  it('is rescheduled by ensure if it was stopped, but not while it waits or runs', async () => {
    await using store = await startStore(start)
    const { work } = store
    const scheduled = { workspaceId: '', kind: 'k', key: 'hourly' }
    await work.ensure(scheduled, 0)
    const claimed = await claimOne(work, 'one')
    await work.ensure(scheduled, 0)
    expect(await claimOne(work, 'two')).toBeUndefined()
    await work.release(claimed?.id ?? '', 'one', { state: 'stopped' })
    await work.ensure(scheduled, 0)
    expect(await claimOne(work, 'two')).toMatchObject({ id: claimed?.id, attempts: 1 })
    await work.release(claimed?.id ?? '', 'two', { state: 'waiting', dueInMs: LEASE_MS })
    await work.ensure(scheduled, 0)
    expect(await claimOne(work, 'two')).toBeUndefined()
  })

  it('doesn’t block other writes while its steps are added, and gets the missing steps after a crash', async () => {
    await using store = await startStore(start)
    const id = await store.work.add(WORK, 'prepared')
    const steps = Array.from({ length: 3000 }, (_, index) => ({ line: index + 1, body: { index } }))
    await store.steps.add(id, steps.slice(0, 1500))
    const adding = store.steps.add(id, steps)
    const readyCounts: number[] = []
    for (let writes = 0; writes < 3000 && readyCounts.at(-1) !== 3000; writes += 1) {
      await store.work.add({ ...WORK, kind: 'other' }, 'waiting')
      readyCounts.push((await store.steps.countByState(id)).ready)
    }
    // If the steps were added in one transaction, no count between 1,500 and 3,000 would be visible.
    expect(readyCounts.filter((ready) => ready > 1500 && ready < 3000)).not.toEqual([])
    await adding
    expect(await store.steps.countByState(id)).toMatchObject({ ready: 3000, begun: 0 })
  })

  it('is deleted together with any number of steps', async () => {
    await using address = await start()
    await using database = await openDatabase(address.url)
    await database.withExclusiveLock((transaction) => migrate(transaction, new Date()))
    const time = createDatabaseTime(database.kind)
    const keys = sealerOf(address.keys)
    const work = createWorkStore(database, time, keys, NO_PROCESSES)
    const steps = createSteps(database, time, keys, NO_AUDIT)
    const bodies = Array.from({ length: 1234 }, (_, index) => ({ line: index + 2, body: index }))
    const [sweptId, keptId] = [await work.add(WORK, 'prepared'), await work.add(WORK, 'waiting')]
    for (const id of [sweptId, keptId]) await steps.add(id, bodies)
    // A negative age, so that all work that has ended or was never started is old enough to be deleted.
    expect(await work.sweep({}, -1000)).toBe(1)
    expect(await work.find('T1', sweptId)).toBeUndefined()
    const remaining = await database.rows.selectFrom('work_step').select('work_id').execute()
    expect(remaining.map(({ work_id }) => work_id)).toEqual(bodies.map(() => keptId))
  })

  it('is deleted once it is old and finished, but never while it waits or runs', async () => {
    await using store = await startStore(start)
    const { work } = store
    const ids: string[] = []
    for (const state of ['waiting', 'prepared'] as const) ids.push(await work.add(WORK, state))
    const { work: running } = await work.begin({ ...WORK, key: 'r' }, 'one')
    const { work: act } = await work.begin({ ...WORK, kind: 'act', key: 'a' }, 'one')
    await work.release(act.id, 'one', { state: 'done' })
    expect(await work.sweep({ exceptKind: 'act' }, 60_000)).toBe(0)
    expect(await work.sweep({ states: ['stopped'] }, -1000)).toBe(0)
    expect(await work.sweep({ exceptKind: 'act' }, -1000)).toBe(1)
    expect(await work.find('T1', ids[0] ?? '')).toBeDefined()
    expect(await work.find('T1', running.id)).toBeDefined()
    expect(await work.sweep({ kind: 'act' }, -1000)).toBe(1)
    expect(await work.find('T1', act.id)).toBeUndefined()
  })
})

it('reports a commit as unknown if its response is lost, and finds the row on the next try', async () => {
  await using server = await startPostgresDatabase('migrated')
  await using proxy = await startDatabaseProxy(new URL(server.url))
  await using store = await openStore({ url: proxy.url, keys: KEY_A })
  const act = { ...WORK, key: '1', id: newId() }
  proxy.loseCommitOf('insert into "work"')
  const begun = store.work.begin(act, 'me')
  begun.catch(() => undefined)
  await expect.poll(proxy.hasLost).toBe(true)
  proxy.restore()
  await expect(begun).rejects.toThrow(CommitUnknown)
  expect(await store.work.begin(act, 'me')).toMatchObject({ isNew: true, work: { id: act.id } })
  proxy.disconnect()
  const refused = store.work.begin({ ...act, id: newId() }, 'me')
  await expect(refused).rejects.not.toThrow(CommitUnknown)
})

it('stops work that its owner releases at the same time, on PostgreSQL', async () => {
  await using server = await startPostgresDatabase('migrated')
  await using store = await openStore({ url: server.url, keys: KEY_A })
  await using database = await openDatabase(server.url)
  const { work } = store
  const id = await work.add(WORK, 'waiting')
  await claimOne(work, 'one')
  const updateRow = (db: typeof database.rows) => db.updateTable('work').where('id', '=', id)
  const lockWaits = sql<{ count: string }>`select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const stopped = await database.rows.transaction().execute(async (transaction) => {
    await updateRow(transaction).set({ state: 'waiting', owner: null }).execute()
    const stopping = stop(store, id)
    const countWaiting = async () => Number((await lockWaits.execute(database.rows)).rows[0]?.count)
    await expect.poll(countWaiting, { interval: 5 }).toBeGreaterThan(0)
    return { stopping }
  })
  expect(await stopped.stopping).toBe('asked')
  expect(await work.find('T1', id)).toMatchObject({ state: 'waiting', wantsStop: true })
})
