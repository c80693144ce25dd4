import { Pool } from 'undici'
import { createService } from '../../src/service/service.ts'
import { serveCalls } from '../parts/calls.ts'

export interface WalkSettings {
  serviceUrl: string
  how: Walk
}

/** Ways to read a long listing: like the app, which counts page by page; one page at a time; or several pages at a time, all kept. */
export type Walk = 'folded' | 'oneByOne' | 'collected'

interface Row {
  status: string
}

const PAGE = 500
const CONCURRENCY = 12

/** Counts the checks of a long listing by status. Each way has its own process, to measure its memory. */
serveCalls(async (settings) => {
  // `startChild` passes these settings.
  const { serviceUrl, how } = settings as WalkSettings
  await using service = createService({ baseUrls: { production: serviceUrl, ote: serviceUrl } })
  const { healthChecks } = service.with({ environment: 'production', token: 'bench' })
  const pool = new Pool(serviceUrl, { connections: CONCURRENCY })
  const counts = new Map<string, number>()
  const count = ({ status }: Row) => void counts.set(status, (counts.get(status) ?? 0) + 1)

  async function pageAt(offset: number): Promise<{ total: number; results: Row[] }> {
    const path = `/healthcheck/v1/healthchecks?offset=${offset}&limit=${PAGE}`
    const { body } = await pool.request({ method: 'GET', path })
    // The benchmark's service returns nothing else.
    const { data } = JSON.parse(await body.text()) as { data: { total: number; results: Row[] } }
    return data
  }

  const walks: Record<Walk, () => Promise<void>> = {
    async folded() {
      for await (const { results } of healthChecks.listAll()) results.forEach(count)
    },
    async collected() {
      const { total, results: all } = await pageAt(0)
      for (let from = PAGE; from < total; from += CONCURRENCY * PAGE) {
        const offsets = Array.from({ length: CONCURRENCY }, (_, index) => from + index * PAGE)
        const pages = await Promise.all(offsets.filter((offset) => offset < total).map(pageAt))
        for (const { results } of pages) all.push(...results)
      }
      all.forEach(count)
    },
    async oneByOne() {
      for (let offset = 0, end = 1; offset < end; offset += PAGE) {
        const { total, results } = await pageAt(offset)
        results.forEach(count)
        end = total
      }
    },
  }

  const started = performance.now()
  await walks[how]()
  const ms = performance.now() - started
  await pool.close()
  return {
    ready: {
      ms,
      peakBytes: process.resourceUsage().maxRSS * 1024,
      counted: [...counts.values()].reduce((sum, one) => sum + one, 0),
    },
    handlers: {},
  }
})
