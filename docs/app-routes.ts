import { createEngine } from '@signalman/durable'
import { REQUEST_DEADLINES } from '@signalman/slack'
import { openBackends } from '../src/app/backends.ts'
import { createBot } from '../src/app/bot.ts'
import type { MessageShortcut, RouteTable } from '../src/bot/routes/routes.ts'
import { readConfig } from '../src/config.ts'
import { createLog } from '../src/log.ts'
import { createMetrics } from '../src/metrics/metrics.ts'

export interface AppRoutes extends Pick<RouteTable, 'verbs' | 'forms'> {
  readonly shortcuts: readonly MessageShortcut[]
}

/** Reads every command that the app has. The app is created but never started, so it makes no network requests. */
export async function loadAppRoutes(): Promise<AppRoutes> {
  await using started = new AsyncDisposableStack()
  const config = readConfig({
    SLACK_SIGNING_SECRET: 'unused',
    SLACK_BOT_TOKEN: 'xoxb-unused',
    API_BASE_URL: 'http://api.invalid',
    API_OTE_BASE_URL: 'http://ote.invalid',
    DATABASE_URL: 'sqlite::memory:',
  })
  const [log, now, metrics] = [createLog('silent'), () => new Date(), createMetrics()]
  const backends = await openBackends(
    { config, log, metrics, now, clock: undefined, serviceLimits: undefined },
    started,
  )
  const engine = started.use(createEngine({ store: backends.store.work, log }))
  const refusalLog = { write: async () => undefined, [Symbol.asyncDispose]: async () => undefined }
  const { routes } = createBot({
    config,
    backends,
    log,
    metrics,
    now,
    engine,
    refusalLog,
    requestDeadlines: REQUEST_DEADLINES,
    maxInFlightMs: undefined,
    deliveryTimes: undefined,
  })
  const { verbs, forms, shortcuts } = routes
  return { verbs, forms, shortcuts }
}
