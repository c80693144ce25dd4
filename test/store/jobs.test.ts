import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/store/store.ts'
import { DATABASES, SHARED_DATABASES } from './databases.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000)
const JOB = { workspaceId: 'T1', kind: 'k', body: { a: 1 }, now: NOW } as const

describe.each(DATABASES)('jobs on $name', ({ start }) => {
  it('goes to one owner at a time, and to another one when time has run out', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { jobs } = store
    const id = await jobs.add({ ...JOB, state: 'waiting' })
    expect(await jobs.claim('one', later(30), NOW)).toMatchObject({ id, workspaceId: 'T1', body: { a: 1 } })
    expect(await jobs.claim('two', later(30), later(29))).toBeUndefined()
    expect(await jobs.hold(id, 'one', later(60))).toEqual({ isHeld: true, wantsStop: false })
    expect(await jobs.claim('two', later(90), later(31))).toBeUndefined()
    expect(await jobs.claim('two', later(90), later(61))).toMatchObject({ id })
    expect(await jobs.hold(id, 'one', later(99))).toMatchObject({ isHeld: false })
    await jobs.release(id, 'one', 'done', NOW)
    expect((await jobs.find('T1', id))?.state).toBe('running')
    await jobs.release(id, 'two', 'done', NOW)
    expect((await jobs.find('T1', id))?.state).toBe('done')
    expect(await jobs.find('T2', id)).toBeUndefined()
  })

  it('starts once, stops at once or when its owner hears of it, and can be started again', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { jobs } = store
    const id = await jobs.add({ ...JOB, state: 'prepared' })
    expect(await jobs.claim('one', later(30), NOW)).toBeUndefined()
    expect(await Promise.all([jobs.start('T1', id, NOW), jobs.start('T1', id, NOW)])).toEqual([
      'started',
      'over',
    ])
    expect(await jobs.stop('T1', id, NOW)).toBe(true)
    expect(await jobs.start('T2', id, NOW)).toBe('over')
    expect(await jobs.start('T1', id, NOW)).toBe('started')
    await jobs.claim('one', later(30), NOW)
    expect(await jobs.stop('T1', id, NOW)).toBe(true)
    expect(await jobs.hold(id, 'one', later(60))).toEqual({ isHeld: true, wantsStop: true })
    await jobs.release(id, 'one', 'stopped', NOW)
    expect(await jobs.start('T1', id, NOW)).toBe('started')
    await jobs.claim('one', later(30), NOW)
    expect(await jobs.hold(id, 'one', later(60))).toEqual({ isHeld: true, wantsStop: false })
    await jobs.release(id, 'one', 'done', NOW)
    expect(await jobs.stop('T1', id, NOW)).toBe(false)
    expect(await jobs.start('T1', id, NOW)).toBe('over')
  })

  it('lets one of a kind run at a time in a workspace', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { jobs } = store
    const add = (job: object) => jobs.add({ ...JOB, state: 'prepared', ...job })
    const ids = await Promise.all([add({}), add({}), add({ kind: 'other' }), add({ workspaceId: 'T2' })])
    const [first = '', second = '', other = '', elsewhere = ''] = ids
    const both = await Promise.all([jobs.start('T1', first, NOW), jobs.start('T1', second, NOW)])
    expect(both.sort()).toEqual(['busy', 'started'])
    expect(await jobs.start('T1', other, NOW)).toBe('started')
    expect(await jobs.start('T2', elsewhere, NOW)).toBe('started')
  })

  it('takes a workspace for which nobody works before one that has a job under way', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { jobs } = store
    for (let index = 0; index < 8; index += 1) await jobs.add({ ...JOB, state: 'waiting' })
    await jobs.add({ ...JOB, workspaceId: 'T2', state: 'waiting', now: later(1) })
    const claim = async () => (await jobs.claim('one', later(30), later(2)))?.workspaceId
    expect([await claim(), await claim(), await claim()]).toEqual(['T1', 'T2', 'T1'])
  })

  it('keeps one of several that are alike, until that one is over', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { jobs } = store
    const add = (body: string, kind = 'k', workspaceId = 'T1') =>
      jobs.addUnless({ workspaceId, kind, body, state: 'waiting', now: NOW }, (other) => other.body === body)
    const both = await Promise.all([add('a'), add('a')])
    const other = both.find((found) => found !== undefined)
    expect(both).toContain(undefined)
    expect(other).toMatchObject({ state: 'waiting', body: 'a' })
    expect([await add('b'), await add('a', 'other'), await add('a', 'k', 'T2')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(await jobs.stop('T1', other?.id ?? '', NOW)).toBe(true)
    expect(await add('a')).toBeUndefined()
  })

  it('hands steps out in order to the owner alone, and remembers what was begun', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { jobs, jobSteps } = store
    const id = await jobs.add({ ...JOB, state: 'waiting' })
    await jobSteps.add(
      id,
      [5, 2, 3, 4].map((line) => ({ line, body: { line } })),
    )
    await jobs.claim('one', later(30), NOW)
    expect(await jobSteps.begin(id, 'two', 2, NOW)).toEqual([])
    expect(await jobSteps.begin(id, 'one', 2, NOW)).toEqual([
      { line: 2, body: { line: 2 } },
      { line: 3, body: { line: 3 } },
    ])
    await jobSteps.settle(id, 'one', [{ line: 2, state: 'done', result: 'uuid' }])
    expect(await jobSteps.begun(id)).toEqual([{ line: 3, body: { line: 3 }, begunAt: NOW }])
    expect(await jobSteps.counts(id)).toEqual({ ready: 2, begun: 1, done: 1, found: 0, refused: 0 })
    await jobSteps.settle(id, 'one', [{ line: 3, state: 'refused', result: 'no' }])
    await jobSteps.settle(id, 'two', [{ line: 2, state: 'ready' }])
    expect(await jobSteps.outcomes(id, 'refused', 0, 10)).toEqual([
      { line: 3, state: 'refused', result: 'no' },
    ])
    expect(await jobSteps.outcomes(id, 'refused', 3, 10)).toEqual([])
    expect((await jobSteps.counts(id)).done).toBe(1)
  })

  it('takes thousands of steps, and sweeps them away with their job', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { jobs, jobSteps } = store
    const id = await jobs.add({ ...JOB, state: 'prepared' })
    await jobSteps.add(
      id,
      Array.from({ length: 1200 }, (_, line) => ({ line, body: line })),
    )
    expect((await jobSteps.counts(id)).ready).toBe(1200)
    expect(await jobs.sweep(NOW)).toBe(0)
    expect(await jobs.sweep(later(1))).toBe(1)
    expect((await jobSteps.counts(id)).ready).toBe(0)
  })
})

it.each(SHARED_DATABASES)('is claimed once by twenty at a time on $name', async ({ start }) => {
  await using database = await start()
  await using one = await openStore(database)
  await using two = await openStore(database)
  await one.jobs.add({ ...JOB, state: 'waiting' })
  const claims = Array.from({ length: 20 }, (_, index) =>
    (index % 2 === 0 ? one : two).jobs.claim(`owner ${index}`, later(30), NOW),
  )
  expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1)
})
