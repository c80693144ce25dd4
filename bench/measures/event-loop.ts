import { openStore } from '../../src/app/store.ts'
import { measureApp } from '../parts/app-holds.ts'
import { makeFolder } from '../parts/folder.ts'
import { type Hold, measureHold, measureLeastHold } from '../parts/hold.ts'
import { fillTables } from '../parts/long-tables.ts'
import type { Findings, Question } from '../parts/question.ts'
import { readings } from '../parts/readings.ts'
import { ENCRYPTION_KEYS } from '../parts/slack.ts'
import { lists, once, searches } from '../parts/store-holds.ts'
import { fillWatching, measureWatching } from '../parts/watching-holds.ts'

/** The longest time that anything blocks the event loop, with everything at its documented maximum. */
export const eventLoop: Question = {
  name: 'event-loop',
  asks: 'For how long does anything hold the event loop, with 1,000,000 audit rows, 100,000 orders and 10,000 workspaces?',
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
    const found = await measureApp(run, url, rounds)
    await using store = await openStore({ url, keys: ENCRYPTION_KEYS })
    const read = [...lists(store, sizes), ...searches(store, sizes), ...measureWatching(store, watched)]
    for (const [what, work] of [...read, ...readings()]) {
      progress(what)
      found.push([what, await measureLeastHold(rounds, work)])
    }
    for (const [what, work] of once(store, sizes)) {
      progress(what)
      found.push([what, await measureHold(work)])
    }
    return toFindings(found)
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
