import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import type { TakedownWatch } from '../../../../src/features/threats/rows/takedown-watches.ts'
import { UNSEEN } from '../../../../src/features/threats/takedown-watch/rules.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const EVENT = { workspaceId: 'T1', environment: 'production', eventId: 'e1' } as const

const sample = (id: string): Omit<TakedownWatch, 'checkUuid'> => ({
  ...EVENT,
  id,
  enterpriseId: undefined,
  checkName: 'Takedown exa[.]mple [7e57ed00]',
  target: 'exa.mple',
  madeAt: NOW,
  state: UNSEEN,
  newsSent: 0,
  news: [],
})

async function begun(
  { takedownWatches }: Store,
  { id, ...more }: Partial<TakedownWatch> & { id: string },
): Promise<TakedownWatch> {
  const held = await takedownWatches.reserve({ ...sample(id), ...more })
  await takedownWatches.begin(held, `check of ${id}`)
  return { ...held, checkUuid: `check of ${id}` }
}

describe.each(SHARED_DATABASES)('watches until something is down in $name', ({ start }) => {
  it('keep what they have seen, and nothing of one that was stopped', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { takedownWatches: watches } = store
    const read = await begun(store, { id: 'w1' })
    expect(await watches.save(read, { ...read, newsSent: 3 })).toBe(true)
    expect(await watches.find(EVENT)).toMatchObject({ newsSent: 3 })
    await watches.remove(read)
    expect(await watches.save(read, read)).toBe(false)
  })

  it('are not ended by who means one that was there before', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { takedownWatches: watches } = store
    const first = await begun(store, { id: 'w1' })
    expect(await watches.remove(first)).toMatchObject({ id: 'w1' })
    await begun(store, { id: 'w2' })
    expect(await watches.remove(first)).toBeUndefined()
    expect(await watches.find(EVENT)).toMatchObject({ id: 'w2' })
  })

  it('are counted while they look or are being begun, and swept where nobody makes their check any more', async () => {
    await using database = await start()
    const clock = { now: NOW }
    await using store = await openStore({ ...database, clock: () => clock.now })
    const { takedownWatches: watches } = store
    await begun(store, { id: 'w1' })
    const left = { ...EVENT, eventId: 'e2' }
    const asked = { ...sample('w2'), ...left }
    await watches.reserve(asked)
    expect(await watches.count('T1')).toBe(2)
    expect(await watches.find(left)).toMatchObject({ id: 'w2', checkUuid: '' })
    expect((await watches.oldest('T1', 5)).map(({ id }) => id)).toEqual(['w1'])
    const swept = async () => (await store.sweepRows()).get('takedown_watch')
    expect(await swept()).toBe(0)
    clock.now = new Date(NOW.getTime() + 16 * 60_000)
    expect(await swept()).toBe(1)
    expect(await watches.count('T1')).toBe(1)
    expect(await watches.find(left)).toBeUndefined()
    expect(await watches.find(EVENT)).toMatchObject({ id: 'w1' })
    // Whoever was to make its check hears that nothing is watched.
    expect(await watches.begin({ ...asked, checkUuid: '' }, 'c2')).toBe(false)
  })

  it('that were left behind by whoever died stand in nobody’s way', async () => {
    await using database = await start()
    const clock = { now: NOW }
    await using store = await openStore({ ...database, clock: () => clock.now })
    const { takedownWatches: watches } = store
    await watches.reserve(sample('w1'))
    expect(await watches.reserve(sample('w2'))).toMatchObject({ id: 'w1' })
    clock.now = new Date(NOW.getTime() + 11 * 60_000)
    expect(await watches.find(EVENT)).toBeUndefined()
    expect(await watches.count('T1')).toBe(0)
    expect(await watches.reserve({ ...sample('w2'), madeAt: clock.now })).toMatchObject({ id: 'w2' })
    expect(await watches.find(EVENT)).toMatchObject({ id: 'w2' })
  })

  it('are at most fifty in a workspace, however many begin at once', async () => {
    await using database = await start()
    await using store = await openStore({ ...database, clock: () => NOW })
    const events = Array.from({ length: 52 }, (_, index) => `event ${index}`)
    const begin = (eventId: string) => begun(store, { id: eventId, eventId })
    for (const eventId of events.slice(0, 49)) await begin(eventId)
    const atOnce = await Promise.allSettled(events.slice(49).map(begin))
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(await store.takedownWatches.count('T1')).toBe(50)
    await begun(store, { id: 'other', workspaceId: 'T2' })
  })

  it('are listed with the oldest first', async () => {
    await using database = await start()
    await using store = await openStore(database)
    for (const [index, id] of ['b', 'c', 'a'].entries())
      await begun(store, { id, eventId: id, madeAt: new Date(NOW.getTime() + index * 1000) })
    await begun(store, { id: 'other', workspaceId: 'T2' })
    const oldest = await store.takedownWatches.oldest('T1', 2)
    expect(oldest.map(({ id, target }) => [id, target])).toEqual([
      ['b', 'exa.mple'],
      ['c', 'exa.mple'],
    ])
  })
})
