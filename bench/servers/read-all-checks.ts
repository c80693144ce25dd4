import { Pool } from 'undici'
import { createService } from '../../src/service/service.ts'
import { serveCalls } from '../parts/calls.ts'

export interface ReadAllSettings {
  serviceUrl: string
  strategy: ReadStrategy
}

/**
 * How to read a long listing: `streaming` like the app, which counts each page as it arrives; `sequential`, one page at a time without
 * validation; or `collecting`, several pages at a time and all rows in memory.
 */
export type ReadStrategy = 'streaming' | 'sequential' | 'collecting'

interface Row {
  status: string
}

const PAGE = 500
const CONCURRENCY = 12

/** Counts the checks of a long listing by status. Each strategy runs in its own process, so that its memory can be measured. */
serveCalls(async (settings) => {
  // `startChild` passes these settings.
  const { serviceUrl, strategy } = settings as ReadAllSettings
  await using service = createService({ baseUrls: { production: serviceUrl, ote: serviceUrl } })
  const { healthChecks } = service.with({ environment: 'production', token: 'bench' })
  const pool = new Pool(serviceUrl, { connections: CONCURRENCY })
  const counts = new Map<string, number>()
  const count = ({ status }: Row) => void counts.set(status, (counts.get(status) ?? 0) + 1)

  async function fetchPage(offset: number): Promise<{ total: number; results: Row[] }> {
    const path = `/healthcheck/v1/healthchecks?offset=${offset}&limit=${PAGE}`
    const { body } = await pool.request({ method: 'GET', path })
    // The benchmark's service returns nothing else.
    const { data } = JSON.parse(await body.text()) as { data: { total: number; results: Row[] } }
    return data
  }

  const strategies: Record<ReadStrategy, () => Promise<void>> = {
    async streaming() {
      for await (const { results } of healthChecks.listAll()) results.forEach(count)
    },
    async collecting() {
      const { total, results: rows } = await fetchPage(0)
      for (let from = PAGE; from < total; from += CONCURRENCY * PAGE) {
        const offsets = Array.from({ length: CONCURRENCY }, (_, index) => from + index * PAGE)
        const pages = await Promise.all(offsets.filter((offset) => offset < total).map(fetchPage))
        for (const { results } of pages) rows.push(...results)
      }
      rows.forEach(count)
    },
    async sequential() {
      for (let offset = 0, end = 1; offset < end; offset += PAGE) {
        const { total, results } = await fetchPage(offset)
        results.forEach(count)
        end = total
      }
    },
  }

  const started = performance.now()
  await strategies[strategy]()
  const ms = performance.now() - started
  await pool.close()
  return {
    ready: {
      ms,
      peakBytes: process.resourceUsage().maxRSS * 1024,
      counted: [...counts.values()].reduce((sum, countOfStatus) => sum + countOfStatus, 0),
    },
    handlers: {},
  }
})
