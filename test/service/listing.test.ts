import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { HealthCheckPage, HealthChecks } from '../../src/service/health-checks.ts'
import { clientOf, failureOf, type Play, PRODUCTION, page, reply, startVendor } from './vendor.ts'

/** Serves `total` rows, at most `cap` per page. With `echo` false, it leaves the limit out of the response. */
function rows(total: (index: number) => number, { cap = 500, echo = true } = {}): Play {
  return (response, { url }, index) => {
    const query = new URL(url, 'http://example.com').searchParams
    const offset = Number(query.get('offset'))
    const limit = Math.min(Number(query.get('limit')), cap)
    const count = Math.max(0, Math.min(limit, total(index) - offset))
    const results = Array.from({ length: count }, (_, row) => ({ uuid: `u-${offset + row}` }))
    reply(response, page(results, { total: total(index), limit: echo ? limit : undefined, offset }))
  }
}

async function walk(api: HealthChecks, ...options: Parameters<HealthChecks['listAll']>): Promise<string[]> {
  const uuids: string[] = []
  for await (const { results } of api.listAll(...options)) uuids.push(...results.map(({ uuid }) => uuid))
  return uuids
}

/** A whole collection; the flag makes the function appear in contexts made after it. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  await runInNewContext('gc')({ execution: 'async', type: 'major' })
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, row) => `u-${from + row}`)

describe('a complete listing', () => {
  it.each([
    { total: 0, requests: 1 },
    { total: 1, requests: 1 },
    { total: 500, requests: 1 },
    { total: 501, requests: 2 },
    { total: 5_250, requests: 11 },
  ])('is read in order, $total checks in $requests requests', async ({ total, requests }) => {
    await using vendor = await startVendor(rows(() => total))
    await using service = clientOf(vendor.url)
    expect(await walk(service.with(PRODUCTION).healthChecks)).toEqual(numbered(0, total))
    expect(vendor.seen).toHaveLength(requests)
    // The API allows no larger page.
    for (const { url } of vendor.seen) expect(url).toContain('limit=500&')
  })

  it.each([
    { how: 'says so', echo: true },
    { how: 'keeps silent', echo: false },
  ])('includes every check if the service returns smaller pages and $how', async ({ echo }) => {
    await using vendor = await startVendor(rows(() => 950, { cap: 100, echo }))
    await using service = clientOf(vendor.url)
    expect(await walk(service.with(PRODUCTION).healthChecks)).toEqual(numbered(0, 950))
    expect(vendor.seen).toHaveLength(10)
  })

  it('keeps the filter, the offset, and the page size', async () => {
    await using vendor = await startVendor(rows(() => 50))
    await using service = clientOf(vendor.url)
    expect(
      await walk(
        service.with(PRODUCTION).healthChecks,
        { status: 'HEALTHY', offset: 30, limit: 1 },
        { pageSize: 15 },
      ),
    ).toEqual(numbered(30, 50))
    expect(vendor.seen.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=15&offset=30&status=HEALTHY',
      'limit=15&offset=45&status=HEALTHY',
    ])
  })

  it.each([
    { change: 'grows', total: (index: number) => 1_000 + index * 20, least: 1_000 },
    { change: 'shrinks', total: (index: number) => Math.max(0, 3_000 - index * 700), least: 500 },
    { change: 'vanishes', total: (index: number) => (index === 0 ? 3_000 : 0), least: 500 },
  ])('ends if the total $change in the meantime', async ({ total, least }) => {
    await using vendor = await startVendor(rows(total))
    await using service = clientOf(vendor.url)
    expect((await walk(service.with(PRODUCTION).healthChecks)).length).toBeGreaterThanOrEqual(least)
    expect(vendor.seen.length).toBeLessThan(20)
  })

  it('is unreadable if it never ends', async () => {
    await using vendor = await startVendor(rows((index) => 20 + index * 20))
    await using service = clientOf(vendor.url)
    expect(await failureOf(walk(service.with(PRODUCTION).healthChecks, {}, { pageSize: 10 }))).toMatchObject({
      kind: 'unreadable',
    })
    expect(vendor.seen.length).toBeLessThan(40)
  })

  it('counts the unreadable rows of each page, and continues', async () => {
    await using vendor = await startVendor((response) =>
      reply(response, page([{ uuid: 'u-1' }, { uuid: 7 }, null, 'x', { name: 'none' }, { uuid: 'u-2' }])),
    )
    await using service = clientOf(vendor.url)
    const pages: [number, number][] = []
    for await (const { unreadable, results } of service.with(PRODUCTION).healthChecks.listAll()) {
      pages.push([unreadable, results.length])
    }
    expect(pages).toEqual([[4, 2]])
  })

  it('ends with the error of the page that fails, after the pages before it', async () => {
    const serve = rows(() => 4_000)
    await using vendor = await startVendor((response, request, index) =>
      request.url.includes('offset=1500') ? reply(response, {}, 500) : serve(response, request, index),
    )
    await using service = clientOf(vendor.url)
    const offsets: number[] = []
    const walking = (async () => {
      for await (const { offset } of service.with(PRODUCTION).healthChecks.listAll()) offsets.push(offset)
    })()
    expect(await failureOf(walking)).toMatchObject({ kind: 'unavailable', status: 500 })
    expect(offsets).toEqual([0, 500, 1_000])
  })

  it.each([1, 3, 8])('keeps at most %i pages in memory, including the current one', async (concurrency) => {
    await using vendor = await startVendor(rows(() => 10_000))
    await using service = clientOf(vendor.url)
    let read = 0
    for await (const _ of service.with(PRODUCTION).healthChecks.listAll({}, { concurrency })) {
      // Everything that was requested and isn't fully read is still referenced.
      expect(vendor.seen.length - read).toBeLessThanOrEqual(concurrency)
      read += 1
    }
    expect(read).toBe(20)
  })

  it('stops its requests when the reader stops', async () => {
    let closed = 0
    const serve = rows(() => 100_000)
    await using vendor = await startVendor((response, request, index) => {
      if (index < 2) return serve(response, request, index)
      response.on('close', () => {
        closed += 1
      })
    })
    await using service = clientOf(vendor.url)
    let read = 0
    for await (const _ of service.with(PRODUCTION).healthChecks.listAll({}, { concurrency: 4 })) {
      read += 1
      if (read === 2) await expect.poll(() => vendor.seen.length).toBe(5)
      if (read === 2) break
    }
    await expect.poll(() => closed).toBe(3)
    expect(vendor.seen).toHaveLength(5)
  })

  it('is canceled by the signal', async () => {
    await using vendor = await startVendor(rows(() => 100_000))
    await using service = clientOf(vendor.url)
    const leaving = new AbortController()
    const walking = (async () => {
      for await (const _ of service.with(PRODUCTION).healthChecks.listAll({}, { signal: leaving.signal }))
        leaving.abort()
    })()
    expect(await failureOf(walking)).toMatchObject({ kind: 'cancelled' })
  })

  it('keeps one of 100,000 checks’ pages in memory parsed, and the next ones as bytes', async () => {
    await using vendor = await startVendor(rows(() => 100_000))
    await using service = clientOf(vendor.url)
    const pages: WeakRef<HealthCheckPage>[] = []
    let [total, mostAlive] = [0, 0]
    for await (const held of service.with(PRODUCTION).healthChecks.listAll()) {
      pages.push(new WeakRef(held))
      total += held.results.length
      if (pages.length % 50 === 0) {
        await collectGarbage()
        mostAlive = Math.max(mostAlive, pages.filter((page) => page.deref()).length)
      }
    }
    expect(total).toBe(100_000)
    expect(pages).toHaveLength(200)
    expect(mostAlive).toBeGreaterThanOrEqual(1)
    // The first one, that one, and what the engine's registers may still reference, but not the twelve that are ahead.
    expect(mostAlive).toBeLessThanOrEqual(4)
  })
})
