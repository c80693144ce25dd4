import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../../../databases/databases.ts'
import { createModel, type Model, UUIDS } from '../../model/model.ts'
import { silenceFrom } from '../../silences.ts'

const shown = ({ channels }: Model) => [...channels.messages.values()].map(({ model }) => model)

describe('the end of a mute', () => {
  it.each([
    {
      what: 'the channel was paused and resumed',
      meanwhile: async (model: Model) => {
        await model.pause(0)
        await model.quietly(2)
        await model.resume(0)
      },
    },
    {
      what: 'the mute ended while the channel was paused a second time',
      meanwhile: async (model: Model) => {
        await model.pause(0)
        await model.resume(0)
        await model.pause(0)
        await model.quietly(20)
        await model.resume(0)
      },
      isOver: true,
    },
    { what: 'more bad polls are required', meanwhile: (model: Model) => model.watch(0, 0, 3) },
    { what: 'the watch covers other checks too', meanwhile: (model: Model) => model.watch(0, 1, 1) },
  ])('posts what the mute silenced, even if $what in the meantime', async ({ meanwhile, isOver }) => {
    await using model = await createModel()
    await model.watch(0, 0, 1)
    await model.minute()
    await model.mute(0, 0)
    model.set(0, 'UNHEALTHY')
    await model.quietly(4)
    await meanwhile(model)
    await model.quietly(1)
    if (!isOver) expect(shown(model)).toEqual([])
    await model.quietly(20)
    expect(shown(model)).toMatchObject([{ kind: 'many', stillDown: 1 }])
  })
})

it.each(SHARED_DATABASES)('marks a storm as muted when all of it is, with $name', async ({ start }) => {
  await using database = await start()
  await using model = await createModel({ url: database.url, keys: database.keys })
  const shown = () => [...model.channels.messages.values()].map(({ model: card }) => card)
  const LAST = 0
  await model.watch(0, 0, 1)
  await model.minute()
  for (const index of UUIDS.keys()) if (index !== LAST) model.set(index, 'UNHEALTHY')
  await model.minute()
  model.set(LAST, 'UNHEALTHY')
  await model.minute()
  expect(shown()).toMatchObject([{ kind: 'many', stillDown: UUIDS.length }])
  await model.mute(0, LAST)
  await model.minute()
  expect(shown()[0]).not.toHaveProperty('silence')
  for (const index of UUIDS.keys()) if (index !== LAST) await model.mute(0, index)
  await model.minute()
  // The first mute ends first.
  const to = new Date(model.now().getTime() + 13 * 60_000).toISOString()
  expect(shown()).toMatchObject([{ kind: 'many', silence: { to } }])
})

it('doesn’t create a mute again when its request is repeated after its end', async () => {
  await using model = await createModel()
  const { silences } = model.store.watching
  const mute = silenceFrom({ channelId: 'C1', planId: 'm1', from: new Date(0), forMs: 1000 })
  await silences.add(mute)
  expect(await silences.list('T1')).toMatchObject([{ planId: 'm1', state: 'running' }])
  await silences.step('T1', 'm1')
  expect(await silences.add(mute)).toMatchObject({ planId: 'm1', state: 'over' })
  expect(await silences.list('T1')).toEqual([])
  expect(await silences.find('T1', 'm1')).toBeUndefined()
})

it.each(['C1', 'C1/1700000000.000100'])(
  'silences %s with a mute in C1, and no other channel',
  async (place) => {
    await using model = await createModel()
    const { silences, watches, cards } = model.store.watching
    for (const channelId of [place, 'C2'])
      await watches.add({
        ...{ workspaceId: 'T1', environment: 'production', channelId, filter: { include: [], exclude: [] } },
        ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: model.now() },
      })
    await model.minute()
    const mute = await silences.add(silenceFrom({ channelId: 'C1', from: model.now() }))
    model.set(0, 'UNHEALTHY')
    await model.quietly(2)
    const places = async () => (await cards.open('T1', { limit: 9 })).map(({ channelId }) => channelId)
    expect(await places()).toEqual(['C2'])
    await silences.end('T1', mute.id, { isPlan: true, now: model.now() })
    expect((await places()).toSorted()).toEqual([place, 'C2'])
  },
)
