import { describe, expect, it } from 'vitest'
import { createModel, type Model } from './model/model.ts'

const WORKSPACE = 'T1'
const MINUTE_MS = 60_000

async function startWatched(): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1)
  await model.minute()
  return model
}

const shown = ({ channels }: Model) => [...channels.messages.values()].map(({ model }) => model)
const methods = ({ channels }: Model) => channels.calls.map(({ method }) => method)

describe('a channel that waits for the rate limit', () => {
  it('gets one edit with the latest state for ten changes of a card', async () => {
    await using model = await startWatched()
    for (const index of [0, 1, 2, 3, 4]) model.set(index, 'UNHEALTHY')
    await model.minute()
    expect(methods(model)).toEqual(['post'])
    await model.store.watching.outbox.pauseMethod(WORKSPACE, 'edit', 12 * MINUTE_MS)
    for (const index of [5, 6]) {
      model.set(index, 'UNHEALTHY')
      await model.minute()
    }
    await model.press('take')
    // A check is up after two good polls, so each minute but the first adds one change.
    for (let index = 0; index < 7; index += 1) {
      model.set(index, 'HEALTHY')
      await model.minute()
    }
    await model.minute()
    const [cardId = ''] = model.channels.posted.keys()
    const card = await model.store.watching.cards.find(WORKSPACE, cardId)
    const changes = 2 + 1 + (card?.outages.filter(({ endedAt }) => endedAt).length ?? 0)
    expect(changes).toBe(10)
    expect(methods(model)).toEqual(['post'])
    expect(shown(model)).toMatchObject([{ kind: 'many', total: 5, stillDown: 5 }])
    await model.quietly(10)
    expect(methods(model)).toEqual(['post', 'edit'])
    expect(shown(model)).toMatchObject([{ kind: 'many', total: 7, stillDown: 0 }])
    expect(shown(model)[0]).toHaveProperty('overAt')
  })

  it('gets new cards before edits of existing ones', async () => {
    await using model = await startWatched()
    model.set(0, 'UNHEALTHY')
    await model.minute()
    for (const method of ['post', 'edit'] as const)
      await model.store.watching.outbox.pauseMethod(WORKSPACE, method, 10 * MINUTE_MS)
    model.set(0, 'HEALTHY')
    await model.minute()
    await model.minute()
    model.set(3, 'UNHEALTHY')
    await model.minute()
    expect(methods(model)).toEqual(['post'])
    await model.quietly(10)
    const [first, second] = model.channels.posted.keys()
    expect(model.channels.calls).toEqual([
      { method: 'post', cardId: first },
      { method: 'post', cardId: second },
      { method: 'edit', cardId: first },
    ])
  })
})
