import { createEngine, type WorkTimes } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { ANSWER_TIMES, type AnswerTimes, type SocketMode, type SocketTimes } from '@signalman/slack'
import { createBot } from './app/bot.ts'
import { type ListenParts, listen } from './app/listen.ts'
import { openOutside } from './app/outside.ts'
import type { Store } from './app/store.ts'
import { startWork } from './app/work.ts'
import { createRefusalLog } from './bot/access/refusal-log.ts'
import type { ActTimes } from './bot/acts/acts.ts'
import { createAnchoring, createPutRecord, scheduleAnchoring } from './bot/audit/anchor.ts'
import type { FeatureConfig } from './bot/feature.ts'
import type { JobTimes } from './bot/jobs/job-message.ts'
import type { BudgetLimits } from './bot/pipeline/budgets.ts'
import type { PostTimes } from './bot/posts/find-lost-post.ts'
import { scheduleSweeping } from './bot/retention/sweeping.ts'
import type { RouteTable } from './bot/routes/routes.ts'
import type { Config } from './config.ts'
import { createMetrics } from './metrics/metrics.ts'
import type { ServiceOptions } from './service/service.ts'
import { openTracing } from './tracing/open-tracing.ts'

export interface RunningApp extends AsyncDisposable {
  /** Where it listens, e.g. `http://127.0.0.1:3000`. */
  readonly url: string
  /** Everything that can be asked for, for tables and tests. */
  readonly routes: RouteTable
  /** What it remembers, for whoever embeds the app: the demo and the tests. */
  readonly store: Store
  /** Its sockets to Slack, in Socket Mode. */
  readonly sockets: Pick<SocketMode, 'counts'> | undefined
  /** A stop that is under way, or comes later, waits for nothing that still runs: it is cut off or given back. */
  hurry(): void
}

export interface AppParts {
  config: Config
  log: Log
  now?: () => Date
  /** Time-outs and repetitions towards the service; its own defaults unless given. */
  serviceLimits?: Pick<ServiceOptions, 'timeouts' | 'retry'>
  /** How jobs are held, looked for and told of; its own defaults unless given. */
  workTimes?: Partial<WorkTimes & JobTimes & ActTimes> & Pick<ListenParts, 'signMs'>
  /** How long an order's POST may be under way; the feature's own default unless given. */
  orderTimes?: FeatureConfig['orderTimes']
  /** By when Slack and whoever asks are answered; within the 3 s that Slack waits unless given. */
  answerTimes?: Partial<AnswerTimes>
  /** How long a message to a watched channel may be under way; the engine of watching's own default unless given. */
  deliveryTimes?: Partial<PostTimes>
  /** How sockets to Slack are opened and watched; their own defaults unless given. */
  socketTimes?: Partial<SocketTimes>
  /** How much may be asked for at once; its own limits unless given. */
  budgets?: Partial<BudgetLimits>
  /** Health checks on one page of a listing; the feature's own default unless given. */
  pageSize?: number
}

/**
 * Builds everything and listens. Disposing of it takes no more requests and work, lets finish what runs (10 s), gives back what
 * does not, and closes. Throws StoreError when the database cannot be used; nothing is left half-started.
 */
export async function startApp(parts: AppParts): Promise<RunningApp> {
  const { config, log, now = () => new Date(), serviceLimits, workTimes } = parts
  await using started = new AsyncDisposableStack()
  const hurry = new AbortController()
  // Whoever sets the time sets the database's too: leases and due times are told by that.
  const metrics = createMetrics()
  // Closed last: what ends before it is still told.
  const tracer = await openTracing(config.tracing, log)
  if (tracer) started.use(tracer)
  const outside = await openOutside({ config, log, metrics, now, clock: parts.now, serviceLimits }, started)
  const { store, tenancy, clients } = outside
  const target = config.auditAnchor
  const anchoring =
    target && createAnchoring({ store, target, put: createPutRecord(target, clients), now, log })
  // Behind whatever may still write a row.
  if (anchoring) started.defer(() => anchoring.finish())
  const refusalLog = started.use(
    createRefusalLog({
      append: (refusal) => store.audit.append(refusal),
      enter: (workspaceId) => tenancy.enter({ workspaceId, enterpriseId: undefined }),
      log,
    }),
  )
  // There before the features: they begin work, and their work is done with what the bot makes of them.
  const engine = started.use(
    createEngine({
      store: store.work,
      beforeTakeOver: () => store.outcomeJournal.reconcile(),
      log,
      tracer,
      times: workTimes,
    }),
  )
  const answerTimes = { ...ANSWER_TIMES, ...parts.answerTimes }
  const bot = createBot({
    ...parts,
    ...outside,
    now,
    refusalLog,
    answerTimes,
    engine,
  })
  const work = await startWork({
    bot,
    outside,
    log,
    metrics,
    engine,
    anchoring,
    now,
    workTimes,
    answerTimes,
  })
  const background = started.use(bot.startBackground())
  await scheduleSweeping(outside.store)
  if (anchoring) await scheduleAnchoring(outside.store)
  const listening = await listen({
    ...work,
    engine,
    background,
    config,
    log,
    metrics,
    tracer,
    observe: outside.observe,
    now,
    outside,
    bot,
    answerTimes,
    socketTimes: parts.socketTimes,
    budgets: parts.budgets,
    signMs: workTimes?.signMs,
    hurry: hurry.signal,
  })
  const resources = started.move()
  return {
    routes: bot.routes,
    store: outside.store,
    url: listening.url,
    sockets: listening.sockets,
    hurry: () => hurry.abort(),
    async [Symbol.asyncDispose]() {
      await listening.stop()
      await resources[Symbol.asyncDispose]()
    },
  }
}
