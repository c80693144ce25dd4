import { newId, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { channelHere, placesHere } from '../channel.ts'
import { namesNothing, subjectOf } from '../mute-checks.ts'
import { parseSubject } from '../parse/mute-line.ts'
import type { WatchStore } from '../rows/watching.ts'
import type { MuteSubject } from '../rules/watch.ts'
import { subjectName } from '../views/words.ts'
import { type MaintenanceLine, type PlannedTime, readPlan, windowLine } from './parse.ts'
import { type MaintenancePlan, type MaintenanceState, type MaintenanceWindow, stateAt } from './rules.ts'
import { endedView, plannedView } from './views.ts'

type Kept = Pick<WatchStore, 'maintenance'>

const planOf = (about: MuteSubject, { from, ...time }: PlannedTime): MaintenancePlan => ({
  ...time,
  about,
  from: new Date(from),
})

/**
 * Plans maintenance of this channel, or of every channel, or changes the window that is planned or under way. What has begun has
 * begun. Throws UserError.
 */
export async function saveMaintenance(
  { maintenance }: Kept,
  context: CommandContext,
  words: readonly string[],
  line: MaintenanceLine,
  window?: MaintenanceWindow,
): Promise<Message> {
  const { workspaceId, enterpriseId, userId, now } = context
  const { name = userId, timeZone = 'UTC' } = await context.actor()
  const { environment } = window ?? context
  const channelId = window ? window.channelId : line.isEverywhere ? undefined : channelHere(context)
  const place = { workspaceId, ...(enterpriseId !== undefined && { enterpriseId }), environment, channelId }
  const time = await context.keep('time', async () => readPlan(line, now, window ?? { timeZone }))
  const about = await context.keep('about', () => aboutOf(context, words, line))
  await permit(context, { channelId, about })
  const planId = window?.planId ?? (await context.keep('plan', async () => newId()))
  const plan = planOf(about, time)
  const isSaved = await context.change(
    {
      verb: window ? '/hc maintenance-edit' : '/hc maintenance',
      object: `maintenance ${planId}`,
      objectName: subjectName(about),
      environment,
      ...(window && {
        before: { about: window.about, from: window.from.toISOString(), forMs: window.forMs },
      }),
      after: { channelId: channelId ?? 'every channel', about, ...time },
      isRepeatable: true,
    },
    () =>
      window
        ? maintenance.change(workspaceId, planId, plan)
        : maintenance.add({ ...place, ...plan, planId, ownerId: userId, ownerName: name, madeAt: now }),
  )
  if (!isSaved) throw new UserError(`${OVER} Nothing was changed.`)
  const at = { now, here: placesHere(context), fitsNothing: await namesNothing(context, about) }
  return plannedView({ ...plan, planId, channelId, environment }, window ? 'changed' : 'new', at)
}

const HAS_BEGUN: readonly MaintenanceState[] = ['running', 'over']

export const OVER = 'This maintenance is over, or was called off.'

/** Ends what is under way, or calls off what is planned. Throws UserError. */
export async function endMaintenance(
  { maintenance }: Kept,
  context: CommandContext,
  planId: string,
  isPlan: boolean,
): Promise<Message> {
  const found = await context.keep('window', async () => {
    const window = await maintenance.find(context.workspaceId, planId)
    if (!window) return null
    const { id, about, channelId, every, environment } = window
    return {
      id,
      planId,
      about,
      channelId,
      every,
      environment,
      hadBegun: HAS_BEGUN.includes(stateAt(window, context.now)),
    }
  })
  // What was to end this once may be over by now: the next one was not meant.
  if (!found || !(isPlan || found.hadBegun)) throw new UserError(`${OVER} Nothing was changed.`)
  const { channelId } = found
  await permit(context, found)
  await context.change(
    {
      verb: '/hc maintenance-end',
      object: `maintenance ${planId}`,
      objectName: subjectName(found.about),
      environment: found.environment,
      before: { channelId: channelId ?? 'every channel', about: found.about },
      after: isPlan ? 'ended' : 'this one ended',
      isRepeatable: true,
    },
    async () => void (await maintenance.end(context.workspaceId, found.id, { isPlan, now: context.now })),
  )
  return endedView(found, isPlan || !found.every, placesHere(context))
}

async function permit(
  context: CommandContext,
  { channelId, about }: { channelId?: string | undefined; about: MuteSubject },
): Promise<void> {
  if (channelId !== undefined || (await context.roles()).has('admin')) return
  await context.refused({ verb: '/hc maintenance', object: `every channel ${subjectName(about)}` })
  throw new UserError(
    'Only admins can plan maintenance for every channel. Without --everywhere it is for this channel.',
  )
}

const aboutOf = (
  context: CommandContext,
  words: readonly string[],
  line: MaintenanceLine,
): Promise<MuteSubject> =>
  subjectOf(context, words.length === 0 ? { kind: 'all' } : parseSubject(words), (found) =>
    windowLine([found], line),
  )
