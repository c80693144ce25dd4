import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { createModel, type Model } from '../model/model.ts'

const reasons = ({ channels }: Model) =>
  [...channels.standing.values()].map(({ model }) => ('reason' in model ? model.reason : model.kind))

/** A channel that is reminded of after an hour. */
async function startWatched(database: { url?: string; keys?: string } = {}): Promise<Model> {
  const model = await createModel(database)
  await model.watch(0, 0, 1, { reminderHours: 1 })
  await model.minute()
  return model
}

describe('what is first told as still down', () => {
  it.each([
    {
      reason: 'mute-ended',
      keepBack: (model: Model) => model.mute(0, 0),
      tell: (model: Model) => model.unmute(),
    },
    {
      reason: 'outage',
      keepBack: (model: Model) => model.pause(0),
      tell: (model: Model) => model.resume(0),
    },
  ])('is reminded of as its watch asks: $reason', async ({ reason, keepBack, tell }) => {
    await using model = await startWatched()
    await keepBack(model)
    model.set(0, 'UNHEALTHY')
    await model.quietly(3)
    await tell(model)
    await model.quietly(55)
    expect(reasons(model)).toEqual([reason])
    await model.quietly(10)
    expect(reasons(model)).toEqual([reason, 'reminder'])
    await model.quietly(120)
    expect(reasons(model)).toHaveLength(2)
  })

  it('is reminded of by its own card where it has one', async () => {
    await using model = await startWatched()
    model.set(0, 'UNHEALTHY')
    await model.quietly(30)
    await model.pause(0)
    await model.resume(0)
    await model.quietly(25)
    expect(reasons(model)).toEqual(['outage'])
    await model.quietly(120)
    expect(reasons(model)).toEqual(['outage', 'reminder'])
  })
})

it.each(SHARED_DATABASES)(
  'what is still down is not reminded of once that is switched off, with $name',
  async ({ start }) => {
    await using database = await start()
    await using model = await startWatched(database)
    await model.mute(0, 0)
    model.set(0, 'UNHEALTHY')
    await model.quietly(20)
    await model.watch(0, 0, 1, { reminderHours: 0 })
    await model.quietly(70)
    expect(reasons(model)).toEqual(['mute-ended'])
  },
)

it('what is told as still down says who is on all of it', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1, { reminderHours: 1 })
  await model.minute()
  model.set(0, 'UNHEALTHY')
  await model.minute()
  await model.acknowledge()
  await model.mute(0, 9)
  await model.unmute()
  await model.quietly(2)
  const shown = [...model.channels.standing.values()].map((one) => one.model)
  expect(reasons(model)).toEqual(['outage', 'mute-ended'])
  for (const one of shown) expect(one).toMatchObject({ acknowledged: { by: 'U1' } })
  await model.quietly(70)
  expect(reasons(model)).toEqual(['outage', 'mute-ended'])
})

it('what is told as still down says who is on it, also where it was not watched for a time', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.minute()
  model.set(0, 'UNHEALTHY')
  await model.minute()
  await model.acknowledge()
  await model.watch(0, 2, 1)
  await model.minute()
  await model.watch(0, 0, 1)
  await model.mute(0, 0)
  await model.unmute()
  await model.quietly(2)
  const shown = [...model.channels.standing.values()].map((one) => one.model)
  expect(reasons(model)).toEqual(['outage', 'mute-ended'])
  expect(shown.at(-1)).toMatchObject({ acknowledged: { by: 'U1' } })
})

it('says who is on what is left of several, and calls nobody about that, once the rest is up', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1, { calls: true })
  await model.minute()
  model.set(0, 'UNHEALTHY')
  await model.minute()
  await model.acknowledge()
  await model.mute(0, 9)
  model.set(2, 'UNHEALTHY')
  await model.quietly(16)
  const last = () => [...model.channels.standing.values()].map((one) => one.model).at(-1)
  expect(last()).toMatchObject({ kind: 'still-down', stillDown: 2 })
  expect(last()).not.toHaveProperty('acknowledged')
  model.set(2, 'HEALTHY')
  await model.quietly(20)
  expect(last()).toMatchObject({ kind: 'still-down', stillDown: 1, acknowledged: { name: 'Ann' } })
  expect(model.faults).toEqual([])
})
