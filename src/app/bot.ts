import type { Engine } from '@signalman/durable'
import { createReference, type Log } from '@signalman/runtime'
import { createBlockFallback, probeToken, type RequestDeadlines } from '@signalman/slack'
import { createAccess } from '../bot/access/access.ts'
import { createPeople } from '../bot/access/actor.ts'
import { createFindHolders, createListAdmins } from '../bot/access/holders.ts'
import { createReachability } from '../bot/access/reachable.ts'
import type { RefusalLog } from '../bot/access/refusal-log.ts'
import type { FeatureConfig } from '../bot/feature.ts'
import { createHomeTab } from '../bot/home/home-tab.ts'
import { createUninstalling, type Probe } from '../bot/install/uninstalling.ts'
import { createQueue } from '../bot/jobs/job-queue.ts'
import { createCommandHandlers, createHandlers } from '../bot/pipeline/handlers.ts'
import { createRunLine } from '../bot/pipeline/run-line.ts'
import { createShare } from '../bot/pipeline/share.ts'
import type { PostTimes } from '../bot/posts/find-lost-post.ts'
import { createLostPosts } from '../bot/posts/lost-posts.ts'
import { createMayPost } from '../bot/posts/may-post.ts'
import { createPostOnce } from '../bot/posts/post-once.ts'
import type { ReportError } from '../bot/posts/post-or-edit.ts'
import { createPoster, type Poster } from '../bot/posts/poster.ts'
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
import { createPanes, createSteps, withStepSlots } from './integrations.ts'
import { startFeatures } from './start-features.ts'

export interface BotDeps extends Backends {
  config: Config
  log: Log
  now: () => Date
  engine: Pick<Engine, 'begin' | 'end' | 'runNow' | 'wake'>
  refusalLog: RefusalLog
  orderTimes?: FeatureConfig['orderTimes']
  requestDeadlines: RequestDeadlines
  deliveryTimes?: Partial<PostTimes>
  pageSize?: number
}

export type Bot = ReturnType<typeof createBot>

/** Creates the request handlers of all features, and starts the features. */
export function createBot(deps: BotDeps) {
  const { config, log, now, engine, store, service, tenancy, clients, refusalLog } = deps
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
  const delivery = createDelivery({ ...deps, bindButtons, windowStates, blockFallback, toolAnswers })
  const openSlot = withStepSlots(createOpenSlot({ ...deps, delivery, database: store }), deps)
  const featureConfig = createFeatureConfig(deps)
  const getApi = createApiFactory({ service, cached, connections: store.connections, ...featureConfig })
  const auditDeps = { audit, refusalLog, idempotencyKeys }
  const makeContext = createMakeContext({ getApi, clients, access, bindButtons, ...auditDeps, now })
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
  const posting = { ...createPosting(deps, poster, reportError), reachability }
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
  const lineDeps = { ...deps, resolve, openSlot, access, explainTokenError, makeContext, findHiddenButtons }
  const uninstalling = createUninstalling({ store, tenancy, clients, probe, log })
  const runLine = createRunLine({ ...lineDeps, cached, channels: store.channels, share })
  const commandDeps = {
    ...lineDeps,
    routes,
    runLine,
    bindButtons,
    windowStates,
    ephemeralState,
    homeTab,
    prefix,
  }
  const commands = createCommandHandlers(commandDeps)
  const workflowSteps = createSteps({ ...deps, getApi, access, windowStates, ...commands })
  const findHandler = createHandlers({
    ...commandDeps,
    ...commands,
    entityHandler: createPanes({
      ...lineDeps,
      runLine,
      bindButtons,
      disabledFeatures: slack.disabledFeatures,
    }),
    people,
    ...features.slackChangeHandlers,
    onUninstalled: uninstalling.handleUninstall,
    stepHandler: workflowSteps.handle,
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

function createFeatureConfig({ config, baseUrls, pageSize, orderTimes }: BotDeps): FeatureConfig {
  const { isForbidden, slack, service } = config
  return {
    baseUrls,
    configured: service.tokens,
    hasOte: service.oteBaseUrl !== undefined,
    serverAddresses: service.serverAddresses,
    disabledFeatures: slack.disabledFeatures,
    pollMs: config.watchIntervalSeconds * 1000,
    pageSize,
    isForbidden,
    orderTimes,
  }
}

/** The functions that post messages exactly once, edit them, and find them again. */
function createPosting(
  { store, clients, log, deliveryTimes }: BotDeps,
  poster: Poster,
  reportError: ReportError,
) {
  const { postAttempts: attempts, recordedSteps: steps, settings } = store
  const lostPostDeps = { attempts, log, times: deliveryTimes }
  const mayPost = createMayPost({
    clients,
    settings,
    onSharedChannel: ({ workspaceId }, channelId) => store.handleSharedChannel(workspaceId, channelId),
  })
  const postOnce = createPostOnce(lostPostDeps)
  const lostPosts = createLostPosts(lostPostDeps)
  return { poster, postOnce, lostPosts, steps, mayPost, reportError }
}
