import { expect, it } from 'vitest'
import { readDigestModel } from '../../../../src/features/watching/digests.ts'
import { createModel, type Model } from '../model/model.ts'

const CHANNEL = { workspaceId: 'T1', channelId: 'C1', environment: 'production' } as const

/** Slack can't be reached for some minutes. */
async function passWithoutSlack(model: Model, minutes: number): Promise<void> {
  model.channels.state.isUnavailable = true
  await model.passMinutes(minutes)
  model.channels.state.isUnavailable = false
}

async function listKinds({ store, channels }: Model): Promise<string[]> {
  const [first] = channels.messages.values()
  const history = await store.watching.readCardHistory('T1', first?.model.cardId ?? '')
  return (history?.events ?? []).map(({ kind }) => kind)
}

it('lists no page that was never sent', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1, { pages: true })
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(4)
  await passWithoutSlack(model, 3)
  await model.press('take', 1)
  await model.passMinutes(3)
  expect(model.channels.pagedPeople).toEqual([])
  expect(await listKinds(model)).toEqual(['down', 'posted', 'took'])
})

it('lists a page only about what it named when it was sent', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1, { pages: true })
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(4)
  model.setStatus(1, 'UNHEALTHY')
  await passWithoutSlack(model, 3)
  expect(model.channels.pagedPeople).toEqual([])
  await model.press('take', 1)
  await model.passMinutes(6)
  expect(model.channels.pagedPeople).toEqual(['S1'])
  expect(await listKinds(model)).toEqual(['down', 'posted', 'took'])
})

it('counts no outage in the daily summary whose message was never sent', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinute()
  const from = model.now()
  model.setStatus(0, 'UNHEALTHY')
  await passWithoutSlack(model, 2)
  await model.unwatch(0)
  await model.passMinutes(3)
  expect([...model.channels.messages]).toEqual([])
  const period = { from: from.toISOString(), to: model.now().toISOString(), timeZone: 'UTC' }
  const { outages } = await readDigestModel(model.store.watching, CHANNEL, { period, openedAt: from })
  expect(outages).toBe(0)
})
