import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { createModel, type Model, UUIDS } from '../model/model.ts'

const shown = ({ channels }: Model) => [...channels.standing.values()].map(({ model }) => model)

describe('the end of a mute tells what it kept back', () => {
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
    { what: 'more bad polls are to confirm', meanwhile: (model: Model) => model.watch(0, 0, 3) },
    { what: 'the watch is about other checks too', meanwhile: (model: Model) => model.watch(0, 1, 1) },
  ])('although $what meanwhile', async ({ meanwhile, isOver }) => {
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

it.each(SHARED_DATABASES)(
  'a storm says that it is muted once all of it is, with $name',
  async ({ start }) => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    const shown = () => [...model.channels.standing.values()].map(({ model: card }) => card)
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
    expect(shown()[0]).not.toHaveProperty('muted')
    for (const index of UUIDS.keys()) if (index !== LAST) await model.mute(0, index)
    await model.minute()
    // The first of the mutes is the first to end.
    const until = new Date(model.now().getTime() + 13 * 60_000).toISOString()
    expect(shown()).toMatchObject([{ kind: 'many', muted: { until } }])
  },
)

it('a mute that is over is not made again by the request that made it', async () => {
  await using model = await createModel()
  const { mutes } = model.store.watching
  const place = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const
  const [madeAt, until] = [new Date(0), new Date(1000)]
  const mute = { ...place, id: 'm1', about: { kind: 'all' }, until, by: 'U1', madeAt } as const
  await mutes.add(mute)
  expect(await mutes.list('T1')).toMatchObject([{ id: 'm1' }])
  await mutes.step('T1', 'm1')
  expect(await mutes.add(mute)).toMatchObject({ id: 'm1' })
  expect(await mutes.list('T1')).toEqual([])
  expect(await mutes.find('T1', 'm1')).toBeUndefined()
})
