import { describe, expect, it } from 'vitest'
import { EVERY_CHECK, type NewWatch } from '../../../src/domain/watching/watch.ts'
import { openStore, WATCH_WORK } from '../../../src/store/store.ts'
import { DATABASES } from '../databases.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T13:00:00.000Z')
const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
const TERMS = { filter: EVERY_CHECK, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const
const WATCH: NewWatch = { ...PLACE, ...TERMS, ownerId: 'U1', madeAt: NOW }
const LEASE_MS = 60_000

describe.each(DATABASES)('watches on $name', ({ start }) => {
  it('are added once under their id, listed, changed and removed', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watches } = store.watching
    const id = 'a-watch-of-its-own-ids'
    const added = await Promise.all([watches.add({ ...WATCH, id }), watches.add({ ...WATCH, id })])
    expect(added[0]).toEqual(added[1])
    expect(added[0]).toMatchObject({ ...WATCH, id, baselinePoll: 0, changedAt: NOW })
    const elsewhere = await watches.add({ ...WATCH, channelId: 'C2', enterpriseId: 'E1', environment: 'ote' })
    expect(await watches.list('T1')).toEqual([added[0], elsewhere])
    expect(await watches.list('T1', { channelId: 'C2' })).toEqual([elsewhere])
    expect(await watches.list('T2')).toEqual([])
    expect(await watches.find('T2', id)).toBeUndefined()
    const filter = { include: [{ field: 'name', pattern: 'web*' }], exclude: [] } as const
    const changed = await watches.change('T1', id, { ...TERMS, filter, afterBadPolls: 3 }, LATER)
    expect(changed).toMatchObject({ filter, afterBadPolls: 3, changedAt: LATER, madeAt: NOW })
    expect(await watches.change('T2', id, TERMS, LATER)).toBeUndefined()
    expect(await watches.remove('T1', id, LATER)).toBe(true)
    expect(await watches.remove('T1', id, LATER)).toBe(false)
    expect(await watches.list('T1')).toEqual([elsewhere])
  })

  it('are polled from the first to the last of an environment, the paused ones too', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watches, history } = store.watching
    const first = await watches.add(WATCH)
    const second = await watches.add({ ...WATCH, channelId: 'C2' })
    expect(await history.polling('T1', 'production')).toEqual({ polls: 0, isBlind: false, statuses: [] })
    expect(await history.polling('T1', 'ote')).toBeUndefined()
    expect(await Array.fromAsync(store.work.claimDue('me', LEASE_MS, [WATCH_WORK.poll], 9))).toHaveLength(1)
    expect(await watches.pause('T1', 'C1', 'archived', NOW)).toBe(1)
    expect(await watches.pause('T1', 'C1', 'archived', LATER)).toBe(0)
    expect((await watches.find('T1', first.id))?.paused).toEqual({ at: NOW, why: 'archived' })
    expect(await Array.fromAsync(store.work.claimDue('me', LEASE_MS, [WATCH_WORK.paused], 9))).toHaveLength(1)
    expect(await history.polling('T1', 'production')).toBeDefined()
    await watches.remove('T1', second.id, NOW)
    expect(await history.polling('T1', 'production')).toBeDefined()
    expect(await watches.resume('T1', 'C1', LATER)).toBe(1)
    expect(await watches.resume('T1', 'C1', LATER)).toBe(0)
    expect((await watches.find('T1', first.id))?.paused).toBeUndefined()
    await watches.remove('T1', first.id, NOW)
    expect(await history.polling('T1', 'production')).toBeUndefined()
  })

  it('have mutes, one about the same in a channel, and digests, one for a channel and environment', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { mutes, digests } = store.watching
    const mute = { ...PLACE, by: 'U1', madeAt: NOW }
    const forever = await mutes.add({ ...mute, about: { kind: 'all' }, until: undefined })
    const about = { kind: 'name', pattern: 'web*' } as const
    await mutes.add({ ...mute, about, until: LATER })
    const again = await mutes.add({ ...mute, about, until: LATER, by: 'U2' })
    expect(await mutes.add({ ...again, by: 'U3' })).toEqual(again)
    expect(await mutes.list('T1')).toEqual([again, forever])
    expect(await mutes.list('T1', { channelId: 'C2' })).toEqual([])
    expect(await mutes.end('T2', again.id)).toBe(false)
    expect(await mutes.end('T1', again.id)).toBe(true)
    const by = { userId: 'U1', now: NOW, next: LATER }
    await digests.set(PLACE, { hour: 9, timeZone: 'Europe/Paris' }, by)
    const set = await digests.set(PLACE, { hour: 8, timeZone: 'UTC' }, { ...by, now: LATER })
    expect(set).toMatchObject({ hour: 8, timeZone: 'UTC', since: NOW })
    expect(await digests.list('T1', { channelId: 'C1' })).toEqual([set])
    expect(await digests.remove('T1', 'C1', 'production')).toBe(true)
    expect(await digests.remove('T1', 'C1', 'production')).toBe(false)
  })
})
