import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createShares, WaitAborted } from '../../packages/runtime/src/fair-shares.ts'
import { createService } from '../../src/service/service.ts'

const never = new AbortController().signal

/** Work that runs until the test ends it, in the order in which it was admitted. */
function startWork(slots: number) {
  const shares = createShares(slots)
  const order: string[] = []
  const ends: { name: string; resolve: () => void }[] = []
  return {
    order,
    /** The name lists the shares: `T1 act U1` counts against T1, the acts of T1, and the acts of U1. */
    ask(name: string, most: readonly number[], signal = never): Promise<void> {
      const own = name.split(' ').map((_, depth, words) => words.slice(0, depth + 1).join(' '))
      const counted = own.map((name, depth) => ({ name, max: () => most[depth] ?? slots }))
      return shares.run(counted, signal, () => {
        order.push(name)
        return new Promise((resolve) => ends.push({ name, resolve }))
      })
    },
    /** Ends the first running work with this name. */
    async end(name: string) {
      const [one] = ends.splice(
        ends.findIndex((running) => running.name === name),
        1,
      )
      one?.resolve()
      await new Promise(setImmediate)
    },
  }
}

/** Callers with one slot each, and how often their shares were checked for a free slot. */
function startCounting(slots: number) {
  const shares = createShares(slots)
  const ends: (() => void)[] = []
  const looks = { many: 0 }
  const countLook = () => {
    looks.many += 1
    return 1
  }
  return {
    ends,
    looks,
    ask: (name: string) =>
      void shares.run([{ name, max: countLook }], never, () => new Promise<void>((end) => ends.push(end))),
  }
}

describe('fair shares', () => {
  it('admit callers in turn, up to their share', async () => {
    const { ask, end, order } = startWork(3)
    for (const caller of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void ask(caller, [2])
    await new Promise(setImmediate)
    expect(order.join('')).toBe('aab')
    for (const caller of ['a', 'a', 'b', 'c']) await end(caller)
    expect(order.join('')).toBe('aabcaba')
  })

  it('check only the callers affected when one finishes, even if hundreds are waiting', async () => {
    const { ask, ends, looks } = startCounting(1000)
    for (let nth = 0; nth < 300; nth += 1) for (const _ of ['runs', 'waits']) ask(`T${nth}`)
    await new Promise(setImmediate)
    expect(ends).toHaveLength(300)
    expect(looks.many).toBeLessThan(1000)
    looks.many = 0
    ends[7]?.()
    await new Promise(setImmediate)
    expect(ends).toHaveLength(301)
    expect(looks.many).toBeLessThan(5)
  })

  it('stop checking callers at the first one with nobody ahead of it', async () => {
    const { ask, ends, looks } = startCounting(100)
    for (let nth = 0; nth < 1000; nth += 1) ask(`T${nth}`)
    await new Promise(setImmediate)
    looks.many = 0
    for (let nth = 0; nth < 900; nth += 1) {
      ends[nth]?.()
      await new Promise(setImmediate)
    }
    expect(ends).toHaveLength(1000)
    expect(looks.many).toBeLessThan(3000)
  })

  it('reserve room for a caller’s reads when it runs many acts, and for each of its people', async () => {
    const { ask, end, order } = startWork(8)
    const limits = [6, 4, 2]
    const acts = ['act U1', 'act U1', 'act U1', 'act U2', 'act U3', 'act U4', 'act U5']
    for (const one of acts) void ask(`T1 ${one}`, limits)
    for (const one of ['read U1', 'read U1', 'read U2', 'read U3']) void ask(`T1 ${one}`, limits)
    void ask('T2 act U9', limits)
    await new Promise(setImmediate)
    // Four acts, two of them U1's, then as many reads as are left of the caller's six.
    expect(order).toEqual([
      'T1 act U1',
      'T1 act U1',
      'T1 act U2',
      'T1 act U3',
      'T1 read U1',
      'T1 read U1',
      'T2 act U9',
    ])
    await end('T1 act U3')
    // There are fewer running reads than acts.
    expect(order.at(-1)).toBe('T1 read U2')
    await end('T1 read U2')
    expect(order.at(-1)).toBe('T1 read U3')
    await end('T1 act U2')
    expect(order.at(-1)).toBe('T1 act U4')
  })

  it('forget callers that aren’t waiting', async () => {
    const { ask, end, order } = startWork(1)
    const stop = new AbortController()
    const first = ask('a', [1])
    const second = ask('b', [1], stop.signal)
    stop.abort()
    await expect(second).rejects.toBeInstanceOf(WaitAborted)
    await expect(ask('c', [1], AbortSignal.abort())).rejects.toBeInstanceOf(WaitAborted)
    await end('a')
    await first
    void ask('b', [1])
    await new Promise(setImmediate)
    expect(order).toEqual(['a', 'b'])
  })
})

it('keeps one workspace’s slow responses from delaying another', async () => {
  const open: (() => void)[] = []
  const answer = '{"message":"OK","data":{"total":0,"limit":1,"offset":0,"results":[]}}'
  const server = createServer((request, response) => {
    const end = () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    if (request.headers.authorization === 'Bearer slow') open.push(end)
    else end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  await using service = createService({ baseUrls: { production: base, ote: base } })
  const list = (token: string, name: string) =>
    service.with({ environment: 'production', token }).healthChecks.list({ name, limit: 1 })
  const slow = Array.from({ length: 400 }, (_, n) => list('slow', `${n}`))
  while (open.length < 18) await new Promise(setImmediate)
  // None of the slow ones is answered before all of these are.
  for (let n = 0; n < 50; n++) expect(await list('quick', `${n}`)).toMatchObject({ total: 0 })
  expect(open).toHaveLength(18)
  for (let n = 0; n < slow.length; n++) {
    while (open.length <= n) await new Promise(setImmediate)
    open[n]?.()
  }
  await Promise.all(slow)
  server.close()
  server.closeAllConnections()
})
