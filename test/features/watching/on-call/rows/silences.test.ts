import { describe, expect, it } from 'vitest'
import type { NewSilence } from '../../../../../src/features/watching/rules/silence.ts'
import { SHARED_DATABASES } from '../../../../databases/databases.ts'
import { eitherOf, IS_LONG } from '../../../../long.ts'
import { readSeed } from '../../../../random.ts'
import { createModel, type Model } from '../../model/model.ts'
import { createSilence } from '../../silences.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

const planMaintenance = (
  model: Model,
  { inMinutes = 5, ...extra }: Partial<NewSilence> & { inMinutes?: number } = {},
) =>
  model.store.watching.silences.add(
    createSilence({
      kind: 'maintenance',
      channelId: undefined,
      subject: { kind: 'name', pattern: 'check-a*' },
      from: new Date(model.now().getTime() + inMinutes * MINUTE_MS),
      forMs: 10 * MINUTE_MS,
      timeZone: 'Europe/Paris',
      reason: 'database upgrade',
      madeAt: model.now(),
      ...extra,
    }),
  )

const failNotFound = (): never => {
  throw new Error('Window not found.')
}

/** Formats each message: channel, kind, state of the maintenance window or reason, and number of checks down. */
const listMessages = ({ channels }: Model) =>
  [...channels.messages.values()].map(({ channelId, model }) => {
    // Cast: the fake renderer puts every model in the message, not only those of cards.
    const anyModel = model as unknown as {
      kind: string
      reason?: string
      downCount?: number
      window?: { state: string }
      closedAt?: string
    }
    const state = anyModel.window && `${anyModel.window.state}${anyModel.closedAt ? ', closed' : ''}`
    return [channelId, anyModel.kind, state ?? anyModel.reason, anyModel.downCount]
      .filter((part) => part !== undefined)
      .join(' ')
  })

describe.each(eitherOf(SHARED_DATABASES))('maintenance, with $name', ({ start }) => {
  it('is found from the moment it’s planned until it ends', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    const { silences } = model.store.watching
    expect(await silences.hasMaintenance('T1')).toBe(false)
    await planMaintenance(model)
    expect([await silences.hasMaintenance('T1'), await silences.hasMaintenance('T2')]).toEqual([true, false])
    const [window = failNotFound()] = await silences.list('T1')
    await silences.end('T1', window.id, { endsRecurrence: true, now: model.now() })
    expect(await silences.hasMaintenance('T1')).toBe(false)
  })

  it('is announced if its pattern matches the new name of a renamed check, but not if it matches only the old name', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    const { watches, silences } = model.store.watching
    const watch = await watches.add({
      ...{ ...SCOPE, channelId: 'C9', afterBadPolls: 1, notify: 'once', reminderHours: 0 },
      filter: { include: [{ field: 'uuid', pattern: 'A1', label: 'check-a1' }], exclude: [] },
      ...{ ownerId: 'U1', madeAt: model.now() },
    })
    await planMaintenance(model, {
      planId: 'own',
      subject: { kind: 'check', uuid: 'a1', name: 'check-a1' },
      inMinutes: 9000,
    })
    await model.passMinute()
    model.renameCheck('a1', 'shop-1')
    // The new name is stored at the next full listing.
    await model.passWithoutFaults(61)
    expect((await watches.find('T1', watch.id))?.filter.include).toMatchObject([
      { pattern: 'A1', label: 'shop-1' },
    ])
    expect(await silences.find('T1', 'own')).toMatchObject({ subject: { uuid: 'a1', name: 'shop-1' } })
    await planMaintenance(model)
    await planMaintenance(model, { planId: 'shop', subject: { kind: 'name', pattern: 'shop*' } })
    await model.passWithoutFaults(2)
    expect(listMessages(model)).toEqual(['C9 maintenance announced'])
    const [message] = model.channels.messages.values()
    expect(message?.model).toMatchObject({ window: { planId: 'shop' } })
  })

  it('is announced, silences the checks it covers, and posts once at its end what is still down', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.watch(1, 1, 1)
    await model.passMinute()
    await planMaintenance(model, { inMinutes: 70 })
    await model.passWithoutFaults(5)
    expect(listMessages(model)).toEqual([])
    await model.passWithoutFaults(6)
    expect(listMessages(model)).toEqual(['C1 maintenance announced', 'C2 maintenance announced'])
    await model.passWithoutFaults(60)
    expect(listMessages(model)).toEqual(['C1 maintenance running', 'C2 maintenance running'])
    model.setStatus(0, 'UNHEALTHY')
    model.setStatus(1, 'UNHEALTHY')
    model.setStatus(3, 'UNHEALTHY')
    await model.passWithoutFaults(3)
    // A check that the maintenance doesn't cover is reported as usual.
    expect(listMessages(model).slice(2)).toEqual(['C1 card down 1'])
    model.setStatus(1, 'HEALTHY')
    await model.passWithoutFaults(20)
    // The order of the channels doesn't matter.
    expect(listMessages(model).toSorted()).toEqual([
      'C1 card down 1',
      'C1 card silence-over 1',
      'C1 maintenance over, closed',
      'C2 card silence-over 1',
      'C2 maintenance over, closed',
    ])
    expect([...model.channels.posted.values()]).toEqual([1, 1, 1, 1, 1])
    expect(model.faults).toEqual([])
    const span = { from: new Date(0), to: new Date(model.now().getTime() + HOUR_MS) }
    expect(await model.store.watching.silences.listMaintenance(SCOPE, span)).toHaveLength(1)
    expect(await model.store.watching.silences.list('T1')).toEqual([])
  })

  it('repeats, and can be skipped once, ended early, changed, and canceled', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    const { silences } = model.store.watching
    const listStartsInHours = async () =>
      (await silences.list('T1')).map(({ from }) => (Number(from) - firstStartMs) / HOUR_MS)
    await model.watch(0, 0, 1)
    await model.passMinute()
    const firstStartMs = model.now().getTime() + 5 * MINUTE_MS
    await planMaintenance(model, { every: 'day', channelId: 'C1' })
    // The same request delivered again changes nothing.
    await planMaintenance(model, { every: 'day', channelId: 'C1', inMinutes: 99 })
    await model.passWithoutFaults(20)
    expect(await listStartsInHours()).toEqual([24])
    const [second] = await silences.list('T1')
    expect(await silences.end('T1', second?.id ?? '', { endsRecurrence: false, now: model.now() })).toBe(true)
    expect(await silences.end('T1', second?.id ?? '', { endsRecurrence: false, now: model.now() })).toBe(
      false,
    )
    expect(await listStartsInHours()).toEqual([48])
    const third = await silences.find('T1', 'plan')
    const from = new Date(model.now().getTime() + MINUTE_MS)
    await silences.change('T1', 'plan', { ...(third ?? failNotFound()), from, forMs: HOUR_MS, every: 'day' })
    await model.passWithoutFaults(3)
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(3)
    expect(listMessages(model)).toEqual(['C1 maintenance over, closed', 'C1 maintenance running'])
    await silences.end('T1', third?.id ?? '', { endsRecurrence: true, now: model.now() })
    await model.passWithoutFaults(2)
    expect(listMessages(model)).toEqual([
      'C1 maintenance over, closed',
      'C1 maintenance over, closed',
      'C1 card silence-over 1',
    ])
    expect(await listStartsInHours()).toEqual([])
    // The skipped window isn't counted.
    const span = { from: new Date(0), to: new Date(model.now().getTime() + 99 * HOUR_MS) }
    const countPlannedIn = async (channelId?: string) =>
      (await silences.listMaintenance({ ...SCOPE, channelId }, span)).filter(({ from, to }) => to > from)
        .length
    expect(await countPlannedIn('C1')).toBe(2)
    expect(await countPlannedIn('C1/1700000000.000100')).toBe(2)
    // Maintenance is left out of uptime only in the channels where it applies.
    for (const channelId of ['C2', 'D1', undefined]) expect(await countPlannedIn(channelId)).toBe(0)
    await planMaintenance(model, { planId: 'direct', inMinutes: -1, channelId: 'D1' })
    expect([await countPlannedIn('D1'), await countPlannedIn('C2')]).toEqual([1, 0])
    await planMaintenance(model, { planId: 'everywhere', inMinutes: -1 })
    await model.passWithoutFaults(1)
    for (const channelId of ['C1', 'C2', 'D1', undefined])
      expect(await countPlannedIn(channelId)).toBeGreaterThan(0)
  })

  it('silences checks from its first second, even if it’s processed only after its start', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.passMinute()
    await planMaintenance(model, { inMinutes: -1, every: 'day' })
    model.setStatus(0, 'UNHEALTHY')
    await model.passMinute()
    expect(listMessages(model)).toEqual(['C1 maintenance running'])
    await model.passWithoutFaults(15)
    expect(listMessages(model).at(-1)).toBe('C1 card silence-over 1')
    expect(await model.store.watching.silences.list('T1')).toHaveLength(1)
  })
})

/** These tests run in memory, because the tests above cover the differences between databases. */
describe('maintenance', () => {
  async function startWatchedModel(): Promise<Model> {
    const model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinute()
    return model
  }

  it('ends once if Signalman was down for several days, and starts again at the next due time', async () => {
    await using model = await startWatchedModel()
    await planMaintenance(model, { inMinutes: 60, every: 'day' })
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(2)
    await model.jumpClock(4 * 24 * 60 + 120)
    await model.passWithoutFaults(5)
    // Nothing was observed during the maintenance, so it silenced nothing.
    expect(listMessages(model)).toEqual(['C1 card down 1', 'C1 maintenance over, closed'])
    const [nextWindow = failNotFound()] = await model.store.watching.silences.list('T1')
    expect((nextWindow.to ?? failNotFound()) > model.now()).toBe(true)
    expect(nextWindow.from.getTime() - model.now().getTime()).toBeLessThan(24 * HOUR_MS)
    expect(model.faults).toEqual([])
  })

  it('doesn’t post what is still down if it is canceled before it starts', async () => {
    await using model = await startWatchedModel()
    model.setStatus(0, 'UNHEALTHY')
    await model.passMinute()
    await planMaintenance(model, { inMinutes: 30 })
    await model.passWithoutFaults(2)
    const [window] = await model.store.watching.silences.list('T1')
    await model.store.watching.silences.end('T1', window?.id ?? '', {
      endsRecurrence: true,
      now: model.now(),
    })
    await model.passWithoutFaults(2)
    expect(listMessages(model)).toEqual(['C1 card down 1', 'C1 maintenance over, closed'])
  })

  it('posts the outages it has silenced when its subject changes', async () => {
    await using model = await startWatchedModel()
    await planMaintenance(model, { inMinutes: 0 })
    model.setStatus(0, 'UNHEALTHY')
    // Long enough that every watch has confirmed the outage.
    await model.passWithoutFaults(7)
    const window = (await model.store.watching.silences.find('T1', 'plan')) ?? failNotFound()
    const subject = { kind: 'name', pattern: 'check-b*' } as const
    await model.store.watching.silences.change('T1', 'plan', { ...window, subject })
    await model.passWithoutFaults(2)
    expect(listMessages(model)).toEqual(['C1 maintenance running', 'C1 card silence-over 1'])
  })

  it('keeps what it has covered when its subject changes while it runs', async () => {
    await using model = await createModel()
    const { silences } = model.store.watching
    await planMaintenance(model, { inMinutes: 0, forMs: HOUR_MS, every: 'day' })
    const findWindow = async () => (await silences.find('T1', 'plan')) ?? failNotFound()
    const start = (await findWindow()).from.getTime()
    const listSpans = async () => {
      const span = { from: new Date(start - HOUR_MS), to: new Date(start + 25 * HOUR_MS) }
      return (await silences.listMaintenance(SCOPE, span))
        .map(({ subject, from, to }) => [
          subject.kind === 'name' ? subject.pattern : subject.kind,
          ...[from, to].map((at) => Math.round((at.getTime() - start) / MINUTE_MS)),
        ])
        .toSorted(([, left = 0], [, right = 0]) => Number(left) - Number(right))
    }
    const changeTo = async (pattern: string) =>
      silences.change('T1', 'plan', { ...(await findWindow()), subject: { kind: 'name', pattern } })

    // Not yet running, so that nothing was covered.
    await changeTo('check-c*')
    await changeTo('check-a*')
    await model.passWithoutFaults(20)
    await changeTo('check-b*')
    await silences.change('T1', 'plan', { ...(await findWindow()), reason: 'new disks' })
    await model.passWithoutFaults(10)
    await changeTo('check-a*')
    expect(await listSpans()).toEqual([
      ['check-a*', 0, 20],
      ['check-b*', 20, 30],
      ['check-a*', 30, 60],
    ])
    // A window that is moved to later, with other checks, covers nothing until then.
    const moved = await findWindow()
    const inTwoHours = {
      from: new Date(start + 2 * HOUR_MS),
      subject: { kind: 'name', pattern: 'check-c*' },
    } as const
    await silences.change('T1', 'plan', { ...moved, ...inTwoHours })
    expect((await listSpans()).slice(2)).toEqual([['check-c*', 120, 180]])
    await silences.change('T1', 'plan', moved)
    // The next day's window has its subject from its start.
    await silences.end('T1', (await findWindow()).id, { endsRecurrence: false, now: model.now() })
    expect((await listSpans()).slice(2)).toEqual([['check-a*', 24 * 60, 25 * 60]])
  })

  it('posts what is still down when it ends, even if the watch or the maintenance is for a single check by UUID', async () => {
    await using model = await createModel()
    const addWatch = (channel: number, field: 'name' | 'uuid', pattern: string) =>
      model.watch(channel, 0, 1, { filter: { include: [{ field, pattern }], exclude: [] } })
    await addWatch(0, 'uuid', 'A1')
    await addWatch(1, 'name', 'check-b*')
    await model.passMinute()
    await planMaintenance(model, { inMinutes: 0 })
    await planMaintenance(model, {
      inMinutes: 0,
      subject: { kind: 'check', uuid: 'b1', name: 'old' },
      planId: 'other',
    })
    model.setStatus(0, 'UNHEALTHY')
    model.setStatus(3, 'UNHEALTHY')
    await model.passWithoutFaults(20)
    expect(listMessages(model).filter((message) => message.includes('silence-over'))).toEqual([
      'C1 card silence-over 1',
      'C2 card silence-over 1',
    ])
  })

  it('starts on the 31st again after being changed in a shorter month', async () => {
    await using model = await createModel()
    const { silences } = model.store.watching
    const findWindow = async () => (await silences.find('T1', 'plan')) ?? failNotFound()
    const readStart = async () => (await findWindow()).from.toISOString().slice(0, 10)
    await planMaintenance(model, { from: new Date('2026-03-31T12:00:00Z'), every: 'month' })
    const skipNext = async () =>
      silences.end('T1', (await findWindow()).id, { endsRecurrence: false, now: model.now() })
    await skipNext()
    expect(await readStart()).toBe('2026-04-30')
    await silences.change('T1', 'plan', { ...(await findWindow()), reason: 'new disks' })
    await skipNext()
    expect(await readStart()).toBe('2026-05-31')
    // Choosing a different day starts a new schedule.
    await silences.change('T1', 'plan', { ...(await findWindow()), from: new Date('2026-05-30T12:00:00Z') })
    await skipNext()
    await skipNext()
    expect(await readStart()).toBe('2026-07-30')
  })

  it('keeps its card when its subject is changed and then restored', async () => {
    await using model = await createModel()
    await model.watch(0, 1, 1)
    await model.passMinute()
    await planMaintenance(model, { inMinutes: 0 })
    await model.passWithoutFaults(2)
    const window = (await model.store.watching.silences.find('T1', 'plan')) ?? failNotFound()
    const subject = { kind: 'name', pattern: 'check-b*' } as const
    await model.store.watching.silences.change('T1', 'plan', { ...window, subject })
    await model.passWithoutFaults(2)
    expect(listMessages(model)).toEqual(['C1 maintenance running, closed'])
    await model.store.watching.silences.change('T1', 'plan', window)
    await model.passWithoutFaults(2)
    expect(listMessages(model)).toEqual(['C1 maintenance running'])
    await model.passWithoutFaults(10)
    expect(listMessages(model)).toEqual(['C1 maintenance over, closed'])
  })

  it('continues if the clock is set back to before its start', async () => {
    await using model = await startWatchedModel()
    await planMaintenance(model, { inMinutes: 0 })
    await model.passWithoutFaults(2)
    await model.jumpClock(-5)
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(3)
    expect(listMessages(model)).toEqual(['C1 maintenance running'])
    const [window] = await model.store.watching.silences.list('T1')
    await model.store.watching.silences.end('T1', window?.id ?? '', {
      endsRecurrence: true,
      now: model.now(),
    })
    await model.passWithoutFaults(2)
    expect(listMessages(model)).toEqual(['C1 maintenance over, closed', 'C1 card silence-over 1'])
  })
})

/** When the process dies. A quick run chooses a third of them by its seed. */
const DEATHS = Array.from({ length: 24 }, (_, afterCalls) => afterCalls)
  .flatMap((afterCalls) => [true, false].map((isBefore) => ({ afterCalls, isBefore })))
  .filter((_, nth) => IS_LONG || nth % 3 === readSeed() % 3)

it('neither loses nor repeats maintenance, even if the process dies at any step', async () => {
  for (const { afterCalls, isBefore } of DEATHS) {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinute()
    await planMaintenance(model, { inMinutes: 2 })
    model.dieAt({ afterCalls, isBefore })
    await model.passWithoutFaults(3)
    model.setStatus(0, 'UNHEALTHY')
    model.dieAt({ afterCalls, isBefore })
    await model.passWithoutFaults(4)
    model.dieAt({ afterCalls, isBefore })
    await model.passWithoutFaults(12)
    const label = `${isBefore ? 'before' : 'after'} call ${afterCalls}`
    expect(listMessages(model), label).toEqual(['C1 maintenance over, closed', 'C1 card silence-over 1'])
    expect([...model.channels.posted.values()], label).toEqual([1, 1])
  }
}, 120_000)
