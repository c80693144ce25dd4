import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createService } from '../../src/api/service.ts'
import { createShares, GaveUp } from '../../src/domain/fair-shares.ts'

const never = new AbortController().signal

describe('shares', () => {
  it('let callers in by turns, and none beyond their share', async () => {
    const shares = createShares({ slots: 3, most: () => 2 })
    const order: string[] = []
    const ends: (() => void)[] = []
    const ask = (caller: string, signal = never) =>
      shares.run(caller, signal, () => {
        order.push(caller)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
    const asked = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((caller) => ask(caller))
    await Promise.resolve()
    expect(order.join('')).toBe('aab')
    for (let n = 0; n < asked.length; n++) {
      ends[n]?.()
      await asked.at(0)
      await new Promise(setImmediate)
    }
    await Promise.all(asked)
    expect(order.join('')).toBe('aabcaba')
  })

  it('forget whoever does not wait', async () => {
    const shares = createShares({ slots: 1, most: () => 1 })
    const stop = new AbortController()
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = shares.run('a', never, () => promise)
    const second = shares.run('b', stop.signal, async () => 'ran')
    stop.abort()
    await expect(second).rejects.toBeInstanceOf(GaveUp)
    await expect(shares.run('c', AbortSignal.abort(), async () => 'ran')).rejects.toBeInstanceOf(GaveUp)
    resolve()
    await first
    expect(await shares.run('b', never, async () => 'ran')).toBe('ran')
  })
})

it('one workspace’s slow answers keep no other one waiting', async () => {
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
  while (open.length < 32) await new Promise(setImmediate)
  // Nothing of the slow one is answered before all of these are.
  for (let n = 0; n < 50; n++) expect(await list('quick', `${n}`)).toMatchObject({ total: 0 })
  expect(open).toHaveLength(32)
  for (let n = 0; n < slow.length; n++) {
    while (open.length <= n) await new Promise(setImmediate)
    open[n]?.()
  }
  await Promise.all(slow)
  server.close()
  server.closeAllConnections()
})
