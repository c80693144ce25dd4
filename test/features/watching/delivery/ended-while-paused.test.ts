import { expect, it } from 'vitest'
import { CHANNELS, createModel } from '../model/model.ts'

it('updates the cards of a paused channel as soon as its last watch ends', async () => {
  await using model = await createModel()
  const countPending = () => model.store.watching.outbox.countPending('T1', CHANNELS[0])
  await model.watch(0, 0, 1)
  await model.passMinute()
  model.setServiceFailure('unavailable')
  await model.passMinutes(6)
  await model.pause(0)
  model.setServiceFailure(false)
  await model.passMinute()
  // The card in Slack still says that the service can't be reached, which is no longer true.
  expect(await countPending()).toBe(1)
  await model.unwatch(0)
  await model.passMinute()
  expect(await countPending()).toBe(0)
  expect([...model.channels.messages.values()]).toMatchObject([
    { model: { kind: 'card', total: 0, unwatchedCount: 1 } },
  ])
})
