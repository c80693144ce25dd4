import { describe, expect, it } from 'vitest'
import { createModel, type Model } from '../../watching/model/model.ts'
import { SHARED_DATABASES } from '../databases.ts'

const shown = ({ channels }: Model) => [...channels.standing.values()].map(({ model }) => model)

describe.each(SHARED_DATABASES)('a paused channel, with $name', ({ start }) => {
  it('is told what is down once it takes messages, however often it was resumed before', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.minute()
    model.channels.archived.add('C1')
    model.set(0, 'UNHEALTHY')
    await model.quietly(2)
    await model.resume(0)
    await model.quietly(2)
    expect(shown(model)).toEqual([])
    model.channels.archived.clear()
    await model.resume(0)
    await model.quietly(2)
    expect(shown(model)).toMatchObject([{ kind: 'still-down', reason: 'resumed', stillDown: 1 }])
  })

  it('reads on the card of a storm how many are left of it', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.minute()
    for (const index of [0, 1, 2, 3, 4]) model.set(index, 'UNHEALTHY')
    await model.minute()
    await model.pause(0)
    for (const index of [0, 1, 2]) model.set(index, 'HEALTHY')
    await model.quietly(3)
    expect(shown(model)).toMatchObject([{ kind: 'storm', stillDown: 5 }])
    await model.resume(0)
    await model.quietly(1)
    expect(shown(model)).toMatchObject([
      { kind: 'storm', stillDown: 2 },
      { kind: 'still-down', stillDown: 2 },
    ])
  })

  it('is told what has a status that no other channel watches', async () => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.watch(1, 2, 1)
    await model.minute()
    await model.pause(1)
    await model.minute()
    model.set(0, 'INSTALLING')
    await model.quietly(2)
    await model.resume(1)
    await model.quietly(2)
    expect(shown(model)).toMatchObject([{ kind: 'still-down', reason: 'resumed', stillDown: 1 }])
  })

  it.each([
    { what: 'new', filter: 1, isOther: true },
    { what: 'changed', filter: 1, isOther: false },
  ])('tells of a watch that is $what, and what is down', async ({ filter, isOther }) => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.minute()
    await model.pause(0)
    model.set(0, 'UNHEALTHY')
    await model.minute()
    await model.watch(0, filter, 1, { another: isOther })
    await model.minute()
    const late = { kind: 'still-down', reason: 'resumed', stillDown: 1 }
    expect(shown(model)).toMatchObject([late])
    model.set(1, 'UNHEALTHY')
    await model.minute()
    expect(shown(model)).toMatchObject([late, { kind: 'outage', check: { uuid: 'a2' } }])
  })
})
