import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../../../../databases/databases.ts'
import { createModel, type Model, UUIDS } from '../../model/model.ts'
import { createSilence } from '../../silences.ts'

const listCards = ({ channels }: Model) => [...channels.messages.values()].map(({ model }) => model)

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
    expect(listCards(model)).toMatchObject([{ kind: 'multi-check', downCount: 1 }])
  })
})

it.each(SHARED_DATABASES)(
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
    expect(listCards(model)).toMatchObject([{ kind: 'multi-check', downCount: UUIDS.length }])
    await model.mute(0, lastDownIndex)
    await model.passMinute()
    expect(listCards(model)[0]).not.toHaveProperty('silence')
    for (const index of UUIDS.keys()) if (index !== lastDownIndex) await model.mute(0, index)
    await model.passMinute()
    // The card shows when the first of its mutes ends.
    const to = new Date(model.now().getTime() + 13 * 60_000).toISOString()
    expect(listCards(model)).toMatchObject([{ kind: 'multi-check', silence: { to } }])
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
    const { silences, watches, cards } = model.store.watching
    for (const channelId of [mutedId, 'C2'])
      await watches.add({
        ...{ workspaceId: 'T1', environment: 'production', channelId, filter: { include: [], exclude: [] } },
        ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: model.now() },
      })
    await model.passMinute()
    const mute = await silences.add(createSilence({ channelId: 'C1', from: model.now() }))
    model.setStatus(0, 'UNHEALTHY')
    await model.passWithoutFaults(2)
    const listChannelIds = async () =>
      (await cards.listOpen('T1', { limit: 9 })).map(({ channelId }) => channelId)
    expect(await listChannelIds()).toEqual(['C2'])
    await silences.end('T1', mute.id, { endsRecurrence: true, now: model.now() })
    expect((await listChannelIds()).toSorted()).toEqual([mutedId, 'C2'])
  },
)
