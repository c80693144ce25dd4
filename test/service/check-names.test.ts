import { expect, it } from 'vitest'
import type { HealthChecks } from '../../src/service/health-checks.ts'
import { BODY, catchFailure, createClient, PRODUCTION, page, reply, startVendor } from './vendor.ts'

/** A service with 1,200 checks, on three pages. */
const startPaged = async () => {
  const open: (() => void)[] = []
  let mostOpen = 0
  const vendor = await startVendor((response, { method, url }) => {
    if (method !== 'GET') return reply(response, { message: 'OK', data: { uuid: 'u-new', name: BODY.name } })
    const offset = Number(new URL(url, 'http://localhost').searchParams.get('offset'))
    const rows = Array.from({ length: Math.min(500, 1200 - offset) }, (_, index) => ({
      uuid: `u-${offset + index}`,
      name: `check ${offset + index}`,
      customer_id: 7,
    }))
    const answer = () => reply(response, page(rows, { total: 1200 }))
    if (offset === 0) return answer()
    // Answers the second and the third page only when both were requested.
    open.push(answer)
    mostOpen = Math.max(mostOpen, open.length)
    if (open.length === 2) for (const answerOne of open.splice(0)) answerOne()
  })
  return { vendor, mostOpen: () => mostOpen }
}

it('lists all names once for everybody who asks, two pages at a time', async () => {
  const { vendor, mostOpen } = await startPaged()
  await using _ = vendor
  await using service = createClient(vendor.url)
  const ask = (caller = 'T1') => service.with({ ...PRODUCTION, caller }).healthChecks.listNames()
  const [first, ...others] = await Promise.all(Array.from({ length: 12 }, () => ask()))
  expect(first?.checks).toHaveLength(1200)
  expect(first?.checks[0]).toEqual({ uuid: 'u-0', name: 'check 0', status: '' })
  expect(new Set([first, ...others, await ask()]).size).toBe(1)
  expect([vendor.seen.length, mostOpen()]).toEqual([3, 2])
  // Another workspace may have another account.
  await ask('T2')
  expect(vendor.seen).toHaveLength(6)
})

it('lists them again after a change, also those of a filter, but not those of others', async () => {
  const { vendor } = await startPaged()
  await using _ = vendor
  await using service = createClient(vendor.url)
  const [own, other] = ['T1', 'T2'].map((caller) => service.with({ ...PRODUCTION, caller }).healthChecks) as [
    HealthChecks,
    HealthChecks,
  ]
  const listAll = async () => {
    for (const names of [own, other])
      for (const query of [{}, { protocol: 'HTTPS' }]) await names.listNames(query)
    return vendor.seen.filter(({ method }) => method === 'GET').length
  }
  expect([await listAll(), await listAll()]).toEqual([12, 12])
  await own.create(BODY)
  expect(await listAll()).toBe(18)
})

it('gives up at once if the service limits the rate, and asks again next time', async () => {
  await using vendor = await startVendor((response) => reply(response, {}, 429))
  const { healthChecks } = vendor.api()
  for (const requests of [1, 2]) {
    expect(await catchFailure(healthChecks.listNames())).toMatchObject({ kind: 'rate-limited' })
    expect(vendor.seen).toHaveLength(requests)
  }
  // Others are worth another try.
  await catchFailure(healthChecks.list())
  expect(vendor.seen).toHaveLength(5)
})

it('doesn’t wait longer than the caller', async () => {
  const { vendor } = await startPaged()
  await using _ = vendor
  const { healthChecks } = vendor.api()
  await expect(healthChecks.listNames({}, { signal: AbortSignal.timeout(1) })).rejects.toThrow()
  // The others still get it.
  expect((await healthChecks.listNames())?.checks).toHaveLength(1200)
  expect(vendor.seen).toHaveLength(3)
})

it('counts what is on no page as unreadable, also behind an empty page', async () => {
  await using vendor = await startVendor((response, { url }) => {
    const offset = Number(new URL(url, 'http://localhost').searchParams.get('offset'))
    const rows = Array.from({ length: offset === 500 ? 0 : 500 }, (_, index) => ({
      uuid: `u-${offset + index}`,
    }))
    reply(response, page(rows, { total: 1500 }))
  })
  const names = await vendor.api().healthChecks.listNames()
  expect([names?.checks.length, names?.unreadable]).toEqual([500, 1000])
})
