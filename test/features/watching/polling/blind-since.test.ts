import { expect, it } from 'vitest'
import { createModel } from '../model/model.ts'

it('says since when polls have failed, not when that became an incident', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinutes(3)
  model.setServiceFailure('unavailable')
  await model.passMinutes(8)
  const { failingSince } =
    (await model.store.watching.history.findPollStatus('T1', 'production')) ??
    expect.unreachable('Nothing is polled.')
  const [card] = [...model.channels.messages.values()].map(({ model: shown }) => shown)
  // The model's messages are JSON, so dates are text.
  expect(JSON.parse(JSON.stringify(card?.rows[0]))).toMatchObject({
    check: { uuid: '' },
    fell: { at: failingSince?.toISOString() },
  })
})
