import { describe, expect, it } from 'vitest'
import { createModel, type Model } from '../../watching/model/model.ts'
import { SHARED_DATABASES } from '../databases.ts'

const shown = ({ channels }: Model) => [...channels.standing.values()].map(({ model }) => model)

describe.each(SHARED_DATABASES)('the end of a mute tells what it kept back, with $name', ({ start }) => {
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
      reason: 'resumed',
    },
    { what: 'more bad polls are to confirm', meanwhile: (model: Model) => model.watch(0, 0, 3) },
    { what: 'the watch is about other checks too', meanwhile: (model: Model) => model.watch(0, 1, 1) },
  ])('although $what meanwhile', async ({ meanwhile, reason = 'mute-ended' }) => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.minute()
    await model.mute(0, 0)
    model.set(0, 'UNHEALTHY')
    await model.quietly(4)
    await meanwhile(model)
    await model.quietly(1)
    if (reason === 'mute-ended') expect(shown(model)).toEqual([])
    await model.quietly(20)
    expect(shown(model)).toMatchObject([{ kind: 'still-down', reason, stillDown: 1 }])
  })
})
