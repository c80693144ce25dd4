import type { Outcome, Plan } from '../load/run.ts'
import type { AppSettings } from '../servers/signalman.ts'
import { type Child, startChild } from './child.ts'
import { makeFolder } from './folder.ts'

/** A load generator with a fake Slack, and the fake service. */
export async function startOutside(serviceSettings: object = {}) {
  await using started = new AsyncDisposableStack()
  const load = started.use(await startChild('load/run.ts'))
  const service = started.use(await startChild('servers/service.ts', serviceSettings))
  const resources = started.move()
  return { load, service, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

export type Outside = Awaited<ReturnType<typeof startOutside>>

/** Starts the whole app in its own process, connected to the fake Slack and the fake service. */
export const startSignalman = (
  { load, service }: Outside,
  settings: Omit<AppSettings, 'serviceUrl' | 'sinkUrl'>,
): Promise<Child> =>
  startChild('servers/signalman.ts', { serviceUrl: service.ready, sinkUrl: load.ready, ...settings })

/** The app on a SQLite file, with a service, of 500 checks by default, and a load generator. */
export async function startWithLoad(serviceSettings: object = {}) {
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const outside = running.use(await startOutside(serviceSettings))
  const databaseUrl = `sqlite:${folder.file('signalman.db')}`
  const ours = running.use(await startSignalman(outside, { databaseUrl, workspaces: 8 }))
  const resources = running.move()
  const send = (server: Child, plan: Omit<Plan, 'url'>): Promise<Outcome> =>
    outside.load.call<Outcome>('run', { ...plan, url: server.ready })
  return {
    ...outside,
    ...{ ours, databaseUrl, send },
    /** The answer to one command: the app's, or another server's. */
    async answerTo(typed: string, server: Child = ours): Promise<unknown> {
      return JSON.parse((await send(server, { typed: [typed], count: 1, connections: 1 })).latest)
    },
    /** How to measure what a server takes for this load. */
    measure: (server: Child, plan: Omit<Plan, 'url'>) => async () => {
      await server.call('collectGarbage')
      // Warm up again after collecting garbage: if no object of a shape is left, V8 drops the code that it compiled for that shape. That
      // doesn't happen on a busy server, where some request is always in progress.
      await send(server, plan)
      const before = await server.call<number>('readCpuMicros')
      const { latest: _, ...outcome } = await send(server, plan)
      const cpuMicros = ((await server.call<number>('readCpuMicros')) - before) / plan.count
      return { cpuMicros, ...outcome }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
