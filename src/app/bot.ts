import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { probeToken, type RequestDeadlines } from '@signalman/slack'
import { createAccess, createRights } from '../bot/access/access.ts'
import { createPeople } from '../bot/access/actor.ts'
import { createReachability } from '../bot/access/reachable.ts'
import type { RefusalLog } from '../bot/access/refusal-log.ts'
import { createOpenAnswer } from '../bot/answer.ts'
import type { FeatureConfig } from '../bot/feature.ts'
import { createFind, type Find } from '../bot/find.ts'
import { createForms } from '../bot/forms/forms.ts'
import { type HandleEvent, traceFrom } from '../bot/handle.ts'
import { createHomeTab } from '../bot/home/home-tab.ts'
import { createUninstalling } from '../bot/install/uninstalling.ts'
import { JOB_TIMES } from '../bot/jobs/job-message.ts'
import { createQueue } from '../bot/jobs/job-queue.ts'
import { createMayPost } from '../bot/posts/may-post.ts'
import type { PostTimes } from '../bot/posts/post-once.ts'
import { createPoster } from '../bot/posts/poster.ts'
import { createFindHiddenButtons } from '../bot/request/buttons.ts'
import { createApiFactory, createMakeContext } from '../bot/request/context.ts'
import { createRoutes } from '../bot/routes/routes.ts'
import { createRun } from '../bot/run.ts'
import { createWindowStates } from '../bot/windows/window-states.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Backends } from './backends.ts'
import { type AppContext, type StartedFeatures, startFeatures } from './start-features.ts'

interface BotDeps {
  config: Config
  backends: Backends
  log: Log
  metrics: Pick<Metrics, 'recordRequest'>
  now: () => Date
  engine: Pick<Engine, 'wake'>
  refusalLog: RefusalLog
  requestDeadlines: RequestDeadlines
  maxInFlightMs: FeatureConfig['maxInFlightMs'] | undefined
  deliveryTimes: Partial<PostTimes> | undefined
}

export type Bot = ReturnType<typeof createBot>

/** Starts the features, and creates what finds and runs the handler of a request. */
export function createBot(deps: BotDeps) {
  const tools = createTools(deps)
  const features = startFeatures(tools.routes, createFeatureTools(deps, tools))
  const uninstalling = createUninstall(deps)
  const find = createFinder(deps, tools)
  return {
    ...tools,
    find,
    handleEvent: createHandleEvent(tools, features.slackChangeHandlers, uninstalling.handleUninstall),
    run: createRunner(deps, tools, find),
    jobs: features.jobs,
    workKinds: [...features.work, ...uninstalling.workKinds],
  }
}

type Tools = ReturnType<typeof createTools>

/** What all handlers use. The routes are empty until the features add theirs. */
function createTools({ config, backends, engine, log, now, refusalLog, deliveryTimes }: BotDeps) {
  const { store, service, tenancy, clients } = backends
  const { ephemeralState, sealedState, cached, grants, audit, connections } = store
  const routes = createRoutes()

  // Who asks, and what they may do.
  const { guestsCanView } = config
  const people = createPeople(clients, now)
  const rights = createRights({ people, grants, cached, guestsCanView, tenancy })
  const reachability = createReachability({ rights, people, grants, tenancy, clients })
  const access = createAccess({ rights, reachability, refusalLog, tenancy, now })
  const findHiddenButtons = createFindHiddenButtons(routes)

  // What a handler gets.
  const { tokens: configured, oteBaseUrl } = config.service
  const hasOte = oteBaseUrl !== undefined
  const getApi = createApiFactory({ service, cached, connections, configured, hasOte })
  const mayPost = createMayPost({ clients, people, onSharedChannel: store.handleSharedChannel })
  const { steps } = store
  const posting = { poster: createPoster(clients), steps, mayPost, reachability, times: deliveryTimes, log }
  const makeContext = createMakeContext({ getApi, clients, mayPost, access, cached, audit, refusalLog, now })

  // Where an answer is shown.
  const windowStates = createWindowStates({ sealedState, ephemeralState, now })
  const homeTab = createHomeTab({ routes, access, makeContext, clients, findHiddenButtons })
  return {
    people,
    access,
    reachability,
    routes,
    findHiddenButtons,
    getApi,
    makeContext,
    windowStates,
    homeTab,
    posting,
    queue: createQueue(store.work, engine),
  }
}

function createFeatureTools(
  { config, backends, engine, maxInFlightMs = JOB_TIMES.maxInFlightMs, log, now }: BotDeps,
  tools: Tools,
): AppContext {
  const { store, service, baseUrls, clients } = backends
  return {
    ...tools,
    store,
    service,
    clients,
    engine,
    log,
    now,
    config: {
      baseUrls,
      configured: config.service.tokens,
      hasOte: config.service.oteBaseUrl !== undefined,
      guestsCanView: config.guestsCanView,
      pollMs: config.watchIntervalSeconds * 1000,
      maxInFlightMs,
    },
  }
}

function createFinder({ config, log }: BotDeps, tools: Tools) {
  const { access, routes, makeContext, windowStates, homeTab } = tools
  return createFind({
    routes,
    prefix: config.commandPrefix,
    forms: createForms({ routes, windowStates, access, makeContext, log }),
    home: homeTab.handler,
  })
}

function createRunner({ backends, log, requestDeadlines, metrics }: BotDeps, tools: Tools, find: Find) {
  const { store, clients, responder } = backends
  const { access, makeContext, findHiddenButtons, windowStates, homeTab } = tools
  const { cached, channels } = store
  return createRun({
    find,
    openAnswer: createOpenAnswer({ clients, responder, windowStates, requestDeadlines, log }),
    access,
    makeContext,
    findHiddenButtons,
    windowStates,
    cached,
    channels,
    refreshHome: homeTab.refreshHome,
    log,
    onHandled: metrics.recordRequest,
  })
}

function createUninstall({ config, backends, log }: BotDeps) {
  const { store, tenancy, clients } = backends
  const probe = (token: string) => probeToken(token, config.slack.apiUrl)
  return createUninstalling({ store, tenancy, clients, probe, log })
}

function createHandleEvent(
  { people }: Tools,
  { onChannelShared, onPersonChanged }: StartedFeatures['slackChangeHandlers'],
  handleUninstall: ReturnType<typeof createUninstalling>['handleUninstall'],
): HandleEvent {
  return (event) =>
    traceFrom(event, async (origin) => {
      const { workspaceId, userId } = origin
      switch (event.kind) {
        case 'uninstalled':
          return handleUninstall(event, origin)
        case 'person-changed':
          people.forget(workspaceId, userId)
          return onPersonChanged(workspaceId, userId)
        case 'channel-shared':
          return onChannelShared(origin)
      }
    })
}
