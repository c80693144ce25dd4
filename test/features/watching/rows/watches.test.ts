import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import { WATCH_WORK } from '../../../../src/features/watching/rows/watch-work.ts'
import { ALL_CHECKS, type NewWatch } from '../../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { createModel, type Model } from '../model/model.ts'
import { createSilence } from '../silences.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T13:00:00.000Z')
const PLACE = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
const SETTINGS = { filter: ALL_CHECKS, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const
const WATCH: NewWatch = { ...PLACE, ...SETTINGS, ownerId: 'U1', madeAt: NOW }

describe.each(SHARED_DATABASES)('watches on $name', ({ start }) => {
  it('are added once per ID, listed, changed, and removed', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watches } = store.watching
    const id = 'chosen-id-of-the-watch'
    const added = await Promise.all([watches.add({ ...WATCH, id }), watches.add({ ...WATCH, id })])
    expect(added[0]).toEqual(added[1])
    expect(added[0]).toMatchObject({ ...WATCH, id })
    const elsewhere = await watches.add({ ...WATCH, channelId: 'C2', enterpriseId: 'E1', environment: 'ote' })
    expect(await watches.list('T1')).toEqual([added[0], elsewhere])
    expect(await watches.list('T1', { channelId: 'C2' })).toEqual([elsewhere])
    expect(await watches.list('T2')).toEqual([])
    expect(await watches.find('T2', id)).toBeUndefined()
    const filter = { include: [{ field: 'name', pattern: 'web*' }], exclude: [] } as const
    const changed = await watches.change('T1', id, { ...SETTINGS, filter, afterBadPolls: 3 }, LATER)
    expect(changed).toMatchObject({ filter, afterBadPolls: 3, madeAt: NOW })
    expect(await watches.change('T2', id, SETTINGS, LATER)).toBeUndefined()
    expect(await watches.remove('T1', id, LATER)).toBe(true)
    expect(await watches.remove('T1', id, LATER)).toBe(false)
    expect(await watches.list('T1')).toEqual([elsewhere])
  })

  it('keep their environment polled until the last watch is removed, even if they’re paused', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { watches, history } = store.watching
    const first = await watches.add(WATCH)
    const second = await watches.add({ ...WATCH, channelId: 'C2' })
    expect(await history.findPollStatus('T1', 'production')).toMatchObject({
      polls: 0,
    })
    expect(await history.findPollStatus('T1', 'ote')).toBeUndefined()
    expect(await store.work.claimDue('me', [WATCH_WORK.poll], 9)).toHaveLength(1)
    expect(await watches.pause('T1', 'C1', 'archived', NOW)).toBe(1)
    expect(await watches.pause('T1', 'C1', 'archived', LATER)).toBe(0)
    expect((await watches.find('T1', first.id))?.paused).toEqual({ at: NOW, reason: 'archived' })
    expect(await store.work.claimDue('me', [WATCH_WORK.paused], 9)).toHaveLength(1)
    expect(await history.findPollStatus('T1', 'production')).toBeDefined()
    await watches.remove('T1', second.id, NOW)
    expect(await history.findPollStatus('T1', 'production')).toBeDefined()
    expect(await watches.resume('T1', 'C1')).toBe(1)
    expect(await watches.resume('T1', 'C1')).toBe(0)
    expect((await watches.find('T1', first.id))?.paused).toBeUndefined()
    await watches.remove('T1', first.id, NOW)
    expect(await history.findPollStatus('T1', 'production')).toBeUndefined()
  })
})

describe.each(SHARED_DATABASES)('a channel on $name', ({ start }) => {
  it('can have several silences at once', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { silences } = store.watching
    const silence = createSilence({ ...PLACE, from: NOW, planId: 'forever' })
    const forever = await silences.add(silence)
    const subject = { kind: 'name', pattern: 'web*' } as const
    const shortSilence = { ...silence, subject, forMs: LATER.getTime() - NOW.getTime() }
    const otherSilence = { ...shortSilence, subject: { ...subject, pattern: 'mail*' } }
    const first = await silences.add({ ...shortSilence, planId: 'first' })
    const second = await silences.add({ ...otherSilence, planId: 'again', ownerId: 'U2' })
    expect(await silences.add({ ...otherSilence, planId: 'again', ownerId: 'U3' })).toEqual(second)
    const listed = await silences.list('T1')
    expect(listed).toHaveLength(3)
    expect(listed).toEqual(expect.arrayContaining([first, second]))
    expect(listed.at(-1)).toEqual(forever)
    expect(await silences.list('T1', { channelId: 'C2' })).toEqual([])
    const endOptions = { endsRecurrence: true, now: NOW }
    expect(await silences.end('T2', second.id, endOptions)).toBe(false)
    expect(await silences.end('T1', second.id, endOptions)).toBe(true)
    expect(await silences.end('T1', second.id, endOptions)).toBe(false)
  })

  it('has only one digest per environment', async () => {
    await using database = await start()
    await using store = await openStore(database)
    const { digests } = store.watching
    const by = { userId: 'U1', now: NOW, next: LATER }
    await digests.set(PLACE, { hour: 9, timeZone: 'Europe/Paris' }, by)
    const set = await digests.set(PLACE, { hour: 8, timeZone: 'UTC' }, { ...by, now: LATER })
    expect(set).toMatchObject({ hour: 8, timeZone: 'UTC', since: NOW })
    expect(await digests.list('T1', { channelId: 'C1' })).toEqual([set])
    expect(await digests.remove('T1', 'C1', 'production')).toBe(true)
    expect(await digests.remove('T1', 'C1', 'production')).toBe(false)
  })
})

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

const listCards = ({ channels }: Model) => [...channels.messages.values()].map(({ model }) => model)

/** The recorded outages, oldest first, with dates as in a message. */
async function readOutageTimes({ store, now }: Model): Promise<{ startedAt: string; endedAt?: string }[]> {
  const period = { from: new Date(0), to: new Date(now().getTime() + 1), limit: 99 }
  const found = await store.watching.history.listOutages({ ...SCOPE, ...period })
  const times = found.map(({ startedAt, endedAt }) => ({ startedAt, endedAt }))
  return JSON.parse(JSON.stringify(times)).toSorted(
    (left: { startedAt: string }, right: { startedAt: string }) =>
      left.startedAt < right.startedAt ? -1 : 1,
  )
}

const countPaused = async ({ store }: Model): Promise<number> =>
  (await store.watching.watches.list('T1')).filter(({ paused }) => paused).length

/** The rows of all messages, by check. */
const readRowsByCheck = (model: Model) =>
  Object.fromEntries(
    listCards(model).flatMap((card) => ('rows' in card ? card.rows.map((row) => [row.check.uuid, row]) : [])),
  )

describe('a channel that missed outages', () => {
  it('gets one message with the outages and their times, once a retry succeeds', async () => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinute()
    model.channels.archived.add('C1')
    for (const index of [0, 1, 2]) {
      model.setStatus(index, 'UNHEALTHY')
      await model.passWithoutFaults(3)
    }
    model.setStatus(1, 'HEALTHY')
    // The channel is retried once an hour, and stays paused until a retry succeeds.
    await model.passWithoutFaults(70)
    expect(listCards(model)).toEqual([])
    expect(await countPaused(model)).toBe(1)
    expect(model.channels.refusals).toBe(2)
    model.channels.archived.clear()
    await model.passWithoutFaults(60)
    expect(await countPaused(model)).toBe(0)
    const [first, second, third] = await readOutageTimes(model)
    expect(second).toMatchObject({ endedAt: expect.any(String) })
    expect(listCards(model)).toMatchObject([{ kind: 'card', reason: 'resumed', total: 3, downCount: 2 }])
    expect(readRowsByCheck(model)).toMatchObject({
      a1: { openedAt: first?.startedAt },
      a2: { openedAt: second?.startedAt, isDown: false },
      a3: { openedAt: third?.startedAt },
    })
    model.setStatus(0, 'HEALTHY')
    await model.passWithoutFaults(3)
    expect(listCards(model)).toMatchObject([{ reason: 'resumed', total: 3, downCount: 1 }])
  })

  it('gets one message even for a single outage that is already over', async () => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinute()
    model.channels.archived.add('C1')
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(2)
    await model.resume(0)
    await model.passWithoutFaults(2)
    expect(listCards(model)).toEqual([])
    model.setStatus(0, 'HEALTHY')
    await model.passWithoutFaults(3)
    model.channels.archived.clear()
    await model.resume(0)
    await model.passWithoutFaults(2)
    expect(listCards(model)).toMatchObject([
      {
        kind: 'card',
        reason: 'resumed',
        total: 1,
        downCount: 0,
        rows: [{ isDown: false }],
      },
    ])
  })

  it('moves the checks still down from a storm’s card to a new message when resumed', async () => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinute()
    for (const index of [0, 1, 2, 3, 4]) model.setStatus(index, 'UNHEALTHY')
    await model.passMinute()
    await model.pause(0)
    for (const index of [0, 1, 2]) model.setStatus(index, 'HEALTHY')
    await model.passWithoutFaults(3)
    expect(listCards(model)).toMatchObject([{ kind: 'card', downCount: 5 }])
    await model.resume(0)
    await model.passWithoutFaults(1)
    expect(listCards(model)).toMatchObject([
      { downCount: 0, movedTo: [{ count: 2 }] },
      { reason: 'resumed', downCount: 2 },
    ])
  })

  it('gets one message when a rejected token works again, even if the channel wasn’t paused', async () => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinute()
    model.channels.channelsWithRejectedToken.add('C1')
    for (const index of [0, 1, 2]) {
      model.setStatus(index, 'UNHEALTHY')
      await model.passWithoutFaults(3)
    }
    expect(await countPaused(model)).toBe(0)
    model.channels.channelsWithRejectedToken.clear()
    // Two successful polls are enough.
    await model.passWithoutFaults(2)
    expect(listCards(model)).toMatchObject([{ reason: 'down', total: 3, downCount: 3 }])
  })
})

describe.each(eitherOf(SHARED_DATABASES))('a paused channel, with $name', ({ start }) => {
  it.each([
    { target: 'its channel', query: { channelId: 'C1' }, other: { channelId: 'C2' } },
    { target: 'the owner of its watch', query: { ownerId: 'U1' }, other: { ownerId: 'U2' } },
  ])(
    'is retried immediately if a retry is requested for $target, and for no other',
    async ({ query, other }) => {
      await using database = await start()
      await using model = await createModel({ url: database.url, keys: database.keys })
      await model.watch(0, 0, 1)
      await model.passMinute()
      model.channels.archived.add('C1')
      for (const index of [0, 1]) {
        model.setStatus(index, 'UNHEALTHY')
        await model.passWithoutFaults(3)
      }
      model.channels.archived.clear()
      const { watches } = model.store.watching
      expect(await watches.retryPaused('T1', other)).toBe(0)
      await model.passWithoutFaults(1)
      expect(listCards(model)).toEqual([])
      expect(await countPaused(model)).toBe(1)
      expect(await watches.retryPaused('T1', query)).toBe(1)
      await model.passWithoutFaults(1)
      expect(listCards(model)).toMatchObject([{ reason: 'resumed', total: 2 }])
      expect(await countPaused(model)).toBe(0)
    },
  )

  it.each([
    { change: 'added', isSecond: true },
    { change: 'changed', isSecond: false },
  ])('gets the outages it missed when a watch is $change', async ({ isSecond }) => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.passMinute()
    await model.pause(0)
    model.setStatus(0, 'UNHEALTHY')
    await model.passMinute()
    await model.watch(0, 1, 1, { isSecond })
    await model.passMinute()
    expect(listCards(model)).toMatchObject([{ reason: 'resumed', rows: [{ check: { uuid: 'a1' } }] }])
    model.setStatus(1, 'UNHEALTHY')
    await model.passMinute()
    // Within five minutes, it's added to the same card.
    expect(listCards(model)).toMatchObject([{ total: 2 }])
  })
})
