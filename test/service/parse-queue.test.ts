import { describe, expect, it } from 'vitest'
import { createParseQueue } from '../../src/service/parse-queue.ts'

describe('parse turns', () => {
  it('run all tasks in order, each with its own outcome', async () => {
    const turn = createParseQueue(2)
    const order: number[] = []
    const pieces = Array.from({ length: 7 }, (_, index) =>
      turn(() => {
        order.push(index)
        return index * 2
      }),
    )
    expect(await Promise.all(pieces)).toEqual([0, 2, 4, 6, 8, 10, 12])
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('let other work run after every few tasks', async () => {
    const turn = createParseQueue(2)
    const order: string[] = []
    const pieces = Array.from({ length: 4 }, (_, index) => turn(() => void order.push(`piece ${index}`)))
    setImmediate(() => order.push('a request'))
    await Promise.all(pieces)
    expect(order).toEqual(['piece 0', 'piece 1', 'a request', 'piece 2', 'piece 3'])
  })

  it('let other work run after each slow task', async () => {
    const turn = createParseQueue()
    const order: string[] = []
    const long = JSON.stringify(Array.from({ length: 400_000 }, (_, index) => ({ index })))
    const pieces = Array.from({ length: 3 }, (_, index) =>
      turn(() => {
        JSON.parse(long)
        order.push(`piece ${index}`)
      }),
    )
    setImmediate(() => order.push('a request'))
    await Promise.all(pieces)
    expect(order).toEqual(['piece 0', 'a request', 'piece 1', 'piece 2'])
  })

  it('report an error only to its own caller', async () => {
    const turn = createParseQueue()
    const failing = turn(() => {
      throw new Error('unreadable')
    })
    const fine = turn(() => 'fine')
    await expect(failing).rejects.toThrow('unreadable')
    expect(await fine).toBe('fine')
  })
})
