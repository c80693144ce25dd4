import type { Engine, WorkKind } from '@signalman/durable'
import { createReference, type Log } from '@signalman/runtime'
import { type AnswerTimes, createNewBlocks, probeToken } from '@signalman/slack'
import { type Access, createAccess } from '../bot/access/access.ts'
import { createPeople, type People } from '../bot/access/actor.ts'
import { createFindHolders } from '../bot/access/holders.ts'
import type { RefusalLog } from '../bot/access/refusal-log.ts'
import { createHomeTab } from '../bot/home/home-tab.ts'
import { createUninstalling, type Probe } from '../bot/install/uninstalling.ts'
import { createQueue } from '../bot/jobs/job-queue.ts'
import { createCommandHandlers, createHandlers } from '../bot/pipeline/handlers.ts'
import { createRunLine } from '../bot/pipeline/run-line.ts'
import { createShare } from '../bot/pipeline/share.ts'
import type { PostTimes } from '../bot/posts/find-lost-post.ts'
import type { PostParts, ReportError } from '../bot/posts/kept-messages.ts'
import { createLostPosts, type LostPosts } from '../bot/posts/lost-posts.ts'
import { createMayPost } from '../bot/posts/may-post.ts'
import { createPostOnce } from '../bot/posts/post-once.ts'
import { createPoster, type Poster } from '../bot/posts/poster.ts'
import { createBindButtons } from '../bot/request/buttons.ts'
import { type ApiOf, createApiOf, createContexts } from '../bot/request/context.ts'
import { createFindHiddenButtons } from '../bot/request/hidden-buttons.ts'
import { createOpenSlot } from '../bot/request/reply.ts'
import { createDelivery } from '../bot/request/send.ts'
import { createTokenMending } from '../bot/request/token-mending.ts'
import { createToolAnswers } from '../bot/request/tool-answers.ts'
import { createResolveLine, createVerbOf } from '../bot/routes/resolve-line.ts'
import { createRoutes } from '../bot/routes/routes.ts'
import { createWindowStates } from '../bot/windows/window-states.ts'
import type { Config } from '../config.ts'
import { type IsForbidden, parseForbidden } from '../domain/forbidden-addresses.ts'
import { createPanes } from '../doors/work-objects/panes.ts'
import { createSteps } from '../doors/workflows/do-step.ts'
import { withSteps } from '../doors/workflows/end-step.ts'
import { createCertOrders } from '../features/cert-orders/create-cert-orders.ts'
import type { OrderTimes } from '../features/cert-orders/ready-to-place.ts'
import { lookFromHere } from '../features/health-checks/diagnose/commands.ts'
import { tellCase } from '../features/threats/cases/tell-case.ts'
import { takedownWork } from '../features/threats/takedown-watch/look-at-check.ts'
import { createWatching } from '../features/watching/create-watching.ts'
import type { HeldScopes } from '../features/watching/polling/held-scopes.ts'
import { watchRenderer } from '../features/watching/renderer.ts'
import { heardOf } from './heard-of.ts'
import type { Outside } from './outside.ts'
import { addShippedRoutes } from './shipped-routes.ts'

export interface BotParts extends Outside {
  config: Config
  log: Log
  now: () => Date
  /** Undefined until the work has started: work is done with the routes, and routes begin work. */
  engine: () => Engine | undefined
  refusalLog: RefusalLog
  orderTimes?: Partial<OrderTimes>
  answerTimes: AnswerTimes
  deliveryTimes?: Partial<PostTimes>
  pageSize?: number
  /** Names of the scopes that are polled now. */
  heldScopes: HeldScopes
}

export type Bot = ReturnType<typeof createBot>

/** What a request means and what is answered to it, with every feature. */
export function createBot(parts: BotParts) {
  const { config, log, now, engine, store, service, tenancy, clients, refusalLog } = parts
  const { ephemeralState, sealedState, cached, grants, settings, audit, idempotencyKeys } = store
  const { commandPrefix: prefix, slack } = config
  const people = createPeople(clients, now)
  const access = createAccess({ people, grants, cached, refusalLog, tenancy, now })
  const newBlocks = createNewBlocks()
  const routes = createRoutes()
  const resolve = createResolveLine(routes)
  const bindButtons = createBindButtons({ routes, resolve, ephemeralState, now })
  const windowStates = createWindowStates({ sealedState, ephemeralState, now })
  const toolAnswers = createToolAnswers()
  const delivery = createDelivery({ ...parts, bindButtons, windowStates, newBlocks, toolAnswers })
  const openSlot = withSteps(createOpenSlot({ ...parts, delivery, database: store }), parts)
  const configured = config.service.tokens
  const hasOte = config.service.oteBaseUrl !== undefined
  const apiOf = createApiOf({ service, cached, configured, hasOte })
  const recording = { audit, refusalLog, idempotencyKeys }
  const makeContext = createContexts({ apiOf, clients, access, bindButtons, ...recording, now })
  const findHiddenButtons = createFindHiddenButtons(createVerbOf(routes))
  // Asks for its sections each time it is drawn, so that features may add them later.
  const homeTab = createHomeTab({ routes, access, makeContext, clients, bindButtons, findHiddenButtons })
  const { redrawHomes } = homeTab
  const keeping = postingParts(parts, createPoster({ clients, bindButtons, newBlocks }))
  const orders = certOrders(parts, { ...keeping, people, access, apiOf, redrawHomes })
  addShippedRoutes(routes, {
    ...parts,
    connections: tenancy.guarded(store.connections),
    configured,
    hasOte,
    leftOut: slack.leftOut,
    // Read once already: what cannot be read ends the start.
    isForbidden: forbidden(config),
    adminsOf: access.adminsOf,
    queue: createQueue(store.work, () => engine()?.wake()),
    wake: () => engine()?.wake(),
    orders: orders.routes,
    report: reporting(log),
  })
  const share = createShare({ bindButtons, settings, newBlocks })
  const mendToken = createTokenMending(access)
  const probe: Probe = (token, workspaceId) => probeToken(token, slack.apiUrl, workspaceId)
  const answering = { ...parts, resolve, openSlot, access, mendToken, makeContext, findHiddenButtons }
  const uninstalling = createUninstalling({ store, tenancy, clients, probe, log, now })
  const runLine = createRunLine({ ...answering, cached, share })
  const answered = {
    ...answering,
    routes,
    runLine,
    bindButtons,
    windowStates,
    ephemeralState,
    homeTab,
    prefix,
  }
  const commands = createCommandHandlers(answered)
  const steps = createSteps({ ...parts, apiOf, access, windowStates, ...commands })
  const handlerFor = createHandlers({
    ...answered,
    ...commands,
    openEntity: createPanes({ ...answering, runLine, bindButtons, leftOut: slack.leftOut }),
    people,
    ...heardOf(parts, access),
    uninstalled: uninstalling.told,
    step: steps.handle,
  })
  /** What requests and features leave to be done. */
  const workKinds = [
    ...orders.workKinds,
    ...watchKinds(parts, { keeping, apiOf }),
    ...caseKinds(parts, keeping, apiOf),
    uninstalling.kind,
    steps.kind,
  ]
  const answers = { access, people, makeContext, openSlot, bindButtons, resolve, toolAnswers, keeping }
  return { routes, handlerFor, workKinds, ...answers }
}

const reporting =
  (log: Log): ReportError =>
  (err, words, about) =>
    log.warn({ ...about, err }, words)

/** How whatever stands in Slack by itself is posted once, edited and found again. */
function postingParts({ store, clients, log, now, deliveryTimes }: BotParts, poster: Poster) {
  const { postAttempts: attempts, recordedSteps: steps, settings, watching } = store
  const lost = { attempts, log, times: deliveryTimes }
  const mayPost = createMayPost({
    clients,
    settings,
    found: ({ workspaceId }, channelId) =>
      watching.watches.sharedOutside(workspaceId, channelId, { now: now(), isNews: false }),
  })
  const [postOnce, lostPosts] = [createPostOnce(lost), createLostPosts(lost)]
  return { poster, postOnce, lostPosts, steps, mayPost, report: reporting(log) }
}

function caseKinds(
  { store, config, now, log, engine }: BotParts,
  keeping: PostParts,
  apiOf: ApiOf,
): WorkKind[] {
  const { threatCases, threatShares, takedownWatches, audit } = store
  return [
    tellCase({ ...keeping, threatCases, threatShares }),
    takedownWork({
      ...keeping,
      takedownWatches,
      threatCases,
      audit,
      apiOf,
      intervalMs: config.watchIntervalSeconds * 1000,
      now,
      wake: () => engine()?.wake(),
      log,
    }),
  ]
}

const forbidden = ({ diagnoseForbid }: Config): IsForbidden => parseForbidden(diagnoseForbid) ?? (() => true)

function watchKinds(
  { store, config, clients, log, now, engine, heldScopes }: BotParts,
  { keeping, apiOf }: { keeping: PostParts & { lostPosts: LostPosts }; apiOf: ApiOf },
): WorkKind[] {
  return createWatching({
    watching: store.watching,
    steps: store.recordedSteps,
    slackOf: (workspace) => clients.of(workspace),
    keeping,
    renderer: watchRenderer,
    apiOf,
    held: heldScopes,
    intervalMs: config.watchIntervalSeconds * 1000,
    wake: () => engine()?.wake(),
    log,
    // Nothing is asked of anybody where nothing may be connected to.
    ...(config.diagnoseForbid !== 'all' && {
      lookFromHere: (check) => lookFromHere(check, forbidden(config), now()),
    }),
  })
}

function certOrders(
  { store, clients, tenancy, now, engine, orderTimes }: BotParts,
  {
    people,
    access,
    apiOf,
    ...posting
  }: PostParts & {
    people: People
    access: Access
    lostPosts: LostPosts
    apiOf: ApiOf
    redrawHomes: (workspaceId: string) => Promise<void>
  },
): ReturnType<typeof createCertOrders> {
  return createCertOrders({
    ...posting,
    store,
    findHolders: createFindHolders({ clients, grants: store.grants, tenancy }),
    nameOf: async (where, userId) => (await people.personOf(where, userId)).name,
    now,
    createReference,
    engine,
    apiOf: ({ workspaceId, environment }) => apiOf(workspaceId, environment),
    mayApprove: (where, userId) => access.hasRoleOrThrow(where, userId, 'approver'),
    times: orderTimes,
  })
}
