import { createEngine, findSqliteFile, type WorkTimes } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { REQUEST_DEADLINES, type RequestDeadlines, type SocketMode, type SocketTimes } from '@signalman/slack'
import { openBackends } from './app/backends.ts'
import { createBot } from './app/bot.ts'
import { type ListenDeps, listen } from './app/listen.ts'
import { createStopBudget } from './app/stop.ts'
import type { Store } from './app/store.ts'
import { startWork } from './app/work.ts'
import { createRefusalLog } from './bot/access/refusal-log.ts'
import type { ActTimes } from './bot/acts.ts'
import type { JobTimes } from './bot/jobs/job-message.ts'
import type { PostTimes } from './bot/posts/post-once.ts'
import type { BudgetLimits } from './bot/request/budgets.ts'
import { scheduleSweeping } from './bot/retention/sweeping.ts'
import type { RouteTable } from './bot/routes/routes.ts'
import type { Config } from './config.ts'
import { createMetrics } from './metrics/metrics.ts'
import type { ServiceOptions } from './service/service.ts'

export interface RunningApp extends AsyncDisposable {
  /** The address that it listens on: `http://127.0.0.1:3000`. */
  readonly url: string
  /** All commands and forms, for generated tables and tests. */
  readonly routes: RouteTable
  /** The store, for programs that embed the app: the demo and the tests. */
  readonly store: Store
  readonly sockets: Pick<SocketMode, 'counts'> | undefined
  /** Skips the grace period of the current or next shutdown: everything that is still running is aborted or released. */
  forceStop(): void
}

/** The app's configuration and, for tests and the demo, replacements of defaults. */
export interface AppDeps {
  config: Config
  log: Log
  now?: () => Date
  /** Timeouts and retries of calls to the service. */
  serviceLimits?: Pick<ServiceOptions, 'timeouts' | 'retry' | 'namesKeptMs'>
  workTimes?: Partial<WorkTimes & JobTimes & ActTimes> & Pick<ListenDeps, 'heartbeatMs' | 'monitorMs'>
  /** When to acknowledge a request and when to show a placeholder. The defaults are within Slack's 3 s. */
  requestDeadlines?: Partial<RequestDeadlines>
  /** How long a post to a channel may take. */
  deliveryTimes?: Partial<PostTimes>
  /** When to open and check sockets to Slack. */
  socketTimes?: Partial<SocketTimes>
  budgets?: Partial<BudgetLimits>
  /** How long a stop may take. The default fits the grace period of the manifests. */
  stopLimitMs?: number | undefined
}

/**
 * Starts the app. Disposing it stops accepting requests and work, gives running work 10 s to finish, releases the rest for other
 * processes, and closes everything, within 18 s whatever hangs. If it throws StoreError because the database can't be used, nothing is left open.
 */
export async function startApp(deps: AppDeps): Promise<RunningApp> {
  const { config, log, now = () => new Date(), serviceLimits, workTimes } = deps
  await using started = new AsyncDisposableStack()
  const forceStop = new AbortController()
  const budget = createStopBudget(deps.stopLimitMs)
  const metrics = createMetrics()
  // If a caller sets `now`, it's also the database's clock, which leases and due times use.
  const backends = await openBackends({ config, log, metrics, now, clock: deps.now, serviceLimits }, started)
  const { store } = backends
  const refusalLog = createRefusalLog({ append: (refusal) => store.audit.append(refusal), log })
  // Created before the features, because they queue work.
  const engine = started.use(
    createEngine({
      store: store.work,
      log,
      times: workTimes,
    }),
  )
  const requestDeadlines = { ...REQUEST_DEADLINES, ...deps.requestDeadlines }
  const bot = createBot({
    config,
    backends,
    log,
    metrics,
    now,
    refusalLog,
    requestDeadlines,
    engine,
    maxInFlightMs: workTimes?.maxInFlightMs,
    deliveryTimes: deps.deliveryTimes,
  })
  startWork({ bot, backends, log, engine, now, workTimes, auditRetentionDays: config.auditRetentionDays })
  await scheduleSweeping(backends.store)
  if (findSqliteFile(config.databaseUrl) === ':memory:')
    log.warn('The database is only in memory: each stop loses everything. Set DATABASE_URL to a file.')
  const listening = await listen({
    engine,
    config,
    log,
    metrics,
    now,
    backends,
    bot,
    requestDeadlines,
    socketTimes: deps.socketTimes,
    budgets: deps.budgets,
    heartbeatMs: workTimes?.heartbeatMs,
    monitorMs: workTimes?.monitorMs,
    forceStop: forceStop.signal,
    budget,
  })
  const resources = started.move()
  return {
    routes: bot.routes,
    store: backends.store,
    url: listening.url,
    sockets: listening.sockets,
    forceStop: () => forceStop.abort(),
    async [Symbol.asyncDispose]() {
      budget.begin()
      const isDone = await budget.finish(listening.stop().finally(() => resources[Symbol.asyncDispose]()))
      if (!isDone) log.warn('Stopping although some of it is still running: the time to stop is up.')
    },
  }
}
