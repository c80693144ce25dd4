import { expect, it } from 'vitest'
import { createModel } from '../../model/model.ts'

const [ANN, BOB, EVE] = [
  { userId: 'U1', name: 'Ann' },
  { userId: 'U2', name: 'Bob' },
  { userId: 'U3', name: 'Eve' },
]

/** A channel that watches all, and the card of the first checks, which are down. */
async function startDown(checks = 1) {
  await using started = new AsyncDisposableStack()
  const model = started.use(await createModel())
  await model.watch(0, 0, 1)
  await model.passMinute()
  for (let check = 0; check < checks; check += 1) model.setStatus(check, 'UNHEALTHY')
  await model.passWithoutFaults(1)
  const [card] = [...model.channels.messages.values()].map(({ model: shown }) => shown)
  if (!card || !('cardId' in card)) throw new Error('There is no card.')
  started.move()
  return {
    model,
    card,
    acknowledgments: model.store.watching.acknowledgments,
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  }
}

it('records the previous person on an outage, unless the same person takes it again', async () => {
  await using started = await startDown()
  const { model, card, acknowledgments } = started
  await acknowledgments.acknowledge('T1', card, ANN)
  const pressed = await acknowledgments.listPressedBy('T1', card, 'U1')
  if (!pressed) throw new Error('The card isn’t stored.')
  const ids = pressed.incidents.map(({ id }) => id)
  expect(await acknowledgments.handOver(pressed.scope, ids, 'U1', ANN)).toHaveLength(1)
  expect(await acknowledgments.acknowledge('T1', card, BOB, 'U1')).toMatchObject({
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
  await using started = await startDown(2)
  const { card, acknowledgments } = started
  await acknowledgments.acknowledge('T1', card, ANN)
  const pressed = await acknowledgments.listPressedBy('T1', card, 'U1')
  if (!pressed) throw new Error('The card isn’t stored.')
  const ids = pressed.incidents.map(({ id }) => id)
  const handOver = async () =>
    (await acknowledgments.handOver(pressed.scope, ids, 'U1', BOB)).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  expect((await handOver()).sort()).toEqual([...ids].sort())
  await acknowledgments.handOver(pressed.scope, ids.slice(0, 1), 'U2', EVE)
  expect(await handOver()).toEqual(ids.slice(1))
})

it('says that nothing is open there anymore if a card lost what it listed, or lists only something newer', async () => {
  await using started = await startDown()
  const { model, card: first, acknowledgments } = started
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
  expect(await acknowledgments.acknowledge('T1', pressed, ANN)).toBe('none')
  // No newer message lists what isn't watched anymore.
  await model.unwatch(0)
  await model.passWithoutFaults(1)
  expect(await acknowledgments.acknowledge('T1', { cardId: first.cardId }, ANN)).toBe('none')
})
