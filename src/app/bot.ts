import type { Engine } from '@signalman/durable'
import { createReference, type Log } from '@signalman/runtime'
import { createBlockFallback, probeToken, type RequestDeadlines } from '@signalman/slack'
import { createAccess } from '../bot/access/access.ts'
import { createPeople } from '../bot/access/actor.ts'
import { createFindHolders, createListAdmins } from '../bot/access/holders.ts'
import { createReachability } from '../bot/access/reachable.ts'
import type { RefusalLog } from '../bot/access/refusal-log.ts'
import type { FeatureConfig, FeatureContext } from '../bot/feature.ts'
import { createFormOptions } from '../bot/forms/form-options.ts'
import { createRedrawForm, createSubmissions } from '../bot/forms/submissions.ts'
import { createTurnPage } from '../bot/forms/turn-page.ts'
import { createHomeTab } from '../bot/home/home-tab.ts'
import { createUninstalling, type Probe } from '../bot/install/uninstalling.ts'
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
import { createToolHandler } from '../bot/pipeline/tool-line.ts'
import { createMayPost } from '../bot/posts/may-post.ts'
import { createPosts, type PostTimes } from '../bot/posts/post-once.ts'
import type { ReportError } from '../bot/posts/post-or-edit.ts'
import { createPoster } from '../bot/posts/poster.ts'
import { createBindButtons, createFindHiddenButtons } from '../bot/request/buttons.ts'
import { createApiFactory, createMakeContext } from '../bot/request/context.ts'
import { createOpenSlot } from '../bot/request/reply.ts'
import { createDelivery } from '../bot/request/send.ts'
import { createExplainTokenError } from '../bot/request/token-errors.ts'
import { createToolAnswers } from '../bot/request/tool-answers.ts'
import { createResolveLine, createVerbFinder } from '../bot/routes/resolve-line.ts'
import { createRoutes } from '../bot/routes/routes.ts'
import { createWindowStates } from '../bot/windows/window-states.ts'
import type { Config } from '../config.ts'
import type { Backends } from './backends.ts'
import { createPanes, createSteps } from './integrations.ts'
import { startFeatures } from './start-features.ts'

export interface BotDeps {
  config: Config
  backends: Backends
  log: Log
  now: () => Date
  engine: Pick<Engine, 'begin' | 'end' | 'runNow' | 'wake'>
  refusalLog: RefusalLog
  requestDeadlines: RequestDeadlines
  orderTimes: FeatureConfig['orderTimes']
  deliveryTimes: Partial<PostTimes> | undefined
}

export type Bot = ReturnType<typeof createBot>

/** Creates the request handlers of all features, and starts the features. */
export function createBot(deps: BotDeps) {
  const { config, log, now, engine, refusalLog, requestDeadlines } = deps
  const { store, service, tenancy, clients, responder } = deps.backends
  const { ephemeralState, sealedState, cached, grants, settings, audit, idempotencyKeys } = store
  const { commandPrefix: prefix, slack } = config
  const people = createPeople(clients, now)
  const access = createAccess({ people, grants, cached, settings, refusalLog, tenancy, now })
  const blockFallback = createBlockFallback()
  const routes = createRoutes()
  const resolve = createResolveLine(routes)
  const bindButtons = createBindButtons({ routes, resolve, ephemeralState, now })
  const windowStates = createWindowStates({ sealedState, ephemeralState, now })
  const toolAnswers = createToolAnswers()
  const delivery = createDelivery({
    clients,
    responder,
    bindButtons,
    windowStates,
    blockFallback,
    toolAnswers,
    log,
  })
  const openSlot = createOpenSlot({ delivery, database: store, requestDeadlines, log })
  const featureConfig = createFeatureConfig(deps)
  const { configured, hasOte } = featureConfig
  const getApi = createApiFactory({ service, cached, connections: store.connections, configured, hasOte })
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
  const findHiddenButtons = createFindHiddenButtons(createVerbFinder(routes))
  // The features add their sections of Home to the routes later. That works, because Home reads the routes each time it's drawn.
  const homeTab = createHomeTab({ routes, access, makeContext, clients, bindButtons, findHiddenButtons })
  const reportError: ReportError = (err, message, fields) => log.warn({ ...fields, err }, message)
  const reachability = createReachability({
    access,
    people,
    clients,
    listAdmins: createListAdmins({ clients, grants, tenancy }),
  })
  const poster = createPoster({ clients, bindButtons, blockFallback })
  const posting = createPosting(deps, { poster, reachability, reportError })
  const features = startFeatures(routes, {
    store,
    config: featureConfig,
    service,
    getApi,
    clients,
    connections: tenancy.guardConnections(store.connections),
    people,
    access,
    findHolders: createFindHolders({ clients, grants, tenancy }),
    reachability,
    posting,
    engine,
    queue: createQueue(store.work, engine),
    routes,
    redrawHomes: homeTab.redrawHomes,
    log,
    reportError,
    now,
    createReference,
  })
  const share = createShare({ bindButtons, settings, people, blockFallback })
  const explainTokenError = createExplainTokenError(access)
  const probe: Probe = (token, workspaceId) => probeToken(token, slack.apiUrl, workspaceId)
  const uninstalling = createUninstalling({ store, tenancy, clients, probe, log })
  const runLine = createRunLine({
    resolve,
    cached,
    channels: store.channels,
    share,
    access,
    explainTokenError,
    makeContext,
    findHiddenButtons,
  })
  const lineHandler = createLineHandler(runLine)
  const typedHandler = createTypedHandler({ routes, resolve, lineHandler, prefix })
  const redraw = createRedrawAnswer({ resolve, runLine, openSlot, log })
  const submissionHandler = createSubmissions({
    routes,
    windowStates,
    bindButtons,
    access,
    makeContext,
    explainTokenError,
    findHiddenButtons,
    openSlot,
    refreshHome: homeTab.refreshHome,
    redraw,
  })
  const workflowSteps = createSteps({
    config,
    store,
    engine,
    getApi,
    access,
    clients,
    windowStates,
    typedHandler,
    submissionHandler,
    log,
    now,
  })
  const { onReachable, onChannelShared, onPersonChanged } = features.slackChangeHandlers
  const findHandler = createFindHandler({
    command: typedHandler,
    action: createPressHandler({
      resolve,
      runLine,
      windowStates,
      ephemeralState,
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
    tool: createToolHandler({ resolve, access, lineHandler, prefix }),
    entity: createPanes({
      resolve,
      runLine,
      access,
      bindButtons,
      clients,
      disabledFeatures: slack.disabledFeatures,
      log,
      now,
    }),
    step: workflowSteps.handle,
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
  /** The kinds of work that requests and features queue. */
  const workKinds = [...features.work, ...uninstalling.workKinds, workflowSteps.kind]
  return {
    routes,
    findHandler,
    workKinds,
    startBackground: features.startBackground,
    access,
    people,
    makeContext,
    openSlot,
    bindButtons,
    resolve,
    toolAnswers,
    posting,
  }
}

function createFeatureConfig({ config, backends, orderTimes }: BotDeps): FeatureConfig {
  const { isForbidden, slack, service } = config
  return {
    baseUrls: backends.baseUrls,
    configured: service.tokens,
    hasOte: service.oteBaseUrl !== undefined,
    serverAddresses: service.serverAddresses,
    disabledFeatures: slack.disabledFeatures,
    pollMs: config.watchIntervalSeconds * 1000,
    isForbidden,
    orderTimes,
  }
}

/** The functions that post messages exactly once, edit them, and find them again. */
function createPosting(
  { backends, log, deliveryTimes }: BotDeps,
  others: Pick<FeatureContext['posting'], 'poster' | 'reachability' | 'reportError'>,
): FeatureContext['posting'] {
  const { store, clients } = backends
  const { postAttempts: attempts, recordedSteps: steps, settings } = store
  const mayPost = createMayPost({
    clients,
    settings,
    onSharedChannel: ({ workspaceId }, channelId) => store.handleSharedChannel(workspaceId, channelId),
  })
  return { ...others, posts: createPosts({ attempts, log, times: deliveryTimes }), steps, mayPost }
}
