import { openStore } from '../../src/app/store.ts'
import type { Benchmark, Findings } from '../parts/benchmark.ts'
import { type BlockingTimes, measureBlocking, measureMinimumBlocking } from '../parts/event-loop-blocking.ts'
import { fillTables } from '../parts/fill-tables.ts'
import { makeFolder } from '../parts/folder.ts'
import { createParsingActions } from '../parts/parsing-actions.ts'
import { ENCRYPTION_KEYS } from '../parts/slack.ts'
import { createListActions, createOneTimeActions, createSearchActions } from '../parts/store-actions.ts'
import { measureUserActions } from '../parts/user-actions.ts'
import { createWatchingActions, fillWatching } from '../parts/watching-actions.ts'

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
    const watchingSizes = {
      openOutages: size(2000, 50),
      endedOutages: size(6000, 50),
      observedPeriods: size(500, 5),
      watches: size(1000, 10),
      namesPerWatch: 20,
    }
    await fillTables(url, sizes, progress)
    progress(
      `${watchingSizes.openOutages} open outages, ${watchingSizes.watches} watches of ${watchingSizes.namesPerWatch} names`,
    )
    await fillWatching(url, watchingSizes)
    const results = await measureUserActions(run, url, rounds)
    await using store = await openStore({ url, keys: ENCRYPTION_KEYS })
    const reads = [
      ...createListActions(store, sizes),
      ...createSearchActions(store, sizes),
      ...createWatchingActions(store, watchingSizes),
    ]
    for (const [title, run] of [...reads, ...createParsingActions()]) {
      progress(title)
      results.push([title, await measureMinimumBlocking(rounds, run)])
    }
    for (const [title, run] of createOneTimeActions(store, sizes)) {
      progress(title)
      results.push([title, await measureBlocking(run)])
    }
    return toFindings(results)
  },
}

function toFindings(results: readonly (readonly [title: string, times: BlockingTimes])[]): Findings {
  const rows = results.map(
    ([title, { longestBlockMs, longestCpuMs, totalMs }]) =>
      [title, longestBlockMs, longestCpuMs, totalMs] as const,
  )
  const longest = Math.max(...results.map(([, { longestBlockMs }]) => longestBlockMs))
  const cpu = results.flatMap(([, { longestCpuMs }]) => longestCpuMs ?? [])
  const reason = `No turn computed for longer than ${Math.max(...cpu).toFixed(0)} ms. The rest was waiting for the disk, or for a core.`
  const bound = { atMost: 50 }
  return {
    tables: [
      {
        title: 'The event loop',
        columns: ['longest block, ms', 'most CPU time at once, ms', 'total, ms'],
        rows,
      },
    ],
    goals: [
      {
        goal: 'Longest time that the event loop is blocked',
        bound,
        reached: longest,
        unit: 'ms',
        // Known only if the CPU time of every action is.
        ...(cpu.length === results.length && { reason }),
      },
    ],
  }
}
