import { MINUTE_MS } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { createModel, UUIDS } from '../model/model.ts'

it('says since when polls have failed, not when that became an incident', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinutes(3)
  const failedAt = model.now()
  model.setServiceFailure('unavailable')
  await model.passMinutes(8)
  const [card] = [...model.channels.messages.values()].map(({ model: shown }) => shown)
  const [row] = card?.rows ?? []
  expect(row?.check.uuid).toBe('')
  // The model's messages are JSON, so dates are text.
  const since = new Date(String(row?.fell.at)).getTime()
  expect(since).toBeGreaterThan(failedAt.getTime())
  expect(since).toBeLessThanOrEqual(failedAt.getTime() + MINUTE_MS)
})

it('says of a check only how it was, everywhere, until the checks can be seen again', async () => {
  await using model = await createModel()
  const scope = { workspaceId: 'T1', environment: 'production' } as const
  const { history, readCheckDetails } = model.store.watching
  const [uuid = ''] = UUIDS
  await model.watch(0, 0, 1)
  await model.passMinutes(3)
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(2)
  const readKnown = async () => {
    const card = [...model.channels.messages.values()].find(({ model: shown }) =>
      shown.rows.some(({ check }) => check.uuid === uuid),
    )?.model
    return {
      card: card?.unseen?.failure,
      record: (await history.findUnseen(scope))?.failure,
      downSince: (await history.findDownSince(scope, [uuid])).get(uuid)?.at !== undefined,
      details: (await readCheckDetails({ ...scope, uuid, channelId: 'C1', outageLimit: 1 })).unseen?.failure,
    }
  }
  const seen = { downSince: true, card: undefined, record: undefined, details: undefined }
  expect(await readKnown()).toEqual(seen)
  model.setServiceFailure('unauthorized')
  await model.passMinutes(2)
  const failure = 'unauthorized'
  expect(await readKnown()).toEqual({ downSince: false, card: failure, record: failure, details: failure })
  model.setServiceFailure(false)
  await model.passMinutes(2)
  expect(await readKnown()).toEqual(seen)
})
