import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../../test/databases/open.ts'
import type { Down } from '../servers/service.ts'
import { type Outside, startOutside, startSignalman } from './app.ts'
import type { Child } from './child.ts'
import { channelOf, serviceTokenFor } from './slack.ts'

interface Watching {
  databaseUrl: string
  workspaces: number
  /** How many checks each workspace has. */
  checks: number
  /** In how many channels each workspace watches them; one by default. */
  channels?: number
  intervalSeconds?: number
}

/** Starts the app with workspaces that each watch all their checks, all up, and waits until each was polled. */
export async function startWatching({ checks, channels = 1, ...settings }: Watching) {
  const { databaseUrl, workspaces, intervalSeconds } = settings
  await using started = new AsyncDisposableStack()
  const outside = started.use(await startOutside({ checks, isHealthy: true }))
  const start = (count: number): Promise<Child> =>
    startSignalman(outside, { databaseUrl, workspaces: count, channels, intervalSeconds })
  const server = started.use(await start(workspaces))
  const { rows } = started.use(await openDatabase(databaseUrl))
  await until(async () => {
    const unpolled = rows.selectFrom('watch_poll').where('last_ok_at', 'is', null)
    return (await unpolled.select('workspace_id').limit(1).execute()).length === 0
  })
  const resources = started.move()
  return {
    ...{ outside, server, rows },
    /** Starts another process on the same database. */
    startAnother: async (): Promise<Child> => resources.use(await start(0)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** From now on, so many checks of these workspaces are down. */
export const setDown = ({ service }: Outside, workspaces: readonly string[], count: number): Promise<void> =>
  service.call('setDown', { tokens: workspaces.map(serviceTokenFor), count } satisfies Down)

/** How long these workspaces waited for the first card, in ms, from the service’s first answer with an outage. */
export async function collectDelays(
  { load, service }: Outside,
  workspaces: readonly string[],
): Promise<number[]> {
  let posted: ReadonlyMap<string, number> = new Map()
  await until(async () => {
    posted = await load.call('firstPosts')
    return workspaces.every((workspace) => posted.has(channelOf(workspace)))
  })
  const answered = await service.call<ReadonlyMap<string, number>>('firstAnswers')
  return workspaces.map(
    (workspace) => (posted.get(channelOf(workspace)) ?? 0) - (answered.get(serviceTokenFor(workspace)) ?? 0),
  )
}

const MAX_WAIT_MS = 600_000

/** Waits for a condition. The process that is measured is somewhere else. Throws if it isn't met in ten minutes. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - startedAt > MAX_WAIT_MS) throw new Error('Waited ten minutes for nothing.')
    await pause(100)
  }
}
