import type { Engine } from '@signalman/durable'
import { createReference, type Log } from '@signalman/runtime'
import { createBlockFallback, probeToken, type RequestDeadlines } from '@signalman/slack'
import { createAccess } from '../bot/access/access.ts'
import { createPeople } from '../bot/access/actor.ts'
import { createCountHolders, createFindHolders, createListAdmins } from '../bot/access/holders.ts'
import { createReachability } from '../bot/access/reachable.ts'
import type { RefusalLog } from '../bot/access/refusal-log.ts'
import type { FeatureConfig } from '../bot/feature.ts'
import { createFormOptions } from '../bot/forms/form-options.ts'
import { createRedrawForm, createSubmissions } from '../bot/forms/submissions.ts'
import { createTurnPage } from '../bot/forms/turn-page.ts'
import { createHomeTab } from '../bot/home/home-tab.ts'
import { createUninstalling } from '../bot/install/uninstalling.ts'
import { JOB_TIMES } from '../bot/jobs/job-message.ts'
import { createQueue } from '../bot/jobs/job-queue.ts'
import {
  createFindHandler,
  createLineHandler,
  createPressHandler,
  createRedrawAnswer,
  createShortcutHandler,
  createTypedHandler,
} from '../bot/pipeline/handlers.ts'
import { createMentionHandler } from '../bot/pipeline/mentions.ts'
import { createRunLine } from '../bot/pipeline/run-line.ts'
import { createShare } from '../bot/pipeline/share.ts'
import type { PostTimes } from '../bot/posts/post-once.ts'
import { createPosting } from '../bot/posts/posting.ts'
import { createBindButtons, createFindHiddenButtons } from '../bot/request/buttons.ts'
import { createApiFactory, createMakeContext } from '../bot/request/context.ts'
import { createOpenSlot } from '../bot/request/reply.ts'
import { createDelivery } from '../bot/request/send.ts'
import { createResolveLine } from '../bot/routes/resolve-line.ts'
import { createRoutes } from '../bot/routes/routes.ts'
import { createWindowStates } from '../bot/windows/window-states.ts'
import type { Config } from '../config.ts'
import type { Backends } from './backends.ts'
import { type AppContext, type StartedFeatures, startFeatures } from './start-features.ts'

export interface BotDeps {
  config: Config
  backends: Backends
  log: Log
  now: () => Date
  engine: Pick<Engine, 'begin' | 'end' | 'runNow' | 'wake'>
  refusalLog: RefusalLog
  requestDeadlines: RequestDeadlines
  orderTimes: FeatureConfig['orderTimes']
  settleMs: FeatureConfig['settleMs'] | undefined
  deliveryTimes: Partial<PostTimes> | undefined
}

export type Bot = ReturnType<typeof createBot>

/** Starts the features, and creates the handlers of all requests. */
export function createBot(deps: BotDeps) {
  const tools = createTools(deps)
  const features = startFeatures(tools.routes, createFeatureTools(deps, tools))
  const { findHandler, workKinds } = createHandlers(deps, tools, features.slackChangeHandlers)
  return {
    ...tools,
    findHandler,
    /** The kinds of work that requests and features queue. */
    workKinds: [...features.work, ...workKinds],
    startBackground: features.startBackground,
  }
}

type Tools = ReturnType<typeof createTools>

/** What all handlers use. The routes are empty until the features add theirs. */
function createTools({ config, backends, log, now, refusalLog, requestDeadlines, deliveryTimes }: BotDeps) {
  const { store, service, tenancy, clients, responder } = backends
  const { ephemeralState, sealedState, cached, grants, settings, audit, idempotencyKeys, connections } = store

  // Who asks, and what they may do.
  const people = createPeople(clients, now)
  const access = createAccess({ people, grants, cached, settings, refusalLog, tenancy, now })
  const listAdmins = createListAdmins({ clients, grants, tenancy })
  const reachability = createReachability({ access, people, clients, listAdmins })

  // What a line or a button means.
  const routes = createRoutes()
  const resolve = createResolveLine(routes)
  const bindButtons = createBindButtons({ routes, resolve, ephemeralState, now })
  const findHiddenButtons = createFindHiddenButtons(routes)

  // What a handler gets.
  const { tokens: configured, oteBaseUrl } = config.service
  const hasOte = oteBaseUrl !== undefined
  const getApi = createApiFactory({ service, cached, connections, configured, hasOte })
  const makeContext = createMakeContext({
    getApi,
    clients,
    access,
    bindButtons,
    audit,
    refusalLog,
    idempotencyKeys,
    now,
  })

  // Where an answer is shown.
  const windowStates = createWindowStates({ sealedState, ephemeralState, now })
  const blockFallback = createBlockFallback()
  const delivery = createDelivery({
    clients,
    responder,
    bindButtons,
    windowStates,
    blockFallback,
    log,
  })
  const openSlot = createOpenSlot({ delivery, database: store, requestDeadlines, log })
  const homeTab = createHomeTab({ routes, access, makeContext, clients, bindButtons, findHiddenButtons })
  const times = deliveryTimes
  const posting = createPosting({ clients, bindButtons, blockFallback, reachability, store, times, log })

  // How a line runs.
  const share = createShare({ bindButtons, settings, people, blockFallback })
  const { channels } = store
  const runLine = createRunLine({ resolve, cached, channels, share, access, makeContext, findHiddenButtons })

  return {
    people,
    access,
    reachability,
    routes,
    resolve,
    bindButtons,
    findHiddenButtons,
    getApi,
    makeContext,
    windowStates,
    openSlot,
    homeTab,
    posting,
    runLine,
  }
}

/** What a feature gets besides its own rows and the ports of other features. */
function createFeatureTools(
  { config, backends, engine, orderTimes, settleMs = JOB_TIMES.settleMs, log, now }: BotDeps,
  tools: Tools,
): AppContext {
  const { store, service, baseUrls, tenancy, clients } = backends
  const { people, access, reachability, routes, getApi, homeTab, posting } = tools
  return {
    store,
    service,
    clients,
    people,
    access,
    reachability,
    routes,
    getApi,
    posting,
    engine,
    log,
    now,
    config: {
      baseUrls,
      configured: config.service.tokens,
      hasOte: config.service.oteBaseUrl !== undefined,
      disabledFeatures: config.slack.disabledFeatures,
      pollMs: config.watchIntervalSeconds * 1000,
      settleMs,
      orderTimes,
    },
    connections: tenancy.guardConnections(store.connections),
    findHolders: createFindHolders({ clients, grants: store.grants, tenancy }),
    countHolders: createCountHolders({ clients, grants: store.grants, tenancy }),
    queue: createQueue(store.work, engine),
    redrawHomes: homeTab.redrawHomes,
    createReference,
  }
}

/** Finds what handles a request from Slack. */
function createHandlers(
  { config, backends, log, now }: BotDeps,
  tools: Tools,
  { onReachable, onChannelShared, onPersonChanged }: StartedFeatures['slackChangeHandlers'],
) {
  const { store, tenancy, clients } = backends
  const { commandPrefix: prefix, slack } = config
  const { people, access, routes, resolve, bindButtons, findHiddenButtons, makeContext } = tools
  const { windowStates, openSlot, homeTab, runLine } = tools

  const lineHandler = createLineHandler(runLine)
  const typedHandler = createTypedHandler({ routes, resolve, lineHandler, prefix })
  const redraw = createRedrawAnswer({ resolve, runLine, openSlot, log })
  const submissionHandler = createSubmissions({
    routes,
    windowStates,
    bindButtons,
    access,
    makeContext,
    findHiddenButtons,
    openSlot,
    refreshHome: homeTab.refreshHome,
    redraw,
  })
  const probe = (token: string, workspaceId?: string) => probeToken(token, slack.apiUrl, workspaceId)
  const uninstalling = createUninstalling({ store, tenancy, clients, probe, log })

  const findHandler = createFindHandler({
    command: typedHandler,
    action: createPressHandler({
      resolve,
      runLine,
      windowStates,
      ephemeralState: store.ephemeralState,
      homeTab,
      redraw,
      redrawForm: createRedrawForm({ routes, access, bindButtons, windowStates, clients }),
      turnPage: createTurnPage({ routes, access, makeContext, bindButtons, windowStates, clients }),
      now,
    }),
    submission: submissionHandler,
    options: createFormOptions({ routes, windowStates, access, makeContext, log }),
    mention: createMentionHandler({ routes, resolve, lineHandler, clients, prefix }),
    shortcut: createShortcutHandler({ routes, resolve, lineHandler }),
    home: () => ({
      ...homeTab.handler,
      beforeAck: ({ workspaceId, userId: ownerId }) => onReachable(workspaceId, { ownerId }),
    }),
    uninstalled: (request) => ({ beforeAck: (handled) => uninstalling.handleUninstall(request, handled) }),
    'person-changed': () => ({
      async beforeAck({ workspaceId, userId }) {
        people.forget(workspaceId, userId)
        await onPersonChanged(workspaceId, userId)
      },
    }),
    'channel-open': () => ({
      beforeAck: ({ workspaceId, channelId = '' }) => onReachable(workspaceId, { channelId }),
    }),
    'channel-shared': () => ({ beforeAck: onChannelShared }),
  })
  return { findHandler, workKinds: uninstalling.workKinds }
}
