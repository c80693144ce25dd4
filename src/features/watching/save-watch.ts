import { newId, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { Reachability } from '../../bot/access/reachable.ts'
import type {
  ActSteps,
  CommandContext,
  Requester,
  Rights,
  ServiceAccess,
} from '../../bot/routes/command-context.ts'
import { isFirstRun } from '../../bot/routes/first-run.ts'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import type { CheckFacts } from '../../domain/outages/outage.ts'
import {
  getCurrentChannels,
  requirePostingAllowed,
  resolveWatchChannel,
} from './channel.ts'
import { findDownChecks, findMatchingChecks, resolveWatchSettings } from './find-checks.ts'
import { resolveResponders } from './find-responders.ts'
import { createWatchEnded } from './find-watches-to-end.ts'
import type { WatchStore } from './rows/watching.ts'
import { mayAffectWatch } from './rules/affected-watches.ts'
import { describeFilter } from './rules/filter-fields.ts'
import { isRunning } from './rules/silence.ts'
import {
  type NewWatch,
  type Watch,
  type WatchFilter,
  type WatchSettings,
} from './rules/watch.ts'
import {
  formatWatchLine,
  hasSameSettings,
  type ParsedWatch,
  pickSettings,
  toChannelValues,
  toWatchValues,
} from './rules/watch-fields.ts'
import { readSavedWatch, refuseStaleWindow } from './saved-watch.ts'
import {
  unwatchedView,
  type WatchOutcome,
  type WatchSummary,
  watchedView,
} from './views/outcomes.ts'

export interface WatchDeps {
  watching: WatchStore
  reachability: Reachability
}

/** Creates or changes a watch in the current or named channel. Throws UserError or Question if the watch can't be saved. */
export async function saveWatch(
  deps: WatchDeps,
  request: CommandContext,
  typed: ParsedWatch,
): Promise<Message> {
  const { values, isConfirmed } = typed
  const { replace, shownVersion } = values
  const before = replace
    ? await request.remember('replaced', () => findReplacedWatch(deps, request, replace))
    : undefined
  const context = before ? withEnvironment(request, before.environment) : request
  const channelId =
    before?.channelId ?? resolveWatchChannel(context, values)
  const channel = { ...pickScope(context), channelId }
  const saved = await context.remember('saved', () => readSavedWatch(deps.watching, channel, replace))
  refuseStaleWindow(shownVersion, saved, { ...values, ...toChannelValues(channel) })
  // Throws if no token is stored, because the watch couldn't be polled.
  await context.api()
  const { settings, unreachable } = await context.remember('settings', async () =>
    resolveResponders(deps.reachability, context, await resolveWatchSettings(context, typed), {
      ...channel,
      ownerIds: [before?.ownerId ?? context.userId],
    }),
  )
  const isOutside = await requirePostingAllowed(deps.watching, context, channelId, {
    isConfirmed,
    line: formatWatchLine({
      ...values,
      ...toWatchValues(settings),
      ...toChannelValues(channel),
    }),
  })
  // A retry skips a finished step and reuses its result, so this is checked outside the step.
  if (before && !(await changeWatchStep(deps.watching, context, before, settings)))
    throw new UserError(`${watchEndedText()} Nothing was changed.`)
  const outcome = before
    ? { watch: { ...before, ...settings }, change: 'changed' as const }
    : await addWatchOnce(deps, context, channelId, settings)
  if (isOutside) await deps.watching.watches.allowSharing(context.workspaceId, channelId, context.now)
  return watchedView({
    ...outcome,
    unreachable,
    ...(await readState(deps, context, outcome.watch)),
    here: getCurrentChannels(request),
    matching: await findMatchingChecks(context, settings.filter),
  })
}

/** What is down already, and what silences the watch. */
async function readState(
  { watching }: WatchDeps,
  { workspaceId, now }: Requester,
  { id, channelId, environment, filter }: WatchSummary,
): Promise<Pick<WatchOutcome, 'adopted' | 'posted' | 'silences' | 'isUnseen'>> {
  const watch = await watching.watches.find(workspaceId, id)
  const found = watch && (await watching.watches.findAlreadyDown(watch))
  const toNames = (incidents: readonly { check: { name: string } }[] = []) =>
    incidents.map(({ check }) => check.name).toSorted()
  const silences = await watching.silences.list(workspaceId, { channelId, environment })
  return {
    adopted: toNames(found?.adopted),
    posted: toNames(found?.posted),
    isUnseen: (await watching.history.findUnseen({ workspaceId, environment })) !== undefined,
    silences: silences.filter(
      (silence) => isRunning(silence, now) && mayAffectWatch(filter, silence.subject),
    ),
  }
}

const pickScope = ({ workspaceId, enterpriseId, environment }: Requester) => ({
  workspaceId,
  enterpriseId,
  environment,
})

/** The same request, but in the given environment. */
export const withEnvironment = (context: CommandContext, environment: Environment): CommandContext =>
  environment === context.environment
    ? context
    : { ...context, environment, api: (wanted = environment) => context.api(wanted) }

/** Adds a watch. If the channel already has one with the same settings, resumes that one if it is paused. */
async function addWatchOnce(
  deps: WatchDeps,
  context: Requester & ActSteps & ServiceAccess,
  channelId: string,
  settings: WatchSettings,
): Promise<Pick<WatchOutcome, 'watch' | 'change'>> {
  const { watching } = deps
  const before = await context.remember('same', async () =>
    (await findSameWatch(watching, context, channelId, settings)) ?? null,
  )
  if (!before) {
    const id = await context.remember('watch', async () => newId())
    const channel = { id, channelId, environment: context.environment }
    const watchId = await addWatchStep(watching, context, {
      ...channel,
      settings,
      downChecks: await findUnseenDownChecks(watching, context, settings.filter),
    })
    // Someone else may have added the same watch at the same time.
    return { watch: { ...channel, id: watchId, ...settings }, change: watchId === id ? 'new' : 'already' }
  }
  if (before.isPaused) await resumeChannel(deps, context, channelId)
  return { watch: before, change: before.isPaused ? 'again' : 'already' }
}

/** What is down before the first poll of the environment, which would otherwise only see what is down by then. */
async function findUnseenDownChecks(
  { history }: Pick<WatchStore, 'history'>,
  context: Requester & ServiceAccess,
  filter: WatchFilter,
): Promise<CheckFacts[]> {
  const status = await history.findPollStatus(context.workspaceId, context.environment)
  if (status?.polls) return []
  // If the service doesn't answer now, the first poll finds what is down.
  return findDownChecks(context, filter).catch(() => [])
}

async function findReplacedWatch(
  { watching }: WatchDeps,
  context: Requester & Rights,
  id: string,
): Promise<Watch> {
  const watch = await watching.watches.find(context.workspaceId, id)
  if (watch) return watch
  throw new UserError(watchEndedText())
}

const watchEndedText = (): string => `This watch has ended. To make a new one, use ${cmd('/hc watch')}.`

/** Changes a watch in an audited step. A retry after a crash may repeat the step, which is harmless. */
const runWatchStep = <T>(
  context: ActSteps,
  verb: string,
  { id, environment, filter }: Pick<Watch, 'id' | 'environment' | 'filter'>,
  diff: { before?: object; after?: object },
  work: () => Promise<T>,
): Promise<T> =>
  context.change(
    {
      verb,
      object: `watch ${id}`,
      objectName: describeFilter(filter),
      environment,
      ...diff,
      isRepeatable: true,
    },
    work,
  )

/** Adds a watch in an audited step. Returns its ID, or that of a watch with the same settings. */
function addWatchStep(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Requester & ActSteps,
  {
    id,
    channelId,
    environment,
    settings,
    ...found
  }: Pick<Watch, 'id' | 'channelId' | 'environment'> &
    Pick<NewWatch, 'downChecks'> & { settings: WatchSettings },
): Promise<string> {
  const watch = { ...pickScope(context), channelId, environment, ...settings, id }
  return runWatchStep(context, '/hc watch', watch, { after: { channelId, ...settings } }, async () => {
    const added = { ...watch, ...found, ownerId: context.userId, madeAt: context.now }
    return (await watches.add(added, { unlessSame: true })).id
  })
}

/** Returns false if the watch no longer exists. */
const changeWatchStep = (
  { watches }: Pick<WatchStore, 'watches'>,
  context: Requester & ActSteps,
  watch: Watch,
  settings: WatchSettings,
): Promise<boolean> =>
  runWatchStep(
    context,
    '/hc watch',
    { ...watch, ...settings },
    { before: pickSettings(watch), after: settings },
    async () => (await watches.change(context.workspaceId, watch.id, settings, context.now)) !== undefined,
  )

/** Returns false if the watch no longer existed. */
const endWatchStep = (
  { watches }: Pick<WatchStore, 'watches'>,
  context: Requester & ActSteps,
  watch: WatchSummary,
): Promise<boolean> => {
  const before = { channelId: watch.channelId, ...pickSettings(watch) }
  const after = (done?: boolean) => (done === false ? 'had already ended' : undefined)
  return runWatchStep(context, '/hc unwatch', watch, { before, after }, () =>
    watches.remove(context.workspaceId, watch.id, context.now),
  )
}

/** Resumes a channel's paused watches. Returns how many there were. */
export const resumeChannel = (
  { watching }: Pick<WatchDeps, 'watching'>,
  context: Requester & ActSteps,
  channelId: string,
): Promise<number> =>
  context.change({ verb: '/hc watch-resume', object: `channel ${channelId}`, isRepeatable: true }, () =>
    watching.watches.resume(context.workspaceId, channelId),
  )

/** Ends each watch in a step of its own. */
export async function endWatches(
  { watching }: WatchDeps,
  context: Requester & ActSteps,
  watches: readonly WatchSummary[],
): Promise<Message> {
  const isFirst = await isFirstRun(context)
  const ended: WatchSummary[] = []
  for (const watch of watches)
    if ((await endWatchStep(watching, context, watch)) || !isFirst) ended.push(watch)
  if (ended.length === 0) throw createWatchEnded()
  return unwatchedView(ended, getCurrentChannels(context))
}

async function findSameWatch(
  { watches }: WatchStore,
  { workspaceId, environment }: Requester,
  channelId: string,
  settings: WatchSettings,
): Promise<(Watch & { isPaused: boolean }) | undefined> {
  const channelWatches = await watches.list(workspaceId, { channelId })
  const same = channelWatches.find(
    (watch) => watch.environment === environment && hasSameSettings(watch, settings),
  )
  // One paused watch pauses the whole channel.
  return same && { ...same, isPaused: channelWatches.some(({ paused }) => paused !== undefined) }
}
