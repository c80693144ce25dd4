import type { Load } from '../load/start.ts'
import type { AppSettings } from '../servers/signalman.ts'
import type { Child } from './child.ts'
import { type Server, startServer } from './server.ts'

/** What the app needs to run in a benchmark. */
export interface AppDependencies {
  load: Load
  service: Child
  databaseUrl: string
}

/** Starts the whole app in its own process, connected to the load generator's fake Slack and to the service. */
export function startSignalman(
  { load, service, databaseUrl }: AppDependencies,
  settings: Partial<AppSettings> = {},
): Promise<Server> {
  // `servers/service.ts` returns its address.
  const serviceUrl = service.ready as string
  return startServer('signalman.ts', { serviceUrl, sinkUrl: load.sinkUrl, databaseUrl, ...settings })
}
