import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { HealthCheckPage, HealthChecks } from '../../src/service/health-checks.ts'
import { catchFailure, page, type Respond, reply, startVendor } from './vendor.ts'

/** Serves `total` rows, at most `maxPageSize` per page. Responses include the page size if `reportsLimit` is true. */
function serveRows(
  total: (index: number) => number,
  { maxPageSize = 500, reportsLimit = true } = {},
): Respond {
  return (response, { url }, index) => {
    const query = new URL(url, 'http://example.com').searchParams
    const offset = Number(query.get('offset'))
    const limit = Math.min(Number(query.get('limit')), maxPageSize)
    const count = Math.max(0, Math.min(limit, total(index) - offset))
    const results = Array.from({ length: count }, (_, row) => ({ uuid: `u-${offset + row}` }))
    reply(response, page(results, { total: total(index), limit: reportsLimit ? limit : undefined, offset }))
  }
}

async function listUuids(
  api: HealthChecks,
  ...options: Parameters<HealthChecks['listAll']>
): Promise<string[]> {
  const uuids: string[] = []
  for await (const { results } of api.listAll(...options)) uuids.push(...results.map(({ uuid }) => uuid))
  return uuids
}

/** Runs a full garbage collection. After the flag is set, only new contexts have `gc`. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  await runInNewContext('gc')({ execution: 'async', type: 'major' })
}

const expectedUuids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, row) => `u-${from + row}`)

describe('a complete listing', () => {
  it.each([
    { total: 0, requests: 1 },
    { total: 500, requests: 1 },
    { total: 501, requests: 2 },
    { total: 5_250, requests: 11 },
  ])('is read in order: $total checks in $requests requests', async ({ total, requests }) => {
    await using vendor = await startVendor(serveRows(() => total))
    expect(await listUuids(vendor.api().healthChecks)).toEqual(expectedUuids(0, total))
    expect(vendor.seen).toHaveLength(requests)
    // 500 is the largest page that the API allows.
    for (const { url } of vendor.seen) expect(url).toContain('limit=500&')
  })

  it.each([
    { variant: 'reports their limit', reportsLimit: true },
    { variant: 'doesn’t report their limit', reportsLimit: false },
  ])('includes every check if the service returns smaller pages and $variant', async ({ reportsLimit }) => {
    await using vendor = await startVendor(serveRows(() => 950, { maxPageSize: 100, reportsLimit }))
    expect(await listUuids(vendor.api().healthChecks)).toEqual(expectedUuids(0, 950))
    expect(vendor.seen).toHaveLength(10)
  })

  it('keeps the filter, and asks for pages of the size that it gets', async () => {
    await using vendor = await startVendor(serveRows(() => 20, { maxPageSize: 15 }))
    const filter = { status: 'HEALTHY', offset: 3, limit: 1 }
    expect(await listUuids(vendor.api().healthChecks, filter)).toEqual(expectedUuids(0, 20))
    expect(vendor.seen.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=500&offset=0&status=HEALTHY',
      'limit=15&offset=15&status=HEALTHY',
    ])
  })

  it.each([
    { change: 'grows', total: (index: number) => 1_000 + index * 20, minimum: 1_000 },
    { change: 'shrinks', total: (index: number) => Math.max(0, 3_000 - index * 700), minimum: 500 },
  ])('ends if the total $change during the listing', async ({ total, minimum }) => {
    await using vendor = await startVendor(serveRows(total))
    expect((await listUuids(vendor.api().healthChecks)).length).toBeGreaterThanOrEqual(minimum)
    expect(vendor.seen.length).toBeLessThan(20)
  })

  it('is unreadable if the total keeps growing', async () => {
    await using vendor = await startVendor(serveRows((index) => 20 + index * 20, { maxPageSize: 10 }))
    expect(await catchFailure(listUuids(vendor.api().healthChecks))).toMatchObject({
      kind: 'unreadable',
    })
    expect(vendor.seen.length).toBeLessThan(40)
  })

  it.each<{ title: string; respond: Respond }>([
    {
      title: 'ignores the offset and counts too many',
      respond: (response) => reply(response, page([{ uuid: 'u-1' }, { uuid: 'u-2' }], { total: 1_000_000 })),
    },
    {
      title: 'ignores the offset',
      respond: (response) => reply(response, page([{ uuid: 'u-1' }, { uuid: 'u-2' }], { total: 4 })),
    },
    {
      title: 'always has other rows',
      respond: (response, _, index) => reply(response, page([{ uuid: `u-${index}` }], { total: 1_000_000 })),
    },
  ])('is unreadable if the service $title', async ({ respond }) => {
    await using vendor = await startVendor(respond)
    expect(await catchFailure(listUuids(vendor.api().healthChecks))).toMatchObject({ kind: 'unreadable' })
    expect(vendor.seen.length).toBeLessThanOrEqual(2020)
  })

  it('has each check once, also if it moves between pages', async () => {
    await using vendor = await startVendor((response, { url }) => {
      const offset = Number(new URL(url, 'http://example.com').searchParams.get('offset'))
      const rows = Array.from({ length: 2 }, (_, row) => ({ uuid: `u-${Math.max(0, offset - 1) + row}` }))
      reply(response, page(rows, { total: 6 }))
    })
    expect(await listUuids(vendor.api().healthChecks)).toEqual(expectedUuids(0, 5))
  })

  it.each(['', '.', '..', 'a\0b', 'a\nb', 'a\u0085b', '\ud800', 'x'.repeat(501)])(
    'has no row with an ID that no request can name: %j',
    async (uuid) => {
      await using vendor = await startVendor((response) => reply(response, page([{ uuid }, { uuid: 'u-1' }])))
      const { results, unreadable } = await vendor.api().healthChecks.list()
      expect([results.map((check) => check.uuid), unreadable]).toEqual([['u-1'], 1])
    },
  )

  it('counts the unreadable rows of each page, and continues', async () => {
    await using vendor = await startVendor((response) =>
      reply(response, page([{ uuid: 'u-1' }, { uuid: 7 }, null, 'x', { name: 'none' }, { uuid: 'u-2' }])),
    )
    const pages: [number, number][] = []
    for await (const { unreadable, results } of vendor.api().healthChecks.listAll()) {
      pages.push([unreadable, results.length])
    }
    expect(pages).toEqual([[4, 2]])
  })

  it('ends with the error of the failed page, after returning the pages before it', async () => {
    const serve = serveRows(() => 4_000)
    await using vendor = await startVendor((response, request, index) =>
      request.url.includes('offset=1500') ? reply(response, {}, 500) : serve(response, request, index),
    )
    const firstRows: (string | undefined)[] = []
    const reading = (async () => {
      for await (const { results } of vendor.api().healthChecks.listAll()) firstRows.push(results[0]?.uuid)
    })()
    expect(await catchFailure(reading)).toMatchObject({ kind: 'unavailable', status: 500 })
    expect(firstRows).toEqual(['u-0', 'u-500', 'u-1000'])
  })

  it.each([1, 3, 8])('keeps at most %i pages in memory, including the current one', async (concurrency) => {
    await using vendor = await startVendor(serveRows(() => 10_000))
    let pagesRead = 0
    for await (const _ of vendor.api().healthChecks.listAll({}, { concurrency })) {
      // Every page that was requested, but not read yet, is still in memory.
      expect(vendor.seen.length - pagesRead).toBeLessThanOrEqual(concurrency)
      pagesRead += 1
    }
    expect(pagesRead).toBe(20)
  })

  it('stops its requests when the reader stops', async () => {
    let closedResponses = 0
    const serve = serveRows(() => 100_000)
    await using vendor = await startVendor((response, request, index) => {
      if (/offset=(?:0|500)\b/.test(request.url)) return serve(response, request, index)
      response.on('close', () => {
        closedResponses += 1
      })
    })
    let pagesRead = 0
    for await (const _ of vendor.api().healthChecks.listAll({}, { concurrency: 4 })) {
      pagesRead += 1
      if (pagesRead === 2) await expect.poll(() => vendor.seen.length).toBe(5)
      if (pagesRead === 2) break
    }
    await expect.poll(() => closedResponses).toBe(3)
    expect(vendor.seen).toHaveLength(5)
  })

  it('is canceled by the signal', async () => {
    await using vendor = await startVendor(serveRows(() => 100_000))
    const controller = new AbortController()
    const reading = (async () => {
      for await (const _ of vendor.api().healthChecks.listAll({}, { signal: controller.signal }))
        controller.abort()
    })()
    expect(await catchFailure(reading)).toMatchObject({ kind: 'cancelled' })
  })

  it('keeps one parsed page in memory and the next pages as bytes when reading 100,000 checks', async () => {
    await using vendor = await startVendor(serveRows(() => 100_000))
    const pages: WeakRef<HealthCheckPage>[] = []
    let [total, maxAlive] = [0, 0]
    for await (const page of vendor.api().healthChecks.listAll()) {
      pages.push(new WeakRef(page))
      total += page.results.length
      if (pages.length % 50 === 0) {
        await collectGarbage()
        maxAlive = Math.max(maxAlive, pages.filter((page) => page.deref()).length)
      }
    }
    expect(total).toBe(100_000)
    expect(pages).toHaveLength(200)
    expect(maxAlive).toBeGreaterThanOrEqual(1)
    // Up to four parsed pages: the first, the current one, and two that V8's registers may still reference. Prefetched pages aren't parsed yet.
    expect(maxAlive).toBeLessThanOrEqual(4)
  })
})
