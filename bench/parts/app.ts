import type { Load } from '../load/start.ts'
import type { AppSettings } from '../servers/signalman.ts'
import type { Child } from './child.ts'
import { type Server, startServer } from './server.ts'

/** What stands around the app. */
export interface Around {
  load: Load
  service: Child
  databaseUrl: string
}

/** The whole app in a process of its own, between the load's Slack and the service. */
export function startSignalman(
  { load, service, databaseUrl }: Around,
  settings: Partial<AppSettings> = {},
): Promise<Server> {
  // `servers/service.ts` answers with its address.
  const serviceUrl = service.ready as string
  return startServer('signalman.ts', { serviceUrl, sinkUrl: load.sinkUrl, databaseUrl, ...settings })
}
