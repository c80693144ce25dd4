import { newId, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { quoted } from '../../../domain/quoting.ts'
import { getCurrentPlaces, resolveMutePlace } from '../channel.ts'
import { getNamePrefix } from '../rules/grouping.ts'
import { appliesIn, type NewSilence, type SilenceSubject } from '../rules/silence.ts'
import type { WatchDeps } from '../save-watch.ts'
import { describeSubject, formatSubject } from '../views/words.ts'
import { LENGTHS_HELP, listLengths, type MuteLine, parseUntimed, type TypedSubject } from './parse/mute.ts'
import { resolveSubject, subjectMatchesNothing } from './silence-subject.ts'
import { mutedView } from './views/silence-outcomes.ts'

/** A mute, as the operation stores it. Its end counts from the request, even if the operation runs later. */
interface TypedMute {
  subject: TypedSubject
  /** ISO 8601. Undefined: until someone ends it. */
  until?: string | undefined
}

export const toTypedMute = ({ subject, until }: MuteLine): TypedMute => ({
  subject,
  ...(until && { until: until.toISOString() }),
})

/** Creates the question that asks how long to mute, if no time was typed. Throws UserError. */
export async function createLengthQuestion(
  context: CommandContext,
  words: readonly string[],
): Promise<Question> {
  const subject = parseUntimed(words, context.now)
  const about = await resolveSubject(context, subject, (found) => `/hc mute ${quoted(found)}`)
  const widerPattern = about.kind === 'check' ? getNamePrefix(about.name) : about.kind === 'name' ? 'all' : ''
  const label = widerPattern === 'all' ? 'Everything in this channel' : `All named ${widerPattern}`
  return new Question(
    `For how long should ${about.kind === 'all' ? 'everything in this channel' : `“${describeSubject(about)}”`} be muted? ${LENGTHS_HELP}`,
    [
      ...listLengths(formatSubject(about)),
      ...(widerPattern ? [{ label, line: `/hc mute ${quoted(widerPattern)}` }] : []),
    ],
  )
}

/** Mutes a subject in the channel. Throws UserError, for example if the person may not mute forever. */
export async function muteInChannel(
  { watching }: WatchDeps,
  context: CommandContext,
  { subject, until }: TypedMute,
): Promise<Message> {
  const channelId = await context.keep('place', () => resolveMutePlace(watching, context))
  const endText = until === undefined ? 'forever' : `until ${until.slice(0, 'yyyy-mm-ddThh:mm'.length)}Z`
  const about = await context.keep('about', () =>
    resolveSubject(context, subject, (found) => `/hc mute ${quoted(found)} ${endText}`),
  )
  if (until === undefined) await requireAdminForever(context, about)
  const planId = await context.keep('mute', async () => newId())
  const { workspaceId, enterpriseId, environment, userId, now } = context
  const { name: ownerName = userId, timeZone = 'UTC' } = await context.actor()
  const mute: NewSilence = {
    kind: 'mute',
    workspaceId,
    enterpriseId,
    environment,
    channelId,
    planId,
    about,
    from: now,
    timeZone,
    because: '',
    ownerId: userId,
    ownerName,
    madeAt: now,
    ...(until !== undefined && { forMs: Date.parse(until) - now.getTime() }),
  }
  await context.change(
    {
      verb: '/hc mute',
      object: `mute ${planId}`,
      objectName: describeSubject(about),
      after: { channelId, about, until: until ?? 'forever' },
      isRepeatable: true,
    },
    async () => void (await watching.silences.add(mute)),
  )
  const isWatched = await context.keep('is-watched', async () =>
    (await watching.watches.list(workspaceId, { environment })).some((watch) =>
      appliesIn(mute, watch.channelId),
    ),
  )
  return mutedView(
    { ...mute, to: until === undefined ? undefined : new Date(until) },
    {
      here: getCurrentPlaces(context),
      isWatched,
      matchesNothing: await subjectMatchesNothing(context, about),
    },
  )
}

async function requireAdminForever(context: CommandContext, about: SilenceSubject): Promise<void> {
  if ((await context.roles()).has('admin')) return
  await context.recordRefusal({ verb: '/hc mute', object: `forever ${describeSubject(about)}` })
  throw new UserError(
    'Only admins can mute forever, because nothing reminds you of it. Type for how long, or a date.',
  )
}
