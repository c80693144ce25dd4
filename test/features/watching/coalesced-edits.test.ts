import { describe, expect, it } from 'vitest'
import { createModel, type Model } from './model/model.ts'

const WORKSPACE = 'T1'
const MINUTE_MS = 60_000

async function startWatchedModel(): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinute()
  return model
}

const listCards = ({ channels }: Model) => [...channels.messages.values()].map(({ model }) => model)
const listMethods = ({ channels }: Model) => channels.calls.map(({ method }) => method)

describe('a rate-limited channel', () => {
  it('gets one edit with the latest state after ten changes to a card', async () => {
    await using model = await startWatchedModel()
    for (const index of [0, 1, 2, 3, 4]) model.setStatus(index, 'UNHEALTHY')
    await model.passMinute()
    expect(listMethods(model)).toEqual(['post'])
    await model.store.watching.outbox.pauseMethod(WORKSPACE, 'edit', 11 * MINUTE_MS)
    for (const index of [5, 6]) {
      model.setStatus(index, 'UNHEALTHY')
      await model.passMinute()
    }
    await model.press('take')
    // First those that nobody is on: if they were still down after five minutes, they would get a message.
    for (const index of [5, 6, 0, 1, 2, 3, 4]) {
      model.setStatus(index, 'HEALTHY')
      await model.passMinute()
    }
    await model.passMinute()
    const [cardId = ''] = model.channels.posted.keys()
    const card = await model.store.watching.readCardHistory(WORKSPACE, cardId)
    const changes = 2 + 1 + (card?.incidents.filter(({ isDown }) => !isDown).length ?? 0)
    expect(changes).toBe(10)
    expect(listMethods(model)).toEqual(['post'])
    expect(listCards(model)).toMatchObject([{ total: 5, downCount: 5 }])
    // Before the first incident closes.
    await model.passWithoutFaults(2)
    expect(listMethods(model)).toEqual(['post', 'edit'])
    expect(listCards(model)).toMatchObject([{ total: 7, downCount: 0 }])
  })

  it('gets new cards before edits of existing ones', async () => {
    await using model = await startWatchedModel()
    model.setStatus(0, 'UNHEALTHY')
    await model.passMinute()
    for (const method of ['post', 'edit'] as const)
      await model.store.watching.outbox.pauseMethod(WORKSPACE, method, 10 * MINUTE_MS)
    model.setStatus(0, 'HEALTHY')
    await model.passMinute()
    await model.passMinute()
    model.setStatus(3, 'UNHEALTHY')
    await model.passMinute()
    expect(listMethods(model)).toEqual(['post'])
    await model.passWithoutFaults(10)
    const [first, second] = model.channels.posted.keys()
    expect(model.channels.calls).toEqual([
      { method: 'post', cardId: first },
      { method: 'post', cardId: second },
      { method: 'edit', cardId: first },
    ])
  })
})
