import { expect, it } from 'vitest'
import { createModel } from '../../model/model.ts'

it('records the previous person on an outage, unless the same person takes it again', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(1)
  const [card] = [...model.channels.messages.values()].map(({ model: shown }) => shown)
  if (!card || !('cardId' in card)) throw new Error('There is no card.')
  const { acknowledgments } = model.store.watching
  const [ann, bob] = [
    { userId: 'U1', name: 'Ann' },
    { userId: 'U2', name: 'Bob' },
  ]
  await acknowledgments.acknowledge('T1', card, ann)
  const pressed = await acknowledgments.listPressedBy('T1', card, 'U1')
  if (!pressed) throw new Error('The card isn’t stored.')
  const ids = pressed.incidents.map(({ id }) => id)
  expect(await acknowledgments.handOver(pressed.scope, ids, 'U1', ann)).toHaveLength(1)
  expect(await acknowledgments.acknowledge('T1', card, bob, 'U1')).toMatchObject({
    taken: [{ name: 'check-a1' }],
  })
  const history = await model.store.watching.readCardHistory('T1', card.cardId)
  const taken = history?.events.flatMap(({ kind, details }) => (kind === 'took' ? [details] : []))
  expect(taken?.map((details) => [details?.byName, details?.from])).toEqual([
    ['Ann', undefined],
    ['Ann', undefined],
    ['Bob', 'Ann'],
  ])
})

it('knows what it handed over if the change is repeated after a crash, but not what someone else took since', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  model.setStatus(1, 'UNHEALTHY')
  await model.passWithoutFaults(1)
  const { acknowledgments } = model.store.watching
  const [ann, bob, eve] = [
    { userId: 'U1', name: 'Ann' },
    { userId: 'U2', name: 'Bob' },
    { userId: 'U3', name: 'Eve' },
  ]
  const [card] = [...model.channels.messages.values()].map(({ model: shown }) => shown)
  if (!card || !('cardId' in card)) throw new Error('There is no card.')
  await acknowledgments.acknowledge('T1', card, ann)
  const pressed = await acknowledgments.listPressedBy('T1', card, 'U1')
  if (!pressed) throw new Error('The card isn’t stored.')
  const ids = pressed.incidents.map(({ id }) => id)
  const handOver = async () =>
    (await acknowledgments.handOver(pressed.scope, ids, 'U1', bob)).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  expect((await handOver()).sort()).toEqual([...ids].sort())
  await acknowledgments.handOver(pressed.scope, ids.slice(0, 1), 'U2', eve)
  expect(await handOver()).toEqual(ids.slice(1))
})

it('says that nothing is open there anymore if a card lost what it listed, or lists only something newer', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(1)
  const [first] = [...model.channels.messages.values()].map(({ model: shown }) => shown)
  if (!first) throw new Error('There is no card.')
  const { acknowledgments } = model.store.watching
  const ann = { userId: 'U1', name: 'Ann' }
  // Ten minutes later, the first is over, and the card lists another one.
  model.setStatus(0, 'HEALTHY')
  await model.passWithoutFaults(1)
  model.setStatus(1, 'UNHEALTHY')
  await model.passWithoutFaults(1)
  model.setStatus(1, 'HEALTHY')
  await model.passWithoutFaults(10)
  model.setStatus(1, 'UNHEALTHY')
  await model.passWithoutFaults(1)
  const pressed = { cardId: first.cardId, version: first.version }
  expect(await acknowledgments.acknowledge('T1', pressed, ann)).toBe('none')
  // No newer message lists what isn't watched anymore.
  await model.unwatch(0)
  await model.passWithoutFaults(1)
  expect(await acknowledgments.acknowledge('T1', { cardId: first.cardId }, ann)).toBe('none')
})
