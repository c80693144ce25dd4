import { expect, it } from 'vitest'
import { createModel } from './model/model.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

it('a daily summary that is due when Signalman starts waits for a poll', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  const settings = { hour: 14, timeZone: 'UTC' }
  const next = new Date(Date.UTC(2026, 2, 1, 14))
  await model.store.watching.digests.set({ ...SCOPE, channelId: 'C1' }, settings, {
    userId: 'U1',
    now: model.now(),
    next,
  })
  await model.passMinutes(3)
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(3)
  model.setStatus(0, 'HEALTHY')
  await model.jumpClock(240)
  await model.passMinutes(10)
  const summaries = [...model.channels.messages.values()].flatMap(({ model: shown }) =>
    'stillDown' in shown ? [shown] : [],
  )
  expect(summaries).toMatchObject([{ outages: 1, stillDown: [] }])
})
