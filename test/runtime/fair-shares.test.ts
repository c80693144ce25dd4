import { describe, expect, it } from 'vitest'
import { createShares, WaitAborted } from '../../packages/runtime/src/fair-shares.ts'

/** For callers that wait as long as it takes. */
const neverAborted = new AbortController().signal

/** Shares whose work runs until the test ends it. `order` has the names of the work in the order of admission. */
function startWork(slots: number) {
  const shares = createShares(slots)
  const order: string[] = []
  const running: { name: string; resolve: () => void }[] = []
  return {
    order,
    ask: (name: string, limit: number, signal = neverAborted): Promise<void> =>
      shares.run({ name, max: () => limit }, signal, () => {
        order.push(name)
        return new Promise((resolve) => running.push({ name, resolve }))
      }),
    /** Ends the first running work with this name. */
    async end(name: string) {
      const index = running.findIndex((work) => work.name === name)
      const [work] = running.splice(index, 1)
      work?.resolve()
      await new Promise(setImmediate)
    },
  }
}

/** Shares that admit one piece of work per caller, and count how often a caller's limit is read. */
function startCounting(slots: number) {
  const shares = createShares(slots)
  const ends: (() => void)[] = []
  const limitReads = { count: 0 }
  const readLimit = () => {
    limitReads.count += 1
    return 1
  }
  return {
    ends,
    limitReads,
    ask: (name: string) =>
      void shares.run(
        { name, max: readLimit },
        neverAborted,
        () => new Promise<void>((end) => ends.push(end)),
      ),
  }
}

describe('fair shares', () => {
  it('admit callers in turn, up to their share', async () => {
    const { ask, end, order } = startWork(3)
    for (const caller of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void ask(caller, 2)
    await new Promise(setImmediate)
    expect(order.join('')).toBe('aab')
    for (const caller of ['a', 'a', 'b', 'c']) await end(caller)
    expect(order.join('')).toBe('aabcaba')
  })

  it('let the caller with the least running work go first', async () => {
    const { ask, end, order } = startWork(4)
    for (const caller of ['a', 'a', 'a', 'b', 'a', 'b']) void ask(caller, 4)
    await end('a')
    expect(order.join('')).toBe('aaabb')
  })

  it('recheck only the callers affected by finished work, even if hundreds are waiting', async () => {
    const { ask, ends, limitReads } = startCounting(1000)
    for (let nth = 0; nth < 300; nth += 1) {
      ask(`T${nth}`)
      // Waits, because a caller's limit is 1.
      ask(`T${nth}`)
    }
    await new Promise(setImmediate)
    expect(ends).toHaveLength(300)
    expect(limitReads.count).toBeLessThan(1000)
    limitReads.count = 0
    ends[7]?.()
    await new Promise(setImmediate)
    expect(ends).toHaveLength(301)
    expect(limitReads.count).toBeLessThan(5)
  })

  it('don’t recheck every waiting caller each time work finishes', async () => {
    const { ask, ends, limitReads } = startCounting(100)
    for (let nth = 0; nth < 1000; nth += 1) ask(`T${nth}`)
    await new Promise(setImmediate)
    limitReads.count = 0
    for (let nth = 0; nth < 900; nth += 1) {
      ends[nth]?.()
      await new Promise(setImmediate)
    }
    expect(ends).toHaveLength(1000)
    expect(limitReads.count).toBeLessThan(3000)
  })

  it('skip a caller that stopped waiting', async () => {
    const { ask, end, order } = startWork(1)
    const stop = new AbortController()
    const first = ask('a', 1)
    const second = ask('b', 1, stop.signal)
    stop.abort()
    await expect(second).rejects.toBeInstanceOf(WaitAborted)
    await expect(ask('c', 1, AbortSignal.abort())).rejects.toBeInstanceOf(WaitAborted)
    await end('a')
    await first
    void ask('b', 1)
    await new Promise(setImmediate)
    expect(order).toEqual(['a', 'b'])
  })
})
