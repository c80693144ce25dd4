import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { createModel, type Model } from '../model/model.ts'

const shown = ({ channels }: Model) => [...channels.standing.values()].map(({ model }) => model)

it.each(SHARED_DATABASES)(
  'a storm takes up nothing new for the flips of a check, with $name',
  async ({ start }) => {
    await using database = await start()
    await using model = await createModel({ url: database.url, keys: database.keys })
    await model.watch(0, 0, 1)
    await model.minute()
    for (const index of [0, 1, 2, 3, 4]) model.set(index, 'UNHEALTHY')
    await model.quietly(3)
    model.set(5, 'UNHEALTHY')
    await model.minute()
    expect(shown(model)).toMatchObject([{ kind: 'storm', stillDown: 6 }])
    for (const status of ['HEALTHY', 'UNHEALTHY']) {
      model.set(0, status)
      await model.quietly(3)
    }
    model.set(6, 'UNHEALTHY')
    await model.minute()
    expect(shown(model)).toMatchObject([
      { kind: 'storm', stillDown: 6 },
      { kind: 'outage', check: { uuid: 'b4' } },
    ])
  },
)
