import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { LANES, type WorkKind } from '../../../packages/durable/src/engine/work-kind.ts'
import type { Work } from '../../../packages/durable/src/work/work-row.ts'
import type { WorkStore } from '../../../packages/durable/src/work/work-store.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'
import { decide } from '../../decide.ts'
import { eitherOf } from '../../long.ts'

const log = createLog('silent')
/** Short, so that tests don't wait long, but long enough for a heartbeat on a busy machine. */
const TIMES = { leaseMs: 1000, pollMs: 50, retryMs: 20 }

const startTestEngine = (store: Store, ...kinds: WorkKind[]): Engine =>
  startEngine({ store: store.work, kinds, log, times: TIMES })

/** Work of the kind `k`, unless `more` says otherwise. Without `run`, it's done at once. */
const createKind = (more: Partial<WorkKind> = {}): WorkKind => ({
  kind: 'k',
  lane: 'quick',
  run: async () => ({ state: 'done' }),
  ...more,
})

const readState = async (store: Store, id: string) => (await store.work.find('T1', id))?.state

describe.each(eitherOf(SHARED_DATABASES))('the engine on $name', ({ start }) => {
  it('runs due work, retries failures, and reports when it gives up', async () => {
    await using store = await startStore(start)
    let attempts = 0
    const gaveUp: string[] = []
    const flaky = createKind({
      kind: 'flaky',
      async run() {
        attempts += 1
        if (attempts < 3) throw new Error('Not yet.')
        return { state: 'done' }
      },
    })
    const hopeless = createKind({
      ...{ kind: 'hopeless', maxAttempts: 1, deletesBody: true },
      run: () => Promise.reject(new Error('Never.')),
      onGiveUp: async ({ id }) => void gaveUp.push(id),
    })
    await using engine = startTestEngine(store, flaky, hopeless)
    const [flakyId, hopelessId] = await Promise.all(
      ['flaky', 'hopeless'].map((kind) =>
        store.work.add({ workspaceId: 'T1', kind, body: 'typed' }, 'waiting'),
      ),
    )
    engine.wake()
    await expect.poll(() => readState(store, flakyId ?? '')).toBe('done')
    await expect.poll(() => readState(store, hopelessId ?? '')).toBe('stopped')
    expect(attempts).toBe(3)
    expect(gaveUp).toEqual([hopelessId])
    expect((await store.work.find('T1', hopelessId ?? ''))?.body).toBeUndefined()
  })

  it('keeps running recurring work without counting its runs as failed attempts', async () => {
    await using store = await startStore(start)
    let runs = 0
    const recurring = createKind({
      kind: 'round',
      maxAttempts: 2,
      async run() {
        runs += 1
        return runs === 5 ? { state: 'done' } : { state: 'waiting', dueInMs: 0, isSuccess: true }
      },
    })
    await using engine = startTestEngine(store, recurring)
    const id = await store.work.add({ workspaceId: 'T1', kind: 'round' }, 'waiting')
    engine.wake()
    await expect.poll(() => readState(store, id)).toBe('done')
    expect(runs).toBe(5)
  })

  it('still runs a workspace’s work if another one’s hanging work could fill all slots', async () => {
    await using store = await startStore(start)
    const hanging = Promise.withResolvers<void>()
    const ended: string[] = []
    const kinds = LANES.map((lane) =>
      createKind({
        kind: lane,
        lane,
        async run({ work }) {
          if (work.workspaceId !== 'T-next') await hanging.promise
          ended.push(`${work.workspaceId} ${lane}`)
          return { state: 'done' }
        },
      }),
    )
    // The hanging work was added first, and T0 alone has more of it than any lane has slots.
    for (const lane of LANES) {
      for (let index = 0; index < 70; index += 1)
        await store.work.add({ workspaceId: 'T0', kind: lane }, 'waiting')
    }
    await using engine = startTestEngine(store, ...kinds)
    await expect.poll(async () => (await store.work.listLeases()).length).toBeGreaterThan(LANES.length)
    for (const lane of LANES) await store.work.add({ workspaceId: 'T-next', kind: lane }, 'waiting')
    engine.wake()
    const expectedRuns = LANES.map((lane) => `T-next ${lane}`).toSorted()
    await expect.poll(() => ended.toSorted()).toEqual(expectedRuns)
    hanging.resolve()
  })

  it('stops and releases running work when it is disposed', async () => {
    await using store = await startStore(start)
    const running: Work[] = []
    const kind = createKind({
      kind: 'until-stopped',
      lane: 'long',
      async run({ work, signal, wantsStop }) {
        running.push(work)
        while (!wantsStop()) {
          signal.throwIfAborted()
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
        return { state: 'stopped' }
      },
    })
    const id = await store.work.add({ workspaceId: 'T1', kind: 'until-stopped' }, 'waiting')
    {
      await using engine = startTestEngine(store, kind)
      engine.wake()
      await expect.poll(() => running).toHaveLength(1)
    }
    expect(await readState(store, id)).toBe('waiting')
    await using engine = startTestEngine(store, kind)
    await expect.poll(() => running).toHaveLength(2)
    await decide(store, 'T1', (decisions) => store.work.within(decisions).stop(id))
    await expect.poll(() => readState(store, id)).toBe('stopped')
    expect(engine.owner).not.toBe('')
  })

  it('lets running work finish while draining, and releases work that takes too long', async () => {
    await using store = await startStore(start)
    const finish = Promise.withResolvers<void>()
    const begun: string[] = []
    const kind = createKind({
      async run({ work, signal }) {
        begun.push(work.key ?? '')
        if (work.key === 'endless')
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        await finish.promise
        signal.throwIfAborted()
        return { state: 'done' }
      },
    })
    const schedule = (key: string) => store.work.schedule({ workspaceId: 'T1', kind: 'k', key })
    const listOpenWork = async () =>
      (await store.work.listOpen('T1', ['k'])).map(({ key, state }) => `${key} ${state}`)
    await using engine = startTestEngine(store, kind)
    for (const key of ['quick', 'endless']) await schedule(key)
    engine.wake()
    await expect.poll(() => begun.toSorted()).toEqual(['endless', 'quick'])
    const drained = engine.drain(1000)
    finish.resolve()
    await drained
    await schedule('late')
    engine.wake()
    // If the engine still searched for work, it would have claimed the new work before this drain ends.
    await engine.drain(1000)
    await expect
      .poll(async () => (await listOpenWork()).toSorted())
      .toEqual(['endless waiting', 'late waiting'])
    expect(begun).toHaveLength(2)
    // What a request begins still runs.
    const asked = await engine.begin({ workspaceId: 'T1', kind: 'k', key: 'asked' })
    if (!('leased' in asked)) throw new Error('Another process has begun it.')
    await engine.run(asked.leased)
    expect(begun).toHaveLength(3)
    expect((await listOpenWork()).toSorted()).toEqual(['endless waiting', 'late waiting'])
  })

  it('immediately releases resumable work when it drains', async () => {
    await using store = await startStore(start)
    const kinds = (['long', 'poll', 'maintenance'] as const).map((lane) =>
      createKind({
        ...{ kind: lane, lane },
        run: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      }),
    )
    await using engine = startTestEngine(store, ...kinds)
    for (const { kind } of kinds) await store.work.schedule({ workspaceId: 'T1', kind, key: 'a' })
    engine.wake()
    const listOpenWork = async () => {
      const names = kinds.map(({ kind }) => kind)
      return (await store.work.listOpen('T1', names)).map(({ state }) => state)
    }
    await expect.poll(listOpenWork).toEqual(kinds.map(() => 'running'))
    // Returns long before this timeout.
    await engine.drain(2 ** 30)
    expect(await listOpenWork()).toEqual(kinds.map(() => 'waiting'))
  })

  it('gives up on work if the process died in every attempt', async () => {
    await using store = await startStore(start)
    const gaveUp: string[] = []
    const deadly = createKind({
      ...{ kind: 'deadly', maxAttempts: 1 },
      run: () => Promise.reject(new Error('It must not begin again.')),
      onGiveUp: async ({ id }, error) => void gaveUp.push(`${id} ${error}`),
    })
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'deadly', key: 'a' }, 'gone')
    await using engine = startTestEngine(store, deadly)
    expect(engine.owner).not.toBe('gone')
    await expect.poll(() => readState(store, work.id)).toBe('stopped')
    expect(gaveUp).toEqual([expect.stringContaining('Every attempt was interrupted.')])
  })

  it('keeps the lease of begun work until it has run', async () => {
    await using store = await startStore(start)
    await using engine = startTestEngine(store, createKind({ run: async () => ({ state: 'done' }) }))
    const begun = await engine.begin({ workspaceId: 'T1', kind: 'k', key: 'x' })
    if (!('leased' in begun)) throw new Error('Another process has begun it.')
    expect(await engine.begin({ workspaceId: 'T1', kind: 'k', key: 'x' })).toMatchObject({
      existing: { state: 'running' },
    })
    await engine.run(begun.leased)
    expect(await engine.begin({ workspaceId: 'T1', kind: 'k', key: 'x' })).toMatchObject({
      existing: { state: 'done' },
    })
  })
})

describe.each(SHARED_DATABASES)('two engines on $name', ({ start }) => {
  it('run each piece of work only once, and take over abandoned work', async () => {
    await using database = await start()
    await using firstStore = await openStore(database)
    await using secondStore = await openStore(database)
    const finished: string[] = []
    const kind = (name: string) =>
      createKind({
        async run({ work }) {
          finished.push(`${work.key} by ${name}`)
          return { state: 'done' }
        },
      })
    for (let index = 0; index < 40; index += 1)
      await firstStore.work.schedule({ workspaceId: `T${index % 3}`, kind: 'k', key: `${index}` })
    // The owner “gone” stands for a killed process, which sends no heartbeats.
    const { work: abandoned } = await firstStore.work.begin(
      { workspaceId: 'T1', kind: 'k', key: 'abandoned' },
      'gone',
    )
    await using first = startTestEngine(firstStore, kind('first'))
    await using second = startTestEngine(secondStore, kind('second'))
    expect(first.owner).not.toBe(second.owner)
    await expect.poll(() => finished.length).toBe(41)
    expect(new Set(finished.map((line) => line.split(' ')[0])).size).toBe(41)
    await expect.poll(() => readState(firstStore, abandoned.id)).toBe('done')
  })
})

/** Starts an engine that searches this way for work, and only when it's woken. */
const startSearching = (claimDue: () => Promise<[]>): Engine =>
  startEngine({
    // It leaves when it's disposed.
    store: {
      leave: async () => undefined,
      listDueKinds: async () => new Set([createKind().kind]),
      claimDue,
    } as unknown as WorkStore,
    kinds: [createKind()],
    ...{ log, times: { leaseMs: 60_000, pollMs: 60_000 } },
  })

it('searches for work again if woken just as a search ends', async () => {
  for (let turns = 1; turns <= 60; turns += 1) {
    let searches = 0
    const wakeLater = async () => {
      for (let microtask = 0; microtask < turns; microtask += 1) await undefined
      engine.wake()
    }
    await using engine = startSearching(async () => {
      searches += 1
      if (searches === 1) void wakeLater()
      return []
    })
    await expect.poll(() => ({ turns, searches })).toEqual({ turns, searches: 2 })
  }
})

it('waits three times the last search’s duration before it searches again, even if work keeps ending', async () => {
  const SEARCH_MS = 20
  const starts: number[] = []
  const ends: number[] = []
  await using engine = startSearching(async () => {
    starts.push(performance.now())
    await pause(SEARCH_MS)
    // Stands for work that ends during the search.
    engine.wake()
    ends.push(performance.now())
    return []
  })
  await expect.poll(() => ends.length).toBeGreaterThanOrEqual(4)
  // Timers count in whole milliseconds, so they may fire up to one millisecond early.
  for (const [index, end] of ends.slice(0, -1).entries())
    expect((starts[index + 1] ?? 0) - end).toBeGreaterThanOrEqual(3 * (SEARCH_MS - 1) - 1)
})
