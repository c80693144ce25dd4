import { setTimeout as pause } from 'node:timers/promises'
import type { LoadRequest } from '../load/run.ts'
import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import { checkRows } from '../parts/checks.ts'
import { startChild } from '../parts/child.ts'
import { startPostgresDatabase } from '../parts/postgres.ts'
import { type PostgresProxy, type Sent, startPostgresProxy } from '../parts/postgres-proxy.ts'
import type { Question } from '../parts/question.ts'
import { ENCRYPTION_KEYS } from '../parts/slack.ts'

const READS = {
  '/hc help': { typed: 'help' },
  '/hc list': { typed: 'list' },
  '/hc show UUID': { typed: `show ${checkRows(1)[0]?.uuid}` },
  '/hc whoami': { typed: 'whoami' },
} satisfies Record<string, LoadRequest>
const WHAT = ['roundTrips', 'statements', 'parsed'] as const

/** What a command that only reads asks of PostgreSQL, once what it asks for is known. */
export const postgresReads: Question = {
  name: 'postgres-reads',
  asks: 'How often does a read ask PostgreSQL?',
  async answer({ progress, size }) {
    await using running = new AsyncDisposableStack()
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const database = running.use(await startPostgresDatabase())
    const proxy = running.use(await startPostgresProxy(database.url))
    const settings = { encryptionKeys: ENCRYPTION_KEYS }
    const app = running.use(await startSignalman({ load, service, databaseUrl: proxy.url }, settings))

    const count = size(100, 5)
    const found: (readonly [string, Sent])[] = []
    for (const [title, request] of Object.entries(READS)) {
      progress(title)
      const plan = { url: app.url, request, connections: 1, whole: true, workspaces: 1 }
      await load.run({ ...plan, count: 20 })
      const started = performance.now()
      const busy = await during(proxy, () => load.run({ ...plan, count }))
      const idle = await during(proxy, () => pause(performance.now() - started))
      const each = WHAT.map((what) => [what, Math.max(0, busy[what] - idle[what]) / count])
      // Built from the names of the very same fields.
      found.push([title, Object.fromEntries(each) as unknown as Sent])
    }
    const worst = (what: keyof Sent): number => Math.max(...found.map(([, sent]) => sent[what]))
    return {
      tables: [
        {
          title: 'Sent to PostgreSQL by a read, beyond what is sent meanwhile anyhow',
          columns: ['round trips', 'statements', 'sent in full'],
          rows: found.map(([title, sent]) => [title, ...WHAT.map((what) => sent[what])] as const),
        },
      ],
      goals: [
        { goal: 'Round trips of a read on PostgreSQL', bound: { atMost: 1 }, reached: worst('roundTrips') },
        {
          goal: 'Statements of a read that PostgreSQL has to read anew',
          bound: { atMost: 0 },
          reached: worst('parsed'),
        },
      ],
    }
  },
}

async function during(proxy: PostgresProxy, work: () => Promise<unknown>): Promise<Sent> {
  const before = proxy.sent()
  await work()
  const after = proxy.sent()
  return {
    roundTrips: after.roundTrips - before.roundTrips,
    statements: after.statements - before.statements,
    parsed: after.parsed - before.parsed,
  }
}
