import { MINUTE_MS, newId, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type {
  AuditNotes,
  CommandContext,
  Requester,
  Rights,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import { getCurrentChannels, requireCurrentChannel } from '../channel.ts'
import type { WatchStore } from '../rows/watching.ts'
import { type Silence, type SilenceSettings, type SilenceSubject, toSubjectKey } from '../rules/silence.ts'
import { describeSubject } from '../views/words.ts'
import { formatEditCommand, type MaintenanceOptions, readPlan, type StoredPlan } from './parse/maintenance.ts'
import type { TypedSubject } from './parse/subject.ts'
import { resolveSubject, subjectMatchesNothing } from './silence-subject.ts'
import { plannedView } from './views/silence-outcomes.ts'

type Stores = Pick<WatchStore, 'silences'>

const toSilenceSettings = (subject: SilenceSubject, { from, ...time }: StoredPlan): SilenceSettings => ({
  ...time,
  subject,
  from: new Date(from),
})

/** Plans maintenance for this channel or every channel. With `window`, changes that window instead. Throws UserError. */
export async function saveMaintenance(
  { silences }: Stores,
  context: CommandContext,
  typedSubject: TypedSubject | undefined,
  options: MaintenanceOptions,
  window?: Silence,
): Promise<Message> {
  const { workspaceId, enterpriseId, userId, now } = context
  const { name = userId, timeZone = 'UTC' } = await context.actor()
  const { environment } = window ?? context
  const newChannelId = () => (options.isEverywhere ? undefined : requireCurrentChannel(context))
  const channelId = window ? window.channelId : newChannelId()
  const scope = { workspaceId, ...(enterpriseId !== undefined && { enterpriseId }), environment, channelId }
  const plan = await context.remember('time', async () => readPlan(options, now, window ?? { timeZone }))
  const subject = await context.remember('subject', () => resolveTypedSubject(context, typedSubject, options))
  await requireAdminEverywhere(context, { channelId, subject })
  const planId = window?.planId ?? (await context.remember('plan', async () => newId()))
  const settings = toSilenceSettings(subject, plan)
  const isSaved = await context.change(
    {
      verb: window ? '/hc maintenance-edit' : '/hc maintenance',
      object: `maintenance ${planId}`,
      objectName: describeSubject(subject),
      environment,
      ...(window && {
        before: { subject: window.subject, from: window.from.toISOString(), forMs: window.forMs },
      }),
      after: { channelId: channelId ?? 'every channel', subject, ...plan },
      isRepeatable: true,
    },
    async () => {
      if (window) return silences.change(workspaceId, planId, settings)
      const owner = { ownerId: userId, ownerName: name, madeAt: now }
      await silences.add({ ...scope, ...settings, ...owner, kind: 'maintenance', planId })
      return true
    },
  )
  if (!isSaved) throw new UserError(MAINTENANCE_OVER)
  const viewOptions = {
    now,
    here: getCurrentChannels(context),
    matchesNothing: await subjectMatchesNothing(context, subject),
    userId,
    same: await findSamePlan(silences, { ...scope, ...settings, planId }),
  }
  return plannedView({ ...settings, planId, channelId, environment }, window ? 'changed' : 'new', viewOptions)
}

/** Another plan of the same checks at the same time and place. Both stay, because each is ended by its own people. */
const findSamePlan = async (
  { list }: Stores['silences'],
  plan: Pick<Silence, 'workspaceId' | 'environment' | 'planId' | 'channelId' | 'subject' | 'from' | 'forMs'>,
): Promise<Silence | undefined> =>
  (await list(plan.workspaceId, { environment: plan.environment, kind: 'maintenance' })).find(
    ({ planId, channelId, subject, from, forMs }) =>
      planId !== plan.planId &&
      (channelId === undefined || channelId === plan.channelId) &&
      toSubjectKey(subject) === toSubjectKey(plan.subject) &&
      // Two people who type `now` don't mean the same second.
      Math.abs(from.getTime() - plan.from.getTime()) < MINUTE_MS &&
      forMs === plan.forMs,
  )

export const MAINTENANCE_OVER = 'This maintenance has ended or was canceled. Nothing was changed.'

async function requireAdminEverywhere(
  context: Rights & AuditNotes,
  { channelId, subject }: { channelId?: string | undefined; subject: SilenceSubject },
): Promise<void> {
  if (channelId !== undefined || (await context.roles()).has('admin')) return
  await context.recordRefusal({
    verb: '/hc maintenance',
    object: `every channel ${describeSubject(subject)}`,
  })
  throw new UserError(
    'Only admins can plan maintenance for every channel. To plan it for this channel only, leave out --everywhere.',
  )
}

const resolveTypedSubject = (
  context: Pick<Requester, 'environment'> & ServiceAccess,
  typedSubject: TypedSubject = { kind: 'all' },
  options: MaintenanceOptions,
): Promise<SilenceSubject> =>
  resolveSubject(context, typedSubject, (check) => formatEditCommand(check, options))
