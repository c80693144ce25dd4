import { expect, it } from 'vitest'
import { CHANNELS, createModel } from '../model/model.ts'

it('shows what changed in a paused channel as soon as its last watch ends', async () => {
  await using model = await createModel()
  const pending = () => model.store.watching.outbox.countPending('T1', CHANNELS[0])
  await model.watch(0, 0, 1)
  await model.minute()
  model.service('unavailable')
  await model.pass(6)
  await model.pause(0)
  model.service(false)
  await model.minute()
  // Slack still shows that checks can't be seen, which is over.
  expect(await pending()).toBe(1)
  await model.unwatch(0)
  await model.minute()
  expect(await pending()).toBe(0)
})
