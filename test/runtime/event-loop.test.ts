import { expect, it } from 'vitest'
import { yieldWhenDue } from '../../packages/runtime/src/event-loop.ts'

const ROUNDS = 20

function useMs(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
/** Takes longer than a turn of the event loop may. */
const useWholeTurn = () => useMs(6)

it('gives several long pieces of work turns, so that none has to wait for the end of another', async () => {
  const turns: string[] = []
  async function work(name: string): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      await yieldWhenDue()
      useWholeTurn()
      turns.push(name)
    }
  }
  await Promise.all([work('a'), work('b'), work('c')])
  for (const name of ['a', 'b', 'c'])
    expect(turns.slice(0, 3 * (ROUNDS - 2)).filter((turn) => turn === name).length).toBeGreaterThan(
      ROUNDS - 5,
    )
})

it('gives a turn to work that others with many short slices are ahead of', async () => {
  let slices = 0
  let isDone = false
  async function keepBusy(): Promise<void> {
    for (; slices < 3000 && !isDone; slices += 1) {
      await yieldWhenDue()
      useMs(0.5)
    }
  }
  async function wait(): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) await yieldWhenDue().then(useWholeTurn)
    isDone = true
  }
  await Promise.all([keepBusy(), keepBusy(), wait()])
  expect(isDone && slices < 3000).toBe(true)
})

it('lets a request run between the slices of long work', async () => {
  let answered = 0
  setImmediate(() => {
    answered += 1
  })
  // The first turn may have begun before.
  for (let round = 0; round < 3; round += 1) await yieldWhenDue().then(useWholeTurn)
  expect(answered).toBe(1)
})
