import type { Resolver } from 'node:dns/promises'
import { expect, it, vi } from 'vitest'
import { followsDns } from '../../../../src/features/health-checks/write/server-address.ts'

/** Resolves `shop.example` to both kinds of addresses, and `old.example` only to IPv4. Nothing answers about `silent.example`. */
function createResolver() {
  const asked: string[] = []
  const canceled = Promise.withResolvers<string[]>()
  const answer = (addresses: Readonly<Record<string, string>>) => async (domain: string) => {
    asked.push(domain)
    if (domain === 'silent.example') return canceled.promise
    const address = addresses[domain]
    if (address === undefined) throw new Error('ENODATA')
    return [address]
  }
  // Cast: these are all that are used. `lookup` isn't, because it would hold a thread of the process.
  const resolver = {
    resolve4: answer({ 'shop.example': '192.0.2.10', 'old.example': '192.0.2.10' }),
    resolve6: answer({ 'shop.example': '2001:db8::1' }),
    cancel: () => canceled.reject(new Error('ECANCELLED')),
  } as unknown as Resolver
  return { asked, resolver }
}

it.each([
  { target: 'shop.example', httpServerAddress: '192.0.2.10', expected: true },
  { target: 'https://shop.example:8443/status', httpServerAddress: '2001:DB8:0::1', expected: true },
  { target: 'shop.example', httpServerAddress: '192.0.2.11', expected: false },
  { target: 'shop.example', httpServerAddress: undefined, expected: false },
  { target: 'old.example', httpServerAddress: '192.0.2.10', expected: true },
  { target: 'http://Shop.example?up', httpServerAddress: '192.0.2.10', expected: true },
])('$httpServerAddress follows DNS for $target: $expected', async ({ expected, ...settings }) => {
  expect(await followsDns(settings, createResolver().resolver)).toBe(expected)
})

it.each([
  { target: '192.0.2.10', httpServerAddress: '192.0.2.10', expected: true },
  { target: 'http://[2001:db8::1]/', httpServerAddress: '2001:db8:0::1', expected: true },
  { target: '192.0.2.10', httpServerAddress: '192.0.2.11', expected: false },
  { target: '2001:db8::1', httpServerAddress: '2001:db8:0::1', expected: true },
])('asks nothing if the target is an address: $target', async ({ expected, ...settings }) => {
  const { asked, resolver } = createResolver()
  expect(await followsDns(settings, resolver)).toBe(expected)
  expect(asked).toEqual([])
})

it('doesn’t wait for DNS for more than two seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const settings = { target: 'silent.example', httpServerAddress: '192.0.2.10' }
    const asking = followsDns(settings, createResolver().resolver)
    await vi.advanceTimersByTimeAsync(2000)
    expect(await asking).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
