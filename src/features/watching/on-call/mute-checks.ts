import { newId, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type {
  AuditNotes,
  CommandContext,
  Requester,
  Rights,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import { writePattern } from '../../../domain/quoting.ts'
import { getCurrentChannels, requireCurrentChannel } from '../channel.ts'
import { combineSilences } from '../rules/combined-silence.ts'
import { getNamePrefix } from '../rules/grouping.ts'
import { appliesIn, type NewSilence, type SilenceSubject, toSubjectKey } from '../rules/silence.ts'
import type { WatchDeps } from '../save-watch.ts'
import { describeSubject, formatSubject } from '../views/words.ts'
import { DURATION_HELP, listDurations, type ParsedMute } from './parse/mute.ts'
import type { TypedSubject } from './parse/subject.ts'
import { resolveSubject, subjectMatchesNothing } from './silence-subject.ts'
import { mutedView } from './views/silence-outcomes.ts'

/** A parsed mute as JSON stored with the request. The end is absolute, so a retry doesn't extend the mute. */
interface TypedMute {
  subject: TypedSubject
  /** ISO 8601. Undefined: until someone ends it. */
  until?: string | undefined
}

export const toTypedMute = ({ subject, until }: ParsedMute): TypedMute => ({
  subject,
  ...(until && { until: until.toISOString() }),
})

/** Creates the question that asks how long to mute. Throws UserError. */
export async function createDurationQuestion(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  typedSubject: TypedSubject = { kind: 'all' },
): Promise<Question> {
  const subject = await resolveSubject(context, typedSubject, (check) => `/hc mute ${check}`)
  const widerPattern = getWiderPattern(subject)
  const label = widerPattern === 'all' ? 'Everything in this channel' : `All named ${widerPattern}`
  return new Question(
    `For how long should ${subject.kind === 'all' ? 'everything in this channel' : `“${describeSubject(subject)}”`} be muted? ${DURATION_HELP}`,
    [
      ...listDurations(writePattern(formatSubject(subject))),
      ...(widerPattern ? [{ label, line: `/hc mute ${writePattern(widerPattern)}` }] : []),
    ],
  )
}

/** Returns a pattern that mutes more than the subject does, to offer it as well. Empty if there is none. */
function getWiderPattern(subject: SilenceSubject): string {
  if (subject.kind === 'check') return getNamePrefix(subject.name)
  return subject.kind === 'name' ? 'all' : ''
}

/** Mutes checks in the current channel or thread. Throws UserError, for example if the person may not mute forever. */
export async function muteInChannel(
  { watching }: WatchDeps,
  context: CommandContext,
  { subject: typedSubject, until }: TypedMute,
): Promise<Message> {
  const channelId = requireCurrentChannel(context)
  const endText = until === undefined ? 'forever' : `until ${until.slice(0, 'yyyy-mm-ddThh:mm'.length)}Z`
  const subject = await context.remember('subject', () =>
    resolveSubject(context, typedSubject, (check) => `/hc mute ${check} ${endText}`),
  )
  if (until === undefined) await requireAdminForever(context, subject)
  const planId = await context.remember('mute', async () => newId())
  const { workspaceId, enterpriseId, environment, userId, now } = context
  const { name: ownerName = userId, timeZone = 'UTC' } = await context.actor()
  const mute: NewSilence = {
    kind: 'mute',
    workspaceId,
    enterpriseId,
    environment,
    channelId,
    planId,
    subject,
    from: now,
    timeZone,
    reason: '',
    ownerId: userId,
    ownerName,
    madeAt: now,
    ...(until !== undefined && { forMs: Date.parse(until) - now.getTime() }),
  }
  const listHere = () => watching.silences.list(workspaceId, { channelId, environment })
  // Remembered, so that a retry doesn't find this mute itself.
  const replaced = await context.remember('replaced', async () => {
    const key = toSubjectKey(subject)
    const found = (await listHere()).find(
      (silence) =>
        silence.kind === 'mute' && silence.channelId === channelId && toSubjectKey(silence.subject) === key,
    )
    return found && { until: found.to?.toISOString() }
  })
  await context.change(
    {
      verb: '/hc mute',
      object: `mute ${planId}`,
      objectName: describeSubject(subject),
      ...(replaced && { before: { until: replaced.until ?? 'forever' } }),
      after: { channelId, subject, until: until ?? 'forever' },
      isRepeatable: true,
    },
    async () => void (await watching.silences.add(mute)),
  )
  const { last, partly } = combineSilences(subject, await listHere(), now)
  const isWatched = await context.remember('is-watched', async () =>
    (await watching.watches.list(workspaceId, { environment })).some((watch) =>
      appliesIn(mute, watch.channelId),
    ),
  )
  return mutedView(
    { ...mute, to: until === undefined ? undefined : new Date(until) },
    {
      here: getCurrentChannels(context),
      replaced,
      last: last?.planId === planId ? undefined : last,
      partly,
      isWatched,
      matchesNothing: await subjectMatchesNothing(context, subject),
    },
  )
}

async function requireAdminForever(context: Rights & AuditNotes, subject: SilenceSubject): Promise<void> {
  if ((await context.roles()).has('admin')) return
  await context.recordRefusal({ verb: '/hc mute', object: `forever ${describeSubject(subject)}` })
  throw new UserError(
    'Only admins can mute forever, because nothing reminds you that it’s still muted. Type a duration or a date.',
  )
}
