import { describe, expect, it } from 'vitest'
import { createParseQueue } from '../../src/service/parse-queue.ts'

describe('the parse queue', () => {
  it('runs all tasks in order, and returns each result to its caller', async () => {
    const runInTurn = createParseQueue(2)
    const order: number[] = []
    const tasks = Array.from({ length: 7 }, (_, index) =>
      runInTurn(() => {
        order.push(index)
        return index * 2
      }),
    )
    expect(await Promise.all(tasks)).toEqual([0, 2, 4, 6, 8, 10, 12])
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('lets other work run after every few tasks', async () => {
    const runInTurn = createParseQueue(2)
    const order: string[] = []
    const tasks = Array.from({ length: 4 }, (_, index) => runInTurn(() => void order.push(`task ${index}`)))
    setImmediate(() => order.push('a request'))
    await Promise.all(tasks)
    expect(order).toEqual(['task 0', 'task 1', 'a request', 'task 2', 'task 3'])
  })

  it('lets other work run after each slow task', async () => {
    const runInTurn = createParseQueue()
    const order: string[] = []
    const longJson = JSON.stringify(Array.from({ length: 400_000 }, (_, index) => ({ index })))
    const tasks = Array.from({ length: 3 }, (_, index) =>
      runInTurn(() => {
        JSON.parse(longJson)
        order.push(`task ${index}`)
      }),
    )
    setImmediate(() => order.push('a request'))
    await Promise.all(tasks)
    expect(order).toEqual(['task 0', 'a request', 'task 1', 'task 2'])
  })

  it('reports an error only to the caller whose task failed', async () => {
    const runInTurn = createParseQueue()
    const failing = runInTurn(() => {
      throw new Error('unreadable')
    })
    const fine = runInTurn(() => 'fine')
    await expect(failing).rejects.toThrow('unreadable')
    expect(await fine).toBe('fine')
  })
})
