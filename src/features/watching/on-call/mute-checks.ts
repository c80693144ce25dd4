import { newId, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { quoted } from '../../../domain/quoting.ts'
import { mutedPlace, placesHere } from '../channel.ts'
import type { WatchParts } from '../keep-watch.ts'
import { prefixOf } from '../rules/grouping.ts'
import type { NewSilence, SilenceSubject } from '../rules/silence.ts'
import { subjectName, subjectTyped } from '../views/words.ts'
import { LENGTHS, lengthsOf, type MuteLine, parseUntimed, type TypedSubject } from './parse/mute.ts'
import { matchesNothing, subjectOf } from './silence-subject.ts'
import { mutedView } from './views/silence-outcomes.ts'

/** The mute as an act stores it: its end counts from the request, however late the act is done. */
interface TypedMute {
  subject: TypedSubject
  /** ISO 8601; absent: until somebody ends it. */
  until?: string | undefined
}

export const typedMute = ({ subject, until }: MuteLine): TypedMute => ({
  subject,
  ...(until && { until: until.toISOString() }),
})

/** Asks how long, for a mute without a time. Throws UserError. */
export async function askHowLong(context: CommandContext, words: readonly string[]): Promise<Question> {
  const subject = parseUntimed(words, context.now)
  const about = await subjectOf(context, subject, (found) => `/hc mute ${quoted(found)}`)
  const wider = about.kind === 'check' ? prefixOf(about.name) : about.kind === 'name' ? 'all' : ''
  const label = wider === 'all' ? 'Everything in this channel' : `All named ${wider}`
  return new Question(
    `For how long should ${about.kind === 'all' ? 'everything' : `“${subjectName(about)}”`} be muted? ${LENGTHS}`,
    [...lengthsOf(subjectTyped(about)), ...(wider ? [{ label, line: `/hc mute ${quoted(wider)}` }] : [])],
  )
}

/** Mutes something in the channel. Throws UserError, also for a person who may not mute forever. */
export async function muteHere(
  { watching }: WatchParts,
  context: CommandContext,
  { subject, until }: TypedMute,
): Promise<Message> {
  const channelId = await context.keep('place', () => mutedPlace(watching, context))
  const end = until === undefined ? 'forever' : `until ${until.slice(0, 'yyyy-mm-ddThh:mm'.length)}Z`
  const about = await context.keep('about', () =>
    subjectOf(context, subject, (found) => `/hc mute ${quoted(found)} ${end}`),
  )
  if (until === undefined) await permitForever(context, about)
  const planId = await context.keep('mute', async () => newId())
  const { workspaceId, enterpriseId, environment, userId, now } = context
  const { name: ownerName = userId, timeZone = 'UTC' } = await context.actor()
  const mute: NewSilence = {
    ...{ kind: 'mute', workspaceId, enterpriseId, environment, channelId, planId, about },
    ...{ from: now, timeZone, because: '', ownerId: userId, ownerName, madeAt: now },
    ...(until !== undefined && { forMs: Date.parse(until) - now.getTime() }),
  }
  await context.change(
    {
      verb: '/hc mute',
      object: `mute ${planId}`,
      objectName: subjectName(about),
      after: { channelId, about, until: until ?? 'forever' },
      isRepeatable: true,
    },
    async () => void (await watching.silences.add(mute)),
  )
  const isWatched = await context.keep(
    'is-watched',
    async () => (await watching.watches.list(workspaceId, { channelId, environment })).length > 0,
  )
  return mutedView(
    { ...mute, to: until === undefined ? undefined : new Date(until) },
    { here: placesHere(context), isWatched, matchesNothing: await matchesNothing(context, about) },
  )
}

async function permitForever(context: CommandContext, about: SilenceSubject): Promise<void> {
  if ((await context.roles()).has('admin')) return
  await context.refused({ verb: '/hc mute', object: `for ever ${subjectName(about)}` })
  throw new UserError(
    'Only admins can mute forever, because nothing reminds you of it. Type for how long, or a date.',
  )
}
