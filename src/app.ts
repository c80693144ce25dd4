import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createParseTurns } from './api/parse-turns.ts'
import { createService, type ServiceOptions } from './api/service.ts'
import { createAccess } from './bot/access/access.ts'
import { createFindHolders } from './bot/access/holders.ts'
import { createPeople } from './bot/access/people.ts'
import { actWork, createActs } from './bot/acts/acts.ts'
import { scheduleSweeping, sweeping } from './bot/audit/sweeping.ts'
import { createBindButtons } from './bot/buttons/bind-buttons.ts'
import { createRunLine } from './bot/commands/run-line.ts'
import { createTokenMending } from './bot/commands/token-mending.ts'
import { createApiOf, createContexts } from './bot/context/make-context.ts'
import { createDispatch } from './bot/dispatch.ts'
import { createQueue } from './bot/jobs/job-queue.ts'
import { JOB_TIMES, type JobTimes, jobWork } from './bot/jobs/job-work.ts'
import { createMessenger } from './bot/replies/messenger.ts'
import { createReplies } from './bot/replies/replies.ts'
import { createMayPost, createSharing } from './bot/replies/sharing.ts'
import { createRequestHandlers } from './bot/request-handlers.ts'
import { createAttend } from './bot/requests/attend.ts'
import { safely } from './bot/requests/request-handler.ts'
import { createResolveLine } from './bot/routes/resolve-line.ts'
import { createRoutes, type RouteTable } from './bot/routes/routes.ts'
import { createWindowStates } from './bot/windows/window-states.ts'
import type { Config } from './config.ts'
import { createShortCache } from './domain/short-cache.ts'
import { createCertOrders } from './features/cert-orders/create-cert-orders.ts'
import type { OrderTimes } from './features/cert-orders/post-order.ts'
import type { Log } from './log.ts'
import { addShippedRoutes } from './shipped-routes.ts'
import { createSlackClients, type SlackClients } from './slack/client/clients.ts'
import { probeToken } from './slack/client/slack-client.ts'
import { createInstalling } from './slack/install/installing.ts'
import { installedWorkspaces, oneWorkspace } from './slack/install/tenancy.ts'
import { createUninstalling } from './slack/install/uninstalling.ts'
import { createBolt } from './slack/receive/bolt.ts'
import { createHttpServer } from './slack/receive/http-server.ts'
import { createReceiver } from './slack/receive/receiver.ts'
import { createReference } from './slack/receive/reference.ts'
import { createNewBlocks } from './slack/reply/new-blocks.ts'
import { createResponder } from './slack/reply/respond.ts'
import { openStore, type Store } from './store/store.ts'
import { type Engine, startEngine, type WorkTimes } from './work/engine.ts'

const SLACK_CHECK_LASTS_MS = 30_000
const DRAIN_LIMIT_MS = 10_000
const LAST_WORDS_LIMIT_MS = 2000
const SLACK_REFUSES = 'Slack does not answer to SLACK_BOT_TOKEN: nothing can be said in Slack until it does.'

export interface RunningApp extends AsyncDisposable {
  /** Where it listens, e.g. `http://127.0.0.1:3000`. */
  readonly url: string
  /** Everything that can be asked for, for tables and tests. */
  readonly routes: RouteTable
  /** What it remembers, for whoever embeds the app: the demo and the tests. */
  readonly store: Store
}

export interface AppParts {
  config: Config
  log: Log
  now?: () => Date
  /** Time-outs and repetitions towards the service; its own defaults unless given. */
  serviceLimits?: Pick<ServiceOptions, 'timeouts' | 'retry'>
  /** How jobs are held, looked for and told of; its own defaults unless given. */
  workTimes?: Partial<WorkTimes & JobTimes>
  /** How long an order's POST may be under way; the feature's own default unless given. */
  orderTimes?: Partial<OrderTimes>
  /** Health checks on one page of a listing; the feature's own default unless given. */
  pageSize?: number
}

/**
 * Builds everything and listens. Disposing of it takes no more work, finishes what runs (10 s), and closes. Throws
 * StoreError when the database cannot be used; nothing is left half-started.
 */
export async function startApp(parts: AppParts): Promise<RunningApp> {
  const { config, log, now = () => new Date(), serviceLimits, workTimes, orderTimes, pageSize } = parts
  await using started = new AsyncDisposableStack()
  const store = started.use(
    // Whoever sets the time sets the database's too: leases and due times are told by that.
    await openStore({ url: config.databaseUrl, keys: config.encryptionKeys, now, clock: parts.now }),
  )
  const service = started.use(
    createService({
      baseUrls: baseUrlsOf(config),
      turn: createParseTurns(),
      onUnread: ({ count, paths }, { method, path }) =>
        log.warn({ count, paths: paths.slice(0, 10), method, path }, 'the service sent what cannot be read'),
      ...serviceLimits,
    }),
  )
  const responder = started.use(createResponder(config.slack.apiUrl))
  const { tenants, apiUrl } = config.slack
  const tenancy = 'botToken' in tenants ? oneWorkspace(tenants.botToken) : installedWorkspaces(store)
  const clients = createSlackClients(apiUrl, tenancy.botTokenOf)

  const { ephemeralState, sealedState, cached } = store
  const connections = tenancy.guarded(store.connections)
  const configured = config.service.tokens
  const hasOte = config.service.oteBaseUrl !== undefined
  const baseUrls = baseUrlsOf(config)
  const { commandPrefix: prefix } = config
  const people = createPeople(clients, now)
  const access = createAccess({ people, grants: store.grants, cached, audit: store.audit, tenancy, now })
  // Work is done with the routes, and routes begin work: the engine starts once both are there.
  let running: Engine | undefined
  const queue = createQueue(store.work, () => running?.wake())
  const newBlocks = createNewBlocks(now)
  const routes = createRoutes()
  const resolve = createResolveLine(routes)
  const bindButtons = createBindButtons({ routes, resolve, ephemeralState, now })
  const windowStates = createWindowStates({ sealedState, ephemeralState, now })
  const replies = createReplies({ clients, responder, bindButtons, windowStates, newBlocks, log })
  const apiOf = createApiOf({ service, cached, configured, hasOte })
  const orders = createCertOrders({
    store,
    messenger: createMessenger({ clients, bindButtons }),
    mayPost: createMayPost({ clients, settings: store.settings }),
    findHolders: createFindHolders({ clients, grants: store.grants, tenancy }),
    nameOf: async (where, userId) => (await people.personOf(where, userId)).name,
    now,
    createReference,
    report: (err, words) => log.warn({ err }, words),
    engine: () => running,
    apiOf: ({ workspaceId, environment }) => apiOf(workspaceId, environment),
    mayApprove: (where, userId) => access.proves(where, userId, 'approver'),
    times: orderTimes,
  })
  addShippedRoutes(routes, {
    connections,
    service,
    configured,
    hasOte,
    baseUrls,
    prefix,
    pageSize,
    store,
    adminsOf: access.adminsOf,
    queue,
    orders: orders.routes,
  })
  const ask = createContexts({
    apiOf,
    clients,
    access,
    bindButtons,
    audit: store.audit,
    idempotencyKeys: store.idempotencyKeys,
    now,
  })
  const sharing = createSharing({ bindButtons, settings: store.settings, newBlocks })
  const mendToken = createTokenMending(access)
  const runLine = createRunLine({ resolve, cached, replies, sharing, access, mendToken, ask })
  const probe = (botToken: string) => probeToken(botToken, apiUrl)
  const uninstalled = createUninstalling({ store, clients, probe, log, now })
  const plan = safely(
    createRequestHandlers({
      routes,
      resolve,
      runLine,
      replies,
      bindButtons,
      windowStates,
      ephemeralState,
      clients,
      access,
      mendToken,
      ask,
      uninstalled,
      log,
      now,
      prefix,
    }),
  )
  const times = { ...JOB_TIMES, ...workTimes }
  const attend = createAttend({ replies, log })
  const acting = { steps: store.recordedSteps, journal: store.outcomeJournal, attend, log, times }
  const jobs = { store: store.work, ask, access, bindButtons, clients, log, now, times }
  // Before anybody looks at what was begun: of some of it this machine knows how it ended.
  await store.outcomeJournal.reconcile()
  const engine = started.use(
    startEngine({
      store: store.work,
      beforeTakeOver: () => store.outcomeJournal.reconcile(),
      kinds: [
        actWork({ ...acting, plan, replies, now }),
        ...routes.jobs.map((kind) => jobWork(jobs, kind)),
        ...orders.workKinds,
        sweeping(store, now, log),
      ],
      log,
      times: workTimes,
    }),
  )
  running = engine
  await scheduleSweeping(store)
  const acts = createActs({ ...acting, engine, store: store.work })
  const dispatch = createDispatch({ plan, acts, attend, log, createReference })
  const receiver = createReceiver({ signingSecret: config.slack.signingSecret, log, now })
  createBolt(receiver, dispatch, log)

  const slackChecks = createShortCache<void>({ freshMs: SLACK_CHECK_LASTS_MS, failedMs: 2000, kept: 1, now })
  let isDraining = false
  const ready = {
    database: () => store.ping(),
    // Of many workspaces one dead token says nothing about the rest.
    ...('botToken' in tenants && { slack: () => slackChecks.get('', () => slackAnswers(clients)) }),
    accepting: async () => {
      if (isDraining) throw new Error('The app is about to stop.')
    },
  }
  const installing =
    'oauth' in tenants &&
    createInstalling({
      secrets: tenants.oauth,
      apiUrl,
      store,
      clients,
      bindButtons,
      log,
      now,
      prefix,
      createReference,
      inFlight: receiver.inFlight,
    })
  const handlers = { '/slack/events': receiver.handle, ...(installing ? installing.handlers : {}) }
  const server = createHttpServer({ handlers, ready, isStopping: () => isDraining, log })
  server.listen(config.port, config.host)
  await once(server, 'listening')
  if (ready.slack) ready.slack().catch((error: unknown) => log.warn({ err: error }, SLACK_REFUSES))

  const resources = started.move()
  return {
    routes,
    store,
    url: `http://${hostOf(config.host)}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      // Still listening: `/readyz` must be able to say that no more work should be sent here.
      isDraining = true
      if ((await receiver.inFlight.drained(DRAIN_LIMIT_MS)) > 0) {
        // Calls to the service are cut, and who waits for them is told so before the way to Slack is closed.
        await service[Symbol.asyncDispose]()
        const left = await receiver.inFlight.drained(LAST_WORDS_LIMIT_MS)
        if (left > 0) log.warn({ left }, 'Stopping although some requests still run.')
      }
      server.close()
      server.closeAllConnections()
      await resources[Symbol.asyncDispose]()
    },
  }
}

function baseUrlsOf({ service }: Config): ServiceOptions['baseUrls'] {
  // Without an OTE address nothing is ever sent there: `createAsks` refuses the environment first.
  return { production: service.baseUrl, ote: service.oteBaseUrl ?? 'http://ote.invalid' }
}

/** One workspace: its token must work. The ids are of no account then. */
async function slackAnswers(clients: SlackClients): Promise<void> {
  const client = await clients.of({ workspaceId: '', enterpriseId: undefined })
  await client.check()
}

const hostOf = (host: string): string => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)
