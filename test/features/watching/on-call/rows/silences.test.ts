import { describe, expect, it } from 'vitest'
import type { NewSilence } from '../../../../../src/features/watching/rules/silence.ts'
import { SHARED_DATABASES } from '../../../../databases/databases.ts'
import { createModel, type Model } from '../../model/model.ts'
import { silenceFrom } from '../../silences.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

const plan = (model: Model, { inMinutes = 5, ...extra }: Partial<NewSilence> & { inMinutes?: number } = {}) =>
  model.store.watching.silences.add(
    silenceFrom({
      kind: 'maintenance',
      channelId: undefined,
      about: { kind: 'name', pattern: 'check-a*' },
      from: new Date(model.now().getTime() + inMinutes * MINUTE_MS),
      forMs: 10 * MINUTE_MS,
      timeZone: 'Europe/Paris',
      because: 'database upgrade',
      madeAt: model.now(),
      ...extra,
    }),
  )

const never = (): never => {
  throw new Error('Window not found.')
}

/** The messages in the channels: kind, and the state of the window or the number of checks down. */
const listMessages = ({ channels }: Model) =>
  [...channels.messages.values()].map(({ channelId, model }) => {
    // The model's renderer stores its input.
    const one = model as unknown as {
      kind: string
      reason?: string
      stillDown?: number
      window?: { state: string }
      closedAt?: string
    }
    const state = one.window && `${one.window.state}${one.closedAt ? ', closed' : ''}`
    return [channelId, one.kind, state ?? one.reason, one.stillDown]
      .filter((part) => part !== undefined)
      .join(' ')
  })

describe.each(SHARED_DATABASES)('maintenance, with $name', ({ start }) => {
  it('is cached as soon as it is planned, and no longer when it is over', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    const { silences } = model.store.watching
    expect(await silences.hasMaintenance('T1')).toBe(false)
    await plan(model)
    expect([await silences.hasMaintenance('T1'), await silences.hasMaintenance('T2')]).toEqual([true, false])
    const [window = never()] = await silences.list('T1')
    await silences.end('T1', window.id, { isPlan: true, now: model.now() })
    expect(await silences.hasMaintenance('T1')).toBe(false)
  })

  it('is announced where a watch matches a check by its new name, but not by its old one', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    const { watches, silences } = model.store.watching
    const watch = await watches.add({
      ...{ ...SCOPE, channelId: 'C9', afterBadPolls: 1, notify: 'once', reminderHours: 0 },
      filter: { include: [{ field: 'uuid', pattern: 'A1', label: 'check-a1' }], exclude: [] },
      ...{ ownerId: 'U1', madeAt: model.now() },
    })
    await plan(model, {
      planId: 'own',
      about: { kind: 'check', uuid: 'a1', name: 'check-a1' },
      inMinutes: 9000,
    })
    await model.minute()
    model.rename('a1', 'shop-1')
    // At the next full listing.
    await model.quietly(61)
    expect((await watches.find('T1', watch.id))?.filter.include).toMatchObject([
      { pattern: 'A1', label: 'shop-1' },
    ])
    expect(await silences.find('T1', 'own')).toMatchObject({ about: { uuid: 'a1', name: 'shop-1' } })
    await plan(model)
    await plan(model, { planId: 'shop', about: { kind: 'name', pattern: 'shop*' } })
    await model.quietly(2)
    expect(listMessages(model)).toEqual(['C9 maintenance announced'])
    const [card] = await model.store.watching.cards.open('T1', { limit: 9 })
    const window = await silences.window('T1', card?.maintenanceId ?? '')
    expect(window?.planId).toBe('shop')
  })

  it('is announced, silences what it covers, and posts at its end once what is still down', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.watch(1, 1, 1)
    await model.minute()
    await plan(model, { inMinutes: 70 })
    await model.quietly(5)
    expect(listMessages(model)).toEqual([])
    await model.quietly(6)
    expect(listMessages(model)).toEqual(['C1 maintenance announced', 'C2 maintenance announced'])
    await model.quietly(60)
    expect(listMessages(model)).toEqual(['C1 maintenance running', 'C2 maintenance running'])
    model.set(0, 'UNHEALTHY')
    model.set(1, 'UNHEALTHY')
    model.set(3, 'UNHEALTHY')
    await model.quietly(3)
    // Another check is reported as usual.
    expect(listMessages(model).slice(2)).toEqual(['C1 outage'])
    model.set(1, 'HEALTHY')
    await model.quietly(20)
    // The order of the channels doesn't matter.
    expect(listMessages(model).toSorted()).toEqual([
      'C1 maintenance over, closed',
      'C1 many silence-over 1',
      'C1 outage',
      'C2 maintenance over, closed',
      'C2 many silence-over 1',
    ])
    expect([...model.channels.posted.values()]).toEqual([1, 1, 1, 1, 1])
    expect(model.faults).toEqual([])
    const span = { from: new Date(0), to: new Date(model.now().getTime() + HOUR_MS) }
    expect(await model.store.watching.silences.planned(SCOPE, span)).toHaveLength(1)
    expect(await model.store.watching.silences.list('T1')).toEqual([])
  })

  it('repeats, and can be skipped once, ended early, changed, and called off', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    const { silences } = model.store.watching
    const next = async () => (await silences.list('T1')).map(({ from }) => (Number(from) - begun) / HOUR_MS)
    await model.watch(0, 0, 1)
    await model.minute()
    const begun = model.now().getTime() + 5 * MINUTE_MS
    await plan(model, { every: 'day', channelId: 'C1' })
    // The same request, delivered twice.
    await plan(model, { every: 'day', channelId: 'C1', inMinutes: 99 })
    await model.quietly(20)
    expect(await next()).toEqual([24])
    const [second] = await silences.list('T1')
    expect(await silences.end('T1', second?.id ?? '', { isPlan: false, now: model.now() })).toBe(true)
    expect(await silences.end('T1', second?.id ?? '', { isPlan: false, now: model.now() })).toBe(false)
    expect(await next()).toEqual([48])
    const third = await silences.find('T1', 'plan')
    const from = new Date(model.now().getTime() + MINUTE_MS)
    await silences.change('T1', 'plan', { ...(third ?? never()), from, forMs: HOUR_MS, every: 'day' })
    await model.quietly(3)
    model.set(0, 'UNHEALTHY')
    await model.quietly(3)
    expect(listMessages(model)).toEqual(['C1 maintenance over, closed', 'C1 maintenance running'])
    await silences.end('T1', third?.id ?? '', { isPlan: true, now: model.now() })
    await model.quietly(2)
    expect(listMessages(model)).toEqual([
      'C1 maintenance over, closed',
      'C1 maintenance over, closed',
      'C1 many silence-over 1',
    ])
    expect(await next()).toEqual([])
    // Skipped windows don't exist.
    const span = { from: new Date(0), to: new Date(model.now().getTime() + 99 * HOUR_MS) }
    const plannedIn = async (channelId?: string) =>
      (await silences.planned({ ...SCOPE, channelId }, span)).filter(({ from, to }) => to > from).length
    expect(await plannedIn('C1')).toBe(2)
    expect(await plannedIn('C1/1700000000.000100')).toBe(2)
    // It is left out of uptime only where it applies.
    for (const other of ['C2', 'D1', undefined]) expect(await plannedIn(other)).toBe(0)
    await plan(model, { planId: 'direct', inMinutes: -1, channelId: 'D1' })
    expect([await plannedIn('D1'), await plannedIn('C2')]).toEqual([1, 0])
    await plan(model, { planId: 'everywhere', inMinutes: -1 })
    await model.quietly(1)
    for (const any of ['C1', 'C2', 'D1', undefined]) expect(await plannedIn(any)).toBeGreaterThan(0)
  })

  it('silences from its first second, and works even if no process ran for its whole duration', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.minute()
    await plan(model, { inMinutes: -1, every: 'day' })
    model.set(0, 'UNHEALTHY')
    await model.minute()
    expect(listMessages(model)).toEqual(['C1 maintenance running'])
    await model.quietly(15)
    expect(listMessages(model).at(-1)).toBe('C1 many silence-over 1')
    expect(await model.store.watching.silences.list('T1')).toHaveLength(1)
  })
})

/** In memory. The tests above cover differences between databases. */
describe('maintenance', () => {
  async function watched(): Promise<Model> {
    const model = await createModel()
    await model.watch(0, 0, 1)
    await model.minute()
    return model
  }

  it('ends once after an outage of several days, and repeats when it is next due', async () => {
    await using model = await watched()
    await plan(model, { inMinutes: 60, every: 'day' })
    model.set(0, 'UNHEALTHY')
    await model.quietly(2)
    await model.jump(4 * 24 * 60 + 120)
    await model.quietly(5)
    // Nothing was observed during the maintenance, so it held nothing back.
    expect(listMessages(model)).toEqual(['C1 outage', 'C1 maintenance over, closed'])
    const [next = never()] = await model.store.watching.silences.list('T1')
    expect((next.to ?? never()) > model.now()).toBe(true)
    expect(next.from.getTime() - model.now().getTime()).toBeLessThan(24 * HOUR_MS)
    expect(model.faults).toEqual([])
  })

  it('posts nothing about outages if it is called off before it starts', async () => {
    await using model = await watched()
    model.set(0, 'UNHEALTHY')
    await model.minute()
    await plan(model, { inMinutes: 30 })
    await model.quietly(2)
    const [window] = await model.store.watching.silences.list('T1')
    await model.store.watching.silences.end('T1', window?.id ?? '', { isPlan: true, now: model.now() })
    await model.quietly(2)
    expect(listMessages(model)).toEqual(['C1 outage', 'C1 maintenance over, closed'])
  })

  it('posts what it silenced so far when its subject changes', async () => {
    await using model = await watched()
    await plan(model, { inMinutes: 0 })
    model.set(0, 'UNHEALTHY')
    // Long enough that it isn't new to any poll.
    await model.quietly(7)
    const window = (await model.store.watching.silences.find('T1', 'plan')) ?? never()
    const about = { kind: 'name', pattern: 'check-b*' } as const
    await model.store.watching.silences.change('T1', 'plan', { ...window, about })
    await model.quietly(2)
    expect(listMessages(model)).toEqual(['C1 maintenance running', 'C1 many silence-over 1'])
  })

  it('posts at its end what is still down, also for a watch by UUID of a renamed check', async () => {
    await using model = await createModel()
    const watch = (channel: number, field: 'name' | 'uuid', pattern: string) =>
      model.watch(channel, 0, 1, { filter: { include: [{ field, pattern }], exclude: [] } })
    await watch(0, 'uuid', 'A1')
    await watch(1, 'name', 'check-b*')
    await model.minute()
    await plan(model, { inMinutes: 0 })
    await plan(model, { inMinutes: 0, about: { kind: 'check', uuid: 'b1', name: 'old' }, planId: 'other' })
    model.set(0, 'UNHEALTHY')
    model.set(3, 'UNHEALTHY')
    await model.quietly(20)
    expect(listMessages(model).filter((one) => one.includes('silence-over'))).toEqual([
      'C1 many silence-over 1',
      'C2 many silence-over 1',
    ])
  })

  it('returns to the 31st after it was changed in a shorter month', async () => {
    await using model = await createModel()
    const { silences } = model.store.watching
    const open = async () => (await silences.find('T1', 'plan')) ?? never()
    const begins = async () => (await open()).from.toISOString().slice(0, 10)
    await plan(model, { from: new Date('2026-03-31T12:00:00Z'), every: 'month' })
    const skip = async () => silences.end('T1', (await open()).id, { isPlan: false, now: model.now() })
    await skip()
    expect(await begins()).toBe('2026-04-30')
    await silences.change('T1', 'plan', { ...(await open()), because: 'new disks' })
    await skip()
    expect(await begins()).toBe('2026-05-31')
    // A different day is a new start.
    await silences.change('T1', 'plan', { ...(await open()), from: new Date('2026-05-30T12:00:00Z') })
    await skip()
    await skip()
    expect(await begins()).toBe('2026-07-30')
  })

  it('keeps its card when its subject is changed and changed back', async () => {
    await using model = await createModel()
    await model.watch(0, 1, 1)
    await model.minute()
    await plan(model, { inMinutes: 0 })
    await model.quietly(2)
    const window = (await model.store.watching.silences.find('T1', 'plan')) ?? never()
    const about = { kind: 'name', pattern: 'check-b*' } as const
    await model.store.watching.silences.change('T1', 'plan', { ...window, about })
    await model.quietly(2)
    expect(listMessages(model)).toEqual(['C1 maintenance running, closed'])
    await model.store.watching.silences.change('T1', 'plan', window)
    await model.quietly(2)
    expect(listMessages(model)).toEqual(['C1 maintenance running'])
    await model.quietly(10)
    expect(listMessages(model)).toEqual(['C1 maintenance over, closed'])
  })

  it('continues if the clock is set back to before its start', async () => {
    await using model = await watched()
    await plan(model, { inMinutes: 0 })
    await model.quietly(2)
    await model.jump(-5)
    model.set(0, 'UNHEALTHY')
    await model.quietly(3)
    expect(listMessages(model)).toEqual(['C1 maintenance running'])
    const [window] = await model.store.watching.silences.list('T1')
    await model.store.watching.silences.end('T1', window?.id ?? '', { isPlan: true, now: model.now() })
    await model.quietly(2)
    expect(listMessages(model)).toEqual(['C1 maintenance over, closed', 'C1 many silence-over 1'])
  })
})

it('neither loses nor doubles maintenance, wherever its process dies', async () => {
  for (let afterCalls = 0; afterCalls < 24; afterCalls += 1)
    for (const isBefore of [true, false]) {
      await using model = await createModel()
      await model.watch(0, 0, 1)
      await model.minute()
      await plan(model, { inMinutes: 2 })
      model.dieAt({ afterCalls, isBefore })
      await model.quietly(3)
      model.set(0, 'UNHEALTHY')
      model.dieAt({ afterCalls, isBefore })
      await model.quietly(4)
      model.dieAt({ afterCalls, isBefore })
      await model.quietly(12)
      const label = `${isBefore ? 'before' : 'after'} call ${afterCalls}`
      expect(listMessages(model), label).toEqual(['C1 maintenance over, closed', 'C1 many silence-over 1'])
      expect([...model.channels.posted.values()], label).toEqual([1, 1])
    }
}, 120_000)
