import { type Load, startLoad } from '../load/start.ts'
import type { AppSettings } from '../servers/signalman.ts'
import { type Child, startChild } from './child.ts'
import { makeFolder } from './folder.ts'
import { type Server, startServer } from './server.ts'

/** Starts the whole app in its own process, connected to the load generator's fake Slack and to the service. */
export function startSignalman(
  load: Load,
  service: Child,
  databaseUrl: string,
  settings: Partial<AppSettings> = {},
): Promise<Server> {
  // `servers/service.ts` returns its address.
  const serviceUrl = service.ready as string
  return startServer('signalman.ts', { serviceUrl, sinkUrl: load.sinkUrl, databaseUrl, ...settings })
}

/** The app on a SQLite file, with a service, of 500 checks by default, and a load generator. */
export async function startWithLoad(serviceSettings: object = {}) {
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const load = running.use(await startLoad())
  const service = running.use(await startChild('servers/service.ts', serviceSettings))
  const ours = running.use(await startSignalman(load, service, `sqlite:${folder.file('signalman.db')}`))
  const resources = running.move()
  return {
    load,
    service,
    ours,
    /** The app's answer to one command. */
    async answerTo(typed: string): Promise<unknown> {
      return JSON.parse((await load.run({ url: ours.url, typed, count: 1, connections: 1 })).latest)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
