import { openStore } from '../../src/app/store.ts'
import { measureApp } from '../parts/app-holds.ts'
import type { Benchmark, Findings } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { type Hold, measureHold, measureLeastHold } from '../parts/hold.ts'
import { fillTables } from '../parts/long-tables.ts'
import { createParsingActions } from '../parts/readings.ts'
import { ENCRYPTION_KEYS } from '../parts/slack.ts'
import { createListActions, createOneTimeActions, createSearchActions } from '../parts/store-holds.ts'
import { fillWatching, measureWatching } from '../parts/watching-holds.ts'

/** Measures the longest time that anything blocks the event loop, with all tables at their documented maximum. */
export const eventLoop: Benchmark = {
  name: 'event-loop',
  question:
    'How long is the event loop blocked at most, with 1,000,000 audit rows, 100,000 orders, and 10,000 workspaces?',
  async answer(run) {
    const { progress, size } = run
    const rounds = size(5, 1)
    const sizes = {
      auditRows: size(1_000_000, 5000),
      orders: size(100_000, 1000),
      workspaces: size(10_000, 100),
    }
    await using folder = await makeFolder()
    // `BENCH_DATABASE_URL` names an empty PostgreSQL database.
    const url = process.env.BENCH_DATABASE_URL ?? `sqlite:${folder.file('signalman.db')}`
    const watched = {
      open: size(2000, 50),
      ended: size(6000, 50),
      stretches: size(500, 5),
      watches: size(1000, 10),
      names: 20,
    }
    await fillTables(url, sizes, progress)
    progress(`${watched.open} open outages, ${watched.watches} watches of ${watched.names} names`)
    await fillWatching(url, watched)
    const holds = await measureApp(run, url, rounds)
    await using store = await openStore({ url, keys: ENCRYPTION_KEYS })
    const reads = [
      ...createListActions(store, sizes),
      ...createSearchActions(store, sizes),
      ...measureWatching(store, watched),
    ]
    for (const [title, work] of [...reads, ...createParsingActions()]) {
      progress(title)
      holds.push([title, await measureLeastHold(rounds, work)])
    }
    for (const [title, work] of createOneTimeActions(store, sizes)) {
      progress(title)
      holds.push([title, await measureHold(work)])
    }
    return toFindings(holds)
  },
}

function toFindings(found: readonly (readonly [what: string, hold: Hold])[]): Findings {
  const rows = found.map(
    ([what, { longestMs, computedMs, tookMs }]) => [what, longestMs, computedMs, tookMs] as const,
  )
  const longest = Math.max(...found.map(([, { longestMs }]) => longestMs))
  const bound = { atMost: 50 }
  return {
    tables: [
      { title: 'The event loop', columns: ['longest hold, ms', 'of it computing, ms', 'took, ms'], rows },
    ],
    goals: [{ goal: 'Longest hold of the event loop', bound, reached: longest, unit: 'ms' }],
  }
}
