import { Notice, newId } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { Reachability } from '../../bot/access/reachable.ts'
import type { ActSteps, CommandContext, Requester, Rights } from '../../bot/routes/command-context.ts'
import { OutdatedWindow } from '../../bot/windows/window-states.ts'
import { environmentSuffix } from '../../domain/environment.ts'
import {
  createSharedMeanwhile,
  requireAgreement,
  requireChannel,
  requireMayEnd,
  requireMember,
} from './channel.ts'
import { requireMatch, resolveWatchSettings } from './find-checks.ts'
import { resolveResponders } from './find-responders.ts'
import { createWatchEnded, requireWatch } from './find-watches-to-end.ts'
import type { WatchStore } from './rows/watching.ts'
import { describeFilter } from './rules/filter-fields.ts'
import { inForce, mayCover } from './rules/silence.ts'
import type { Watch } from './rules/watch.ts'
import {
  describeSettings,
  formatWatchLine,
  hashSettings,
  type ParsedWatch,
  pickSettings,
  toChannelValues,
  toWatchValues,
  type WatchValues,
} from './rules/watch-fields.ts'
import { saidWatch, unwatchedView, type WatchSummary, watchedView } from './views/outcomes.ts'

export interface WatchDeps {
  watching: WatchStore
  reachability: Reachability
  /** How often Signalman looks. */
  pollMs: number
}

/** Creates or changes a watch in the current or named channel. Throws UserError or Question if the watch can't be saved. */
export async function saveWatch(
  { watching, reachability }: WatchDeps,
  context: CommandContext,
  typed: ParsedWatch,
): Promise<Message> {
  const { values, isConfirmed } = typed
  const { replace, shownVersion } = values
  const before = replace
    ? await context.once('replaced', () => requireWatch(watching, context, replace))
    : undefined
  const { workspaceId, environment, userId, now } = context
  const channel = {
    ...{ workspaceId, environment },
    channelId: before?.channelId ?? requireChannel(context, values),
  }
  if (before) refuseStaleWindow(shownVersion, before)
  const checked = await requireMember(context, channel.channelId)
  // Throws if no token is stored, because the watch couldn't be polled.
  await context.api()
  const { settings, unreachable } = await context.once('settings', async () =>
    resolveResponders(reachability, context, await resolveWatchSettings(context, typed, before), channel),
  )
  const line = formatWatchLine({ ...values, ...toWatchValues(settings), ...toChannelValues(channel) })
  const agreedOutsideAt = await requireAgreement(watching, context, checked, {
    isConfirmed,
    line: typed.isSure ? `${line} --sure` : line,
  })
  const agreed = isConfirmed ? `${line} --yes` : line
  const offer = { label: 'Watch it anyway', line: `${agreed} --sure`, isSure: typed.isSure }
  const matching = await requireMatch(context, settings.filter, offer)
  const { name = userId } = context.actor
  const watch = { ...channel, ...settings, id: before?.id ?? newId() }
  const decision = {
    verb: '/hc watch',
    object: `watch ${watch.id}`,
    objectName: describeFilter(settings.filter),
    before: before && pickSettings(before),
    after: (saved?: Watch) =>
      saved && saved.id !== watch.id
        ? 'was already watched'
        : { ...(!before && { channelId: channel.channelId }), ...settings },
  }
  const saved = await context.decide<Watch>(decision, async (decisions) => {
    const { watches, channels } = watching.within(decisions)
    const said = saidWatch(watch, before ? 'changed' : 'new', name)
    const stored = before
      ? await watches.change(watch.id, settings, {
          said,
          // Somebody else may have changed it since this request began.
          refuse: (stored) => refuseStaleWindow(hashSettings(before), stored),
        })
      : await watches.add({ ...watch, ownerId: userId }, said)
    if (!stored) throw createWatchEnded()
    if (!(await channels.resume(channel.channelId, { ...checked, agreedOutsideAt })))
      throw createSharedMeanwhile(line)
    return stored
  })
  if (saved.id !== watch.id)
    throw createAlreadyWatched(context, saved, { ...values, ...toWatchValues(settings) })
  return watchedView({
    watch: saved,
    unreachable,
    silences: inForce(
      await watching.silences.list(workspaceId, now, channel),
      channel.channelId,
      now,
    ).flatMap(({ silence }) => (mayCover(silence.subject, settings.filter) ? [silence] : [])),
    now,
    here: context.channelId,
    matching,
  })
}

/** The channel has a watch of the same checks. The button opens its window with what was typed. */
const createAlreadyWatched = (
  context: Pick<CommandContext, 'channelId'>,
  watch: Watch,
  typed: WatchValues,
): Notice =>
  new Notice(
    `${watch.channelId === context.channelId ? 'This' : 'That'} channel already watches ${[`${describeFilter(watch.filter)}${environmentSuffix(watch.environment)}`, ...describeSettings(watch)].join(' · ')}. The watch wasn’t changed. To set what you typed, press Change.`,
    [
      {
        label: 'Change',
        line: formatWatchLine(
          {
            ...{ ...toWatchValues(watch), ...typed, ...toChannelValues(watch) },
            ...{ replace: watch.id, shownVersion: hashSettings(watch) },
          },
          'watch-edit',
        ),
      },
    ],
  )

/** Throws UserError if the settings were changed after the window was opened. */
export function refuseStaleWindow(shownVersion: string | undefined, watch: Watch): void {
  if (shownVersion === undefined || shownVersion === hashSettings(watch)) return
  const current = [describeFilter(watch.filter), ...describeSettings(watch)].join(' · ')
  throw new OutdatedWindow([`This watch: ${current}.`], `/hc watch-edit ${watch.id}`)
}

/** Ends each watch in a step of its own. */
export async function endWatches(
  { watching }: WatchDeps,
  context: Requester & Rights & ActSteps & Pick<CommandContext, 'slack'>,
  ending: readonly WatchSummary[],
): Promise<Message> {
  await requireMayEnd(
    context,
    ending.map(({ channelId }) => channelId),
  )
  const { name = context.userId } = context.actor
  const ended: WatchSummary[] = []
  for (const watch of ending) {
    const { id, environment, filter, channelId } = watch
    const after = (done?: boolean) => (done === false ? 'had already ended' : undefined)
    const decision = {
      verb: '/hc unwatch',
      object: `watch ${id}`,
      objectName: describeFilter(filter),
      environment,
      before: { channelId, ...pickSettings(watch) },
      after,
    }
    const isEnded = await context.decide<boolean>(decision, (decisions) =>
      watching.within(decisions).watches.remove(id, context.now, saidWatch(watch, 'ended', name)),
    )
    if (isEnded) ended.push(watch)
  }
  const [first, ...others] = ended
  if (!first) throw createWatchEnded()
  const left = await findLeftBehind(watching, context, first)
  return unwatchedView([first, ...others], left, { here: context.channelId, now: context.now })
}

/** What a channel still silences although it watches nothing anymore. Other channels have their own. */
async function findLeftBehind(
  { watches, silences }: WatchStore,
  { workspaceId, now }: Requester,
  { channelId, environment }: WatchSummary,
) {
  const all = await watches.list(workspaceId, { environment })
  const channels = [...new Set(all.map((watch) => watch.channelId))]
  const own = channels.includes(channelId)
    ? []
    : await silences.list(workspaceId, now, { channelId, environment })
  return { channels, silences: own.filter((silence) => silence.channelId === channelId) }
}
