import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createShares, WaitAborted } from '../../packages/runtime/src/fair-shares.ts'
import { createService } from '../../src/service/service.ts'

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

it('keeps one workspace’s slow responses from delaying another', async () => {
  const slowResponses: (() => void)[] = []
  const answer = '{"message":"OK","data":{"total":0,"limit":1,"offset":0,"results":[]}}'
  const server = createServer((request, response) => {
    const end = () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    if (request.headers.authorization === 'Bearer slow') slowResponses.push(end)
    else end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  await using service = createService({ baseUrls: { production: base, ote: base } })
  const list = (token: string, name: string) =>
    service.with({ environment: 'production', token }).healthChecks.list({ name, limit: 1 })
  const slow = Array.from({ length: 400 }, (_, n) => list('slow', `${n}`))
  while (slowResponses.length < 24) await new Promise(setImmediate)
  // These all get a response while every slow request is still waiting for one.
  for (let n = 0; n < 50; n++) expect(await list('quick', `${n}`)).toMatchObject({ total: 0 })
  expect(slowResponses).toHaveLength(24)
  for (let n = 0; n < slow.length; n++) {
    while (slowResponses.length <= n) await new Promise(setImmediate)
    slowResponses[n]?.()
  }
  await Promise.all(slow)
  server.close()
  server.closeAllConnections()
})
