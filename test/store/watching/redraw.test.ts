import { expect, it } from 'vitest'
import { createModel, UUIDS } from '../../watching/model/model.ts'
import { SHARED_DATABASES } from '../databases.ts'

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
    expect(shown()).toMatchObject([{ kind: 'storm', stillDown: UUIDS.length }])
    await model.mute(0, LAST)
    await model.minute()
    expect(shown()[0]).not.toHaveProperty('muted')
    for (const index of UUIDS.keys()) if (index !== LAST) await model.mute(0, index)
    await model.minute()
    // The first of the mutes is the first to end.
    const until = new Date(model.now().getTime() + 13 * 60_000).toISOString()
    expect(shown()).toMatchObject([{ kind: 'storm', muted: { until } }])
  },
)
