import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '../src/store/store.ts'
import { type Hold, holdOf, steadyHoldOf } from './parts/hold.ts'
import { fillTables, KEYS, LARGE, START, STEP_MS } from './parts/long-tables.ts'
import type { Findings, Question } from './parts/question.ts'
import { readings } from './parts/readings.ts'

/** `BENCH_SCALE=0.01` for a quick look; `BENCH_DATABASE_URL` for an empty database of PostgreSQL. */
const SCALE = Number(process.env.BENCH_SCALE ?? 1)
const SIZES = { auditRows: 1_000_000 * SCALE, orders: 100_000 * SCALE, workspaces: 10_000 * SCALE }
const ROUNDS = 5

type Actions = readonly (readonly [what: string, work: () => Promise<unknown> | unknown])[]

/** The longest time for which anything keeps the event loop, with everything that is long as long as promised. */
export const loopHolds: Question = {
  name: 'loop-holds',
  asks: `For how long does anything hold the event loop, with ${SIZES.auditRows} audit rows, ${SIZES.orders} orders and ${SIZES.workspaces} workspaces?`,
  async answer(progress) {
    const folder = await mkdtemp(join(tmpdir(), 'signalman-bench-'))
    try {
      const url = process.env.BENCH_DATABASE_URL ?? `sqlite:${join(folder, 'signalman.db')}`
      await fillTables(url, SIZES, progress)
      await using store = await openStore({ url, keys: KEYS })
      const found: [string, Hold][] = []
      for (const [what, work] of [...lists(store), ...searches(store), ...readings()]) {
        progress(what)
        found.push([what, await steadyHoldOf(ROUNDS, work)])
      }
      for (const [what, work] of once(store)) {
        progress(what)
        found.push([what, await holdOf(work)])
      }
      return findingsOf(found)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

function findingsOf(found: readonly (readonly [what: string, hold: Hold])[]): Findings {
  const rows = found.map(
    ([what, { longestMs, computedMs, tookMs }]) => [what, longestMs, computedMs, tookMs] as const,
  )
  const longest = Math.max(...found.map(([, { longestMs }]) => longestMs))
  const computed = Math.max(...found.map(([, { longestMs, computedMs }]) => computedMs ?? longestMs))
  const bound = { atMost: 20 }
  return {
    tables: [
      { title: 'The event loop', columns: ['longest hold, ms', 'of it computing, ms', 'took, ms'], rows },
    ],
    goals: [
      { goal: 'Longest hold of the event loop', bound, value: longest, unit: 'ms' },
      { goal: 'Longest hold of the event loop, computing', bound, value: computed, unit: 'ms' },
    ],
  }
}

function searches({ audit }: Store): Actions {
  const search = (query: object) => () => audit.search({ workspaceId: LARGE, limit: 11, ...query })
  const middle = START + (SIZES.auditRows / 2) * STEP_MS
  const old = { from: new Date(middle), to: new Date(middle + 86_400_000) }
  return [
    ['audit: newest rows', search({})],
    ['audit: last page', search({ before: 12 })],
    ['audit: of one person', search({ userId: 'U00000007' })],
    ['audit: of a verb that is rare', search({ verb: '/hc seldom' })],
    ['audit: of a verb that there is none of', search({ verb: '/hc never' })],
    ['audit: with an object that there is none of', search({ object: 'no such thing' })],
    ['audit: of one day, long ago', search(old)],
    ['audit: of nobody, on that day, with some object', search({ userId: 'U1', object: 'x', ...old })],
    ['audit: 200 rows at once, 32 workspaces', () => Promise.all(Array.from({ length: 200 }, append))],
    ['audit: every workspace', () => audit.workspaces()],
  ]

  function append(_: unknown, index: number): Promise<unknown> {
    return audit.append({
      workspaceId: `T${String(index % 32).padStart(8, '0')}`,
      at: new Date(),
      actor: { userId: 'U1' },
      verb: '/hc edit',
      outcome: 'done',
      reference: 'r',
    })
  }
}

function lists({ orders, installations, organizations, settings, audit }: Store): Actions {
  const where = { workspaceId: LARGE, environment: 'production' } as const
  const page = (query: object) => () => orders.list({ ...where, limit: 10, ...query })
  const count = (query: object) => () => orders.count({ ...where, ...query })
  const keptDays = { key: 'audit.kept-days', read: Number }
  return [
    ['orders: newest', page({})],
    ['orders: the last page', page({ offset: SIZES.orders * 0.9 })],
    ['orders: in one state', page({ states: ['awaiting'] })],
    ['orders: somebody’s', page({ requesterId: 'U00000007' })],
    ['orders: of a certificate', page({ certificateId: 'c3' })],
    ['orders: 100 of them', page({ states: ['placed'], limit: 100 })],
    ['orders: counted', count({})],
    ['orders: counted in one state', count({ states: ['placed'] })],
    ['orders: somebody’s in one state, counted', count({ requesterId: 'U00000007', states: ['placed'] })],
    ['workspaces: every installation', () => installations.list()],
    ['workspaces: of an organization', () => organizations.workspacesOf('E3')],
    ['workspaces: whose audit rows are too old', overdue],
  ]

  async function overdue(): Promise<number> {
    let found = 0
    for await (const page of settings.having(keptDays))
      found += (await audit.oldest(page.map(({ workspaceId }) => workspaceId))).size
    return found
  }
}

/** What changes what is there, or takes minutes: once. */
function once({ audit, forgetWorkspace }: Store): Actions {
  const tenth = new Date(START + (SIZES.auditRows / 10) * STEP_MS)
  return [
    ['audit: the whole log, as an export reads it', exported],
    ['audit: the whole log verified', () => audit.verify(LARGE)],
    ['audit: a tenth of it removed', () => audit.retain(LARGE, tenth)],
    ['workspaces: the one with all the orders forgotten', () => forgetWorkspace(LARGE)],
  ]

  async function exported(): Promise<number> {
    let bytes = 0
    for await (const row of audit.read({ workspaceId: LARGE })) bytes += JSON.stringify(row).length
    return bytes
  }
}
