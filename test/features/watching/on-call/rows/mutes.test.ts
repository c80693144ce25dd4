import { describe, expect, it } from 'vitest'
import type { NewSilence } from '../../../../../src/features/watching/rules/silence.ts'
import { KEY_A, SHARED_DATABASES, type TestDatabase } from '../../../../databases/databases.ts'
import { openDatabase } from '../../../../databases/open.ts'
import { eitherOf } from '../../../../long.ts'
import { createModel, type Model, UUIDS } from '../../model/model.ts'
import { createSilence } from '../../silences.ts'

const listCards = ({ channels }: Model) => [...channels.messages.values()].map(({ model }) => model)
// The fake renderer puts every model in the message, also those of maintenance.
const listOutageCards = (model: Model) =>
  listCards(model).filter(({ kind }) => String(kind) !== 'maintenance')

describe('the end of a mute', () => {
  it.each([
    {
      label: 'the channel was paused and resumed',
      meanwhile: async (model: Model) => {
        await model.pause(0)
        await model.passWithoutFaults(2)
        await model.resume(0)
      },
    },
    {
      label: 'the mute ended while the channel was paused a second time',
      meanwhile: async (model: Model) => {
        await model.pause(0)
        await model.resume(0)
        await model.pause(0)
        await model.passWithoutFaults(20)
        await model.resume(0)
      },
      endsMeanwhile: true,
    },
    { label: 'more bad polls are required', meanwhile: (model: Model) => model.watch(0, 0, 3) },
    { label: 'the watch covers other checks too', meanwhile: (model: Model) => model.watch(0, 1, 1) },
  ])('posts what the mute silenced, even if $label in the meantime', async ({ meanwhile, endsMeanwhile }) => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.passMinute()
    await model.mute(0, 0)
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(4)
    await meanwhile(model)
    await model.passWithoutFaults(1)
    if (!endsMeanwhile) expect(listCards(model)).toEqual([])
    await model.passWithoutFaults(20)
    expect(listCards(model)).toMatchObject([{ kind: 'card', downCount: 1 }])
  })
})

it.each(eitherOf(SHARED_DATABASES))(
  'marks a storm as muted once all of its checks are muted, with $name',
  async ({ start }) => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    const lastDownIndex = 0
    await model.watch(0, 0, 1)
    await model.passMinute()
    for (const index of UUIDS.keys()) if (index !== lastDownIndex) model.setStatus(index, 'UNHEALTHY')
    await model.passMinute()
    model.setStatus(lastDownIndex, 'UNHEALTHY')
    await model.passMinute()
    expect(listCards(model)).toMatchObject([{ kind: 'card', downCount: UUIDS.length }])
    await model.mute(0, lastDownIndex)
    await model.passMinute()
    expect(listCards(model)[0]).not.toHaveProperty('silence')
    for (const index of UUIDS.keys()) if (index !== lastDownIndex) await model.mute(0, index)
    await model.passMinute()
    // The card shows when the first of its mutes ends.
    const to = new Date(model.now().getTime() + 13 * 60_000).toISOString()
    expect(listCards(model)).toMatchObject([{ kind: 'card', silence: { to } }])
  },
)

it('doesn’t recreate an ended mute when its request is repeated', async () => {
  await using model = await createModel()
  const { silences } = model.store.watching
  const mute = createSilence({ channelId: 'C1', planId: 'm1', from: new Date(0), forMs: 1000 })
  await silences.add(mute)
  expect(await silences.list('T1')).toMatchObject([{ planId: 'm1', state: 'running' }])
  await silences.advance('T1', 'm1')
  expect(await silences.add(mute)).toMatchObject({ planId: 'm1', state: 'over' })
  expect(await silences.list('T1')).toEqual([])
  expect(await silences.find('T1', 'm1')).toBeUndefined()
})

it.each(['C1', 'C1/1700000000.000100'])(
  'silences %s, but no other channel, with a mute in C1',
  async (mutedId) => {
    await using model = await createModel()
    const { silences, watches, outbox } = model.store.watching
    for (const channelId of [mutedId, 'C2'])
      await watches.add({
        ...{ workspaceId: 'T1', environment: 'production', channelId, filter: { include: [], exclude: [] } },
        ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: model.now() },
      })
    await model.passMinute()
    const mute = await silences.add(createSilence({ channelId: 'C1', from: model.now() }))
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(2)
    expect([...model.channels.messages.values()].map(({ channelId }) => channelId)).toEqual(['C2'])
    const isPending = async () => (await outbox.getNextDelayMs('T1', mutedId)) !== undefined
    expect(await isPending()).toBe(false)
    await silences.end('T1', mute.id, { endsRecurrence: true, now: model.now() })
    expect(await isPending()).toBe(true)
  },
)

const MINUTE_MS = 60_000
const MINUTES = (count: number) => ({ forMs: count * MINUTE_MS })
const WEB_1 = { kind: 'check', uuid: 'A1', name: 'check-a1' } as const

/** Starts a model on a database, which it disposes of, or in memory. */
async function startMutes(database?: TestDatabase) {
  const { url = 'sqlite::memory:', keys = KEY_A } = database ?? {}
  const model = await createModel({ url, keys })
  const { silences } = model.store.watching
  const mute = (planId: string, options: Partial<NewSilence> = {}) =>
    silences.add(createSilence({ channelId: 'C1', planId, from: model.now(), ...MINUTES(60), ...options }))
  const listPlans = async () => (await silences.list('T1')).map(({ planId }) => planId).sort()
  return {
    ...{ model, silences, mute, listPlans, url },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      await database?.[Symbol.asyncDispose]()
    },
  }
}

describe.each(SHARED_DATABASES)('a mute typed again, with $name', ({ start }) => {
  it('replaces only the open mute of the same subject, place, and environment', async () => {
    await using test = await startMutes(await start())
    const { mute, listPlans, silences, model } = test
    await mute('all')
    await mute('pattern', { subject: { kind: 'name', pattern: 'Web-*' } })
    await mute('check', { subject: WEB_1 })
    await mute('thread', { channelId: 'C1/1700000000.000100' })
    await mute('elsewhere', { channelId: 'C2' })
    await mute('ote', { environment: 'ote' })
    await mute('window', { kind: 'maintenance' })
    await mute('window-2', { kind: 'maintenance' })
    await mute('all-again', { ...MINUTES(15), ownerId: 'U2' })
    await mute('pattern-again', { subject: { kind: 'name', pattern: 'web-*' } })
    await mute('check-again', { subject: { ...WEB_1, uuid: 'a1', name: 'renamed' } })
    expect(await listPlans()).toEqual(
      [
        'all-again',
        'check-again',
        'elsewhere',
        'ote',
        'pattern-again',
        'thread',
        'window',
        'window-2',
      ].sort(),
    )
    expect(await silences.find('T1', 'all-again')).toMatchObject({
      ownerId: 'U2',
      to: new Date(model.now().getTime() + 15 * MINUTE_MS),
    })
  })

  it('stays replaced if the first request is repeated after its reply was lost', async () => {
    await using test = await startMutes(await start())
    const { mute, listPlans } = test
    await mute('first')
    await mute('second')
    expect(await mute('first')).toMatchObject({ planId: 'first', state: 'over' })
    expect(await listPlans()).toEqual(['second'])
  })

  it('leaves one mute if two replicas add it at the same time', async () => {
    await using test = await startMutes(await start())
    const { mute, silences } = test
    await Promise.all([1, 2, 3, 4].map((index) => mute(`m${index}`)))
    expect(await silences.list('T1')).toHaveLength(1)
    await using raw = await openDatabase(test.url)
    const { rows } = raw
    const [open] = await rows.selectFrom('watch_silence').selectAll().where('state', '<>', 'over').execute()
    if (!open) throw new Error('No mute is open.')
    // The database refuses a second one, whatever the program does.
    await expect(
      rows
        .insertInto('watch_silence')
        .values({ ...open, id: 'other', plan_id: 'other' })
        .execute(),
    ).rejects.toThrow()
  })
})

/** In memory, because the tests above cover what differs between databases. */
describe('a mute typed again', () => {
  it('posts what is down at the new end, and not at the earlier or later one', async () => {
    await using test = await startMutes()
    const { model, mute } = test
    await model.watch(0, 0, 1)
    await model.passMinute()
    await mute('long')
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(5)
    await mute('short', MINUTES(15))
    await model.passWithoutFaults(13)
    expect(listCards(model)).toEqual([])
    await model.passWithoutFaults(3)
    expect(listCards(model)).toHaveLength(1)
    await model.passWithoutFaults(60)
    expect(model.channels.messages.size).toBe(1)
    model.setStatus(0, 'HEALTHY')
    await model.passWithoutFaults(15)
    await mute('short-2', MINUTES(15))
    await mute('long-2', MINUTES(40))
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(30)
    expect(model.channels.messages.size).toBe(1)
    await model.passWithoutFaults(12)
    expect(model.channels.messages.size).toBe(2)
  })

  it('stays ended if the clock is set back, and adds up with maintenance', async () => {
    await using test = await startMutes()
    const { model, mute, silences } = test
    await model.watch(0, 0, 1)
    await model.passMinute()
    await mute('mute', MINUTES(15))
    await mute('window', { kind: 'maintenance', ...MINUTES(30) })
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(16)
    expect(await silences.find('T1', 'mute')).toBeUndefined()
    expect(listOutageCards(model)).toEqual([])
    await model.passWithoutFaults(16)
    expect(listOutageCards(model)).toHaveLength(1)
    await model.jumpClock(-60)
    await model.passWithoutFaults(3)
    expect(await silences.list('T1')).toEqual([])
  })

  it('keeps running if the clock is set back before its start', async () => {
    await using test = await startMutes()
    const { model, mute, silences } = test
    await model.watch(0, 0, 1)
    await model.passMinute()
    await mute('mute')
    await mute('window', { kind: 'maintenance' })
    await model.passWithoutFaults(2)
    await model.jumpClock(-60)
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(3)
    expect((await silences.list('T1')).map(({ state }) => state)).toEqual(['running', 'running'])
    expect(listOutageCards(model)).toEqual([])
  })
})
