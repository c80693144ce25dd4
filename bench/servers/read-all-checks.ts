import { Pool } from 'undici'
import { createService } from '../../src/service/service.ts'
import { serveCalls } from '../parts/child.ts'

interface Settings {
  serviceUrl: string
  strategy: 'streaming' | 'collecting'
}

const PAGE = 500
const CONCURRENCY = 12

/**
 * Counts the checks of a long listing, in its own process, so that its memory can be measured: `streaming` like the app, which counts
 * each page as it arrives, or `collecting`, twelve pages at a time without validation, with all rows in memory.
 */
serveCalls(async ({ serviceUrl, strategy }: Settings) => {
  await using service = createService({ baseUrls: { production: serviceUrl, ote: serviceUrl } })
  const { healthChecks } = service.with({ environment: 'production', token: 'bench' })
  const pool = new Pool(serviceUrl, { connections: CONCURRENCY })

  async function fetchPage(offset: number): Promise<{ total: number; results: unknown[] }> {
    const path = `/healthcheck/v1/healthchecks?offset=${offset}&limit=${PAGE}`
    const { body } = await pool.request({ method: 'GET', path })
    // The benchmark's service returns nothing else.
    const { data } = JSON.parse(await body.text()) as { data: { total: number; results: unknown[] } }
    return data
  }

  const strategies = {
    async streaming() {
      let count = 0
      for await (const { results } of healthChecks.listAll()) count += results.length
      return count
    },
    async collecting() {
      const { total, results: rows } = await fetchPage(0)
      for (let from = PAGE; from < total; from += CONCURRENCY * PAGE) {
        const offsets = Array.from({ length: CONCURRENCY }, (_, index) => from + index * PAGE)
        const pages = await Promise.all(offsets.filter((offset) => offset < total).map(fetchPage))
        for (const { results } of pages) rows.push(...results)
      }
      return rows.length
    },
  }
  const startedAt = performance.now()
  const counted = await strategies[strategy]()
  const ms = performance.now() - startedAt
  await pool.destroy()
  return { ready: { ms, peakBytes: process.resourceUsage().maxRSS * 1024, counted } }
})
