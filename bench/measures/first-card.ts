import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../../test/databases/open.ts'
import { startPostgresDatabase } from '../../test/databases/postgres.ts'
import { type Load, startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import type { Benchmark, RunOptions } from '../parts/benchmark.ts'
import { type Child, startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { percentile } from '../parts/numbers.ts'
import { ENCRYPTION_KEYS, listWorkspaces, serviceTokenFor } from '../parts/slack.ts'

interface Storm {
  databaseUrl: string
  processes: number
  workspaces: number
  /** How many checks each workspace has. */
  checks: number
  /** In how many workspaces checks fall at the same time, and how many in each. */
  fallen: number
  falling: number
}

const MANY_REASON =
  'From run to run, it takes between 0.4 and 1 s. The two cores also run PostgreSQL and the stand-ins.'

/** Measures the time from the service's first answer with an outage to the first card about it. */
export const firstCard: Benchmark = {
  name: 'first-card',
  question: 'How soon is an outage in its channel when many checks fall at once?',
  async answer(run) {
    await using folder = await makeFolder()
    await using database = await startPostgresDatabase()
    const [one] = await measureStorm(run, {
      ...{ databaseUrl: `sqlite:${folder.file('signalman.db')}`, processes: 1 },
      ...{ workspaces: 1, checks: run.size(1000, 10), fallen: 1, falling: run.size(1000, 10) },
    })
    const many = await measureStorm(run, {
      ...{ databaseUrl: database.url, processes: run.size(4, 2) },
      ...{ workspaces: run.size(10_000, 20), checks: 100, fallen: run.size(1000, 5), falling: 1 },
    })
    return {
      tables: [],
      goals: [
        {
          goal: 'First card after 1,000 checks of a workspace fall at once',
          bound: { atMost: 300 },
          reached: one ?? Number.NaN,
          unit: 'ms',
        },
        {
          goal: 'First card of 1,000 workspaces of 10,000 that have an outage, 99th percentile',
          bound: { atMost: 1000 },
          reached: percentile(many, 0.99),
          unit: 'ms',
          reason: MANY_REASON,
        },
      ],
    }
  },
}

/** Returns how long each fallen workspace waited for its first card, in ms. */
async function measureStorm({ progress }: RunOptions, storm: Storm): Promise<number[]> {
  const { databaseUrl, processes, workspaces, checks, fallen, falling } = storm
  progress(`${fallen} of ${workspaces} workspaces, ${databaseUrl.split(':', 1)[0]}`)
  await using running = new AsyncDisposableStack()
  const load = running.use(await startLoad())
  const service = running.use(await startChild('servers/service.ts', { checks, falling, isHealthy: true }))
  const settings = { connected: 0, encryptionKeys: ENCRYPTION_KEYS }
  const first = { ...settings, connected: workspaces, watching: workspaces }
  for (let nth = 0; nth < processes; nth += 1)
    running.use(await startSignalman(load, service, databaseUrl, nth === 0 ? first : settings))
  const { rows } = running.use(await openDatabase(databaseUrl))
  const isEveryonePolled = async () => {
    const unpolled = rows.selectFrom('watch_poll').where('last_ok_at', 'is', null)
    return (await unpolled.select('workspace_id').limit(1).execute()).length === 0
  }
  while (!(await isEveryonePolled())) await pause(100)
  // Spread over all of them, since what was added together is also polled together.
  const isFallen = (_: string, index: number) => index % (workspaces / fallen) === 0
  const affected = listWorkspaces(workspaces).filter(isFallen)
  await service.call('fall', affected.map(serviceTokenFor))
  return await collectDelays(load, service, affected)
}

/** Waits until all polls have found the outage, at the interval of a deployment. */
async function collectDelays(load: Load, service: Child, affected: readonly string[]): Promise<number[]> {
  for (;;) {
    const postedAt = await load.firstPosts()
    if (postedAt.size >= affected.length) {
      // `servers/service.ts` returns the times of its first answers by token.
      const answeredAt = (await service.call('firstAnswers')) as Map<string, number>
      return affected.map(
        (workspace) =>
          (postedAt.get(workspace) ?? Number.NaN) -
          (answeredAt.get(serviceTokenFor(workspace)) ?? Number.NaN),
      )
    }
    await pause(500)
  }
}
