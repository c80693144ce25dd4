import { expect, it } from 'vitest'
import { createModel, type Model } from '../model/model.ts'
import { holds } from '../model/what-must-hold.ts'

const shown = ({ channels }: Model) => [...channels.standing.values()].map(({ model }) => model)

async function fallen(...indexes: number[]): Promise<Model> {
  const model = await createModel()
  await model.watch(0, 0, 1)
  await model.minute()
  for (const index of indexes) model.set(index, 'UNHEALTHY')
  await model.quietly(2)
  return model
}

it('keeps who was on it and who took it over from whom, on the card, and in its thread', async () => {
  await using model = await fallen(0)
  for (const who of [0, 1, 2]) {
    await model.acknowledge(who)
    await model.quietly(2)
  }
  expect(shown(model)).toMatchObject([{ acknowledged: { name: 'Cid', from: 'Bea' } }])
  // By a button that the card had before.
  await model.acknowledge(0, { isOlder: true })
  const [thread] = model.channels.threads.values()
  expect(JSON.parse(thread?.text ?? '').lines.slice(1)).toMatchObject([
    { byName: 'Ann' },
    { byName: 'Bea', from: 'Ann' },
    { byName: 'Cid', from: 'Bea' },
  ])
  model.set(0, 'HEALTHY')
  await model.quietly(3)
  // Nobody takes over what is over.
  const [card] = shown(model)
  const late = { userId: 'U2', name: 'Bea', now: model.now(), over: 'U3' }
  expect(await model.store.watching.cards.acknowledge('T1', card?.cardId ?? '', late)).toBe('over')
  // What falls again is nobody's yet; who was on it before still stands in the thread.
  model.set(0, 'UNHEALTHY')
  await model.quietly(2)
  expect(shown(model)[0]).not.toHaveProperty('acknowledged')
  await holds(model)
})

it.each([1, 0])(
  'is taken from whoever is on all that goes on by another card, pressed on card %i',
  async (which) => {
    await using model = await fallen(0)
    await model.acknowledge(0)
    model.set(3, 'UNHEALTHY')
    await model.quietly(2)
    await model.mute(0, 9)
    // Its end tells of both on one card.
    await model.quietly(17)
    const both = () => shown(model).filter(({ kind }) => kind === 'still-down')
    // Who takes one of them has not said to be on the other.
    await model.acknowledge(2)
    await model.quietly(2)
    expect(both()).toMatchObject([{ stillDown: 2 }])
    expect(both()[0]).not.toHaveProperty('acknowledged')
    model.set(3, 'HEALTHY')
    await model.quietly(3)
    expect(both()).toMatchObject([{ stillDown: 1, acknowledged: { name: 'Cid', from: 'Ann' } }])
    await model.acknowledge(1, { which })
    await model.quietly(2)
    for (const one of shown(model).filter((card) => !('overAt' in card) && !('endedAt' in card)))
      expect(one).toMatchObject({ acknowledged: { name: 'Bea', from: 'Cid' } })
    // Each thread has from whom it was, also where that one was on it by another card.
    for (const { text } of model.channels.threads.values())
      if (text.includes('"from":"Cid"')) expect(text).toContain('"byName":"Cid"')
    await holds(model)
  },
)

it('names in lists who has it by now, where another is still on a card that tells of more', async () => {
  await using model = await fallen(0, 1, 2, 3, 4)
  await model.mute(0, 0)
  await model.unmute()
  await model.quietly(2)
  expect(shown(model).map(({ kind }) => kind)).toEqual(['storm', 'still-down'])
  await model.acknowledge(0)
  await model.quietly(1)
  await model.acknowledge(1, { which: 1 })
  const scope = { workspaceId: 'T1', environment: 'production' } as const
  const down = await model.store.watching.history.downSince(scope, ['a1', 'a2'])
  expect([...down.values()].map(({ onIt }) => onIt)).toEqual(['Bea', 'Ann'])
  // Home says of nobody that they are on what somebody has taken over from them, nor of whom that was taken over again.
  const held = async (userId: string) =>
    (await model.store.watching.cards.held('T1', userId, 9)).map(({ outage }) => outage.check.uuid).toSorted()
  expect(await held('U1')).toEqual(['a2', 'a3', 'b1', 'b2'])
  expect(await held('U2')).toEqual(['a1'])
  await model.quietly(1)
  await model.acknowledge(2, { which: 1 })
  expect([await held('U1'), await held('U2'), await held('U3')]).toEqual([
    ['a2', 'a3', 'b1', 'b2'],
    [],
    ['a1'],
  ])
  // Nor does a card, of what is left.
  for (const index of [1, 2, 3, 4]) model.set(index, 'HEALTHY')
  await model.quietly(4)
  expect(shown(model)[0]).toMatchObject({ stillDown: 1, acknowledged: { name: 'Cid', from: 'Bea' } })
  expect(shown(model)[0]).not.toHaveProperty('alsoOnIt')
  expect(await held('U1')).toEqual([])
})

/** One card each, and one about both when a mute ends. */
async function fallenTwice(...who: number[]): Promise<Model> {
  const model = await fallen(0)
  const [first, second] = who
  if (first !== undefined) await model.acknowledge(first)
  model.set(3, 'UNHEALTHY')
  await model.quietly(2)
  if (second !== undefined) await model.acknowledge(second, { which: 1 })
  await model.mute(0, 9)
  await model.quietly(17)
  return model
}

it('names all who are on parts of what one card tells, and whoever takes it over beside the others', async () => {
  await using model = await fallenTwice(0, 1)
  expect(shown(model)[2]).toMatchObject({ acknowledged: { name: 'Bea' }, alsoOnIt: [{ name: 'Ann' }] })
  await model.acknowledge(2, { which: 2 })
  await model.quietly(2)
  // Whose card tells of one of them stays on that.
  expect(shown(model)).toMatchObject([
    { acknowledged: { name: 'Ann' }, alsoOnIt: [{ name: 'Cid', from: 'Bea' }] },
    { acknowledged: { name: 'Cid', from: 'Bea' } },
    { acknowledged: { name: 'Cid', from: 'Bea' }, alsoOnIt: [{ name: 'Ann' }] },
  ])
  expect(shown(model)[1]).not.toHaveProperty('alsoOnIt')
  await holds(model)
})

it('does not name who is on none of what is left, from whom that was taken over on another card', async () => {
  await using model = await fallenTwice()
  await model.acknowledge(0, { which: 2 })
  await model.quietly(2)
  await model.acknowledge(1)
  await model.quietly(2)
  expect(shown(model)[2]).toMatchObject({ acknowledged: { name: 'Ann' }, alsoOnIt: [{ name: 'Bea' }] })
  model.set(3, 'HEALTHY')
  await model.quietly(3)
  expect(shown(model)[2]).toMatchObject({ stillDown: 1, acknowledged: { name: 'Bea', from: 'Ann' } })
  expect(shown(model)[2]).not.toHaveProperty('alsoOnIt')
  await model.acknowledge(2, { which: 1 })
  await model.quietly(2)
  for (const which of [0, 2])
    expect(shown(model)[which]).toMatchObject({ acknowledged: { name: 'Cid', from: 'Bea' } })
  await holds(model)
})
