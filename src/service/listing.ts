import { ApiError } from './errors.ts'
import type { HealthCheckPage } from './health-checks.ts'
import type { UndecodedAnswer } from './http.ts'

export interface ListAllOptions {
  signal?: AbortSignal | undefined
  /** Rows asked for per page; 500 unless given, which is the most that the service gives. */
  pageSize?: number | undefined
  /** Most pages in memory at once, the one being read included; 12 unless given. */
  concurrency?: number | undefined
}

/**
 * Fetches a page, which stays bytes until its turn. Parsed earlier, its thousands of objects would
 * survive the minor garbage collections and stay in memory until a major one.
 */
type FetchPage = (
  offset: number,
  limit: number,
  signal: AbortSignal,
) => Promise<UndecodedAnswer<HealthCheckPage>>

/** A listing may grow while it is walked; beyond this many times its first length it is taken for endless. */
const MAX_GROWTH = 2
const SPARE_PAGES = 16

/**
 * The pages from `start` on, in order. Whatever ends the walk (the last page, an error, the reader leaving) stops the
 * requests still under way.
 */
export async function* walkPages(
  fetch: FetchPage,
  start: number,
  { signal, pageSize = 500, concurrency = 12 }: ListAllOptions,
): AsyncGenerator<HealthCheckPage, void, undefined> {
  const stop = new AbortController()
  const leave = (): void => stop.abort()
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    const fetched = await fetch(start, pageSize, stop.signal)
    const first = await fetched()
    yield first
    const step = stepOf(first, start, pageSize)
    if (step > 0) yield* walkRest(fetch, { from: start + step, step, concurrency, stop, first, start })
  } finally {
    signal?.removeEventListener('abort', leave)
    stop.abort()
  }
}

interface Rest {
  from: number
  step: number
  concurrency: number
  stop: AbortController
  first: HealthCheckPage
  start: number
}

async function* walkRest(fetch: FetchPage, rest: Rest): AsyncGenerator<HealthCheckPage, void, undefined> {
  const { step, stop } = rest
  const window: Promise<UndecodedAnswer<HealthCheckPage>>[] = []
  const furthest = rest.start + rest.first.total * MAX_GROWTH + step * SPARE_PAGES
  let total = rest.first.total
  let next = rest.from
  while (next < total || window.length > 0) {
    for (; next < total && window.length < Math.max(1, rest.concurrency); next += step) {
      if (next > furthest) throw endless(rest.first.total, total)
      const page = fetch(next, step, stop.signal)
      // Awaited when its turn comes; until then a failure of it must not count as unhandled.
      page.catch(() => undefined)
      window.push(page)
    }
    const fetched = await window.shift()
    if (!fetched) return
    const page = await fetched()
    total = page.total
    if (rowsOf(page) === 0) return
    yield page
  }
}

/** How far apart pages lie: as many rows as the service really gives, which may be fewer than asked or than it says. */
function stepOf(first: HealthCheckPage, start: number, pageSize: number): number {
  const rows = rowsOf(first)
  const isLast = rows === 0 || start + rows >= first.total
  return isLast ? 0 : Math.min(pageSize, rows)
}

function rowsOf(page: HealthCheckPage): number {
  return page.results.length + page.unreadable
}

function endless(before: number, now: number): ApiError {
  return new ApiError('unreadable', `the listing grew from ${before} to ${now} while it was walked`)
}
