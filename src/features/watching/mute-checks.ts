import { newId, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { findCheck, findCheckId } from '../../domain/find-check.ts'
import { quoted } from '../../domain/quoting.ts'
import { mayKnow, mutedPlace, placesHere } from './channel.ts'
import { fitsNothing } from './find-checks.ts'
import type { WatchParts } from './keep-watch.ts'
import { LENGTHS, lengthsOf, type MuteLine, parseUntimed, type TypedSubject } from './parse/mute-line.ts'
import { prefixOf } from './rules/grouping.ts'
import { coversSubject } from './rules/subjects.ts'
import type { Mute, MuteSubject } from './rules/watch.ts'
import { type HoldingMute, mutedView, unmutedView } from './views/outcomes.ts'
import { subjectName, subjectTyped } from './views/words.ts'

/** The mute as an act stores it: its end counts from the request, however late the act is done. */
interface KeptMute {
  subject: TypedSubject
  /** ISO 8601; absent: until somebody ends it. */
  until?: string | undefined
}

export const keptMute = ({ subject, until }: MuteLine): KeptMute => ({
  subject,
  ...(until && { until: until.toISOString() }),
})

/** What is asked of whoever names what is to be muted, or presses for it, and says no time. Throws UserError. */
export async function askHowLong(context: CommandContext, words: readonly string[]): Promise<Question> {
  const subject = parseUntimed(words, context.now)
  const about = await subjectOf(context, subject, (found) => `/hc mute ${quoted(found)}`)
  const wider = about.kind === 'check' ? prefixOf(about.name) : about.kind === 'name' ? 'all' : ''
  const label = wider === 'all' ? 'Everything in this channel' : `All named ${wider}`
  return new Question(
    `For how long is ${about.kind === 'all' ? 'everything' : `“${subjectName(about)}”`} to be muted? ${LENGTHS}`,
    [...lengthsOf(subjectTyped(about)), ...(wider ? [{ label, line: `/hc mute ${quoted(wider)}` }] : [])],
  )
}

/** Mutes something in the channel. Throws UserError, also for a person who may not mute for ever. */
export async function muteHere(
  { watching }: WatchParts,
  context: CommandContext,
  { subject, until }: KeptMute,
): Promise<Message> {
  const channelId = await context.keep('place', () => mutedPlace(watching, context))
  const end = until === undefined ? 'forever' : `until ${until.slice(0, 'yyyy-mm-ddThh:mm'.length)}Z`
  const about = await context.keep('about', () =>
    subjectOf(context, subject, (found) => `/hc mute ${quoted(found)} ${end}`),
  )
  if (until === undefined) await permitForEver(context, about)
  const id = await context.keep('mute', async () => newId())
  const ends = until === undefined ? undefined : new Date(until)
  const { workspaceId, enterpriseId, environment, userId, now } = context
  const mute = {
    workspaceId,
    enterpriseId,
    channelId,
    environment,
    about,
    until: ends,
    by: userId,
    madeAt: now,
  }
  await context.change(
    {
      verb: '/hc mute',
      object: `mute ${id}`,
      objectName: subjectName(about),
      after: { channelId, about, until: until ?? 'for ever' },
      isRepeatable: true,
    },
    async () => void (await watching.mutes.add({ ...mute, id })),
  )
  const isWatched = await context.keep(
    'is-watched',
    async () => (await watching.watches.list(workspaceId, { channelId, environment })).length > 0,
  )
  const isInThread = context.threadTs !== undefined
  return mutedView(
    { ...mute, id },
    { isInThread, isWatched, fitsNothing: await namesNothing(context, about) },
  )
}

/** Whether no health check has a name that fits; false also where that cannot be told. */
export const namesNothing = async (context: CommandContext, about: MuteSubject): Promise<boolean> =>
  about.kind === 'name' &&
  (await fitsNothing(context, { include: [{ field: 'name', pattern: about.pattern }], exclude: [] }))

/** A mute whose time is over is stored until people were told what it kept back. */
export const isInForce = ({ until }: Pick<Mute, 'until'>, now: Date): boolean => !until || until > now

async function permitForEver(context: CommandContext, about: MuteSubject): Promise<void> {
  if ((await context.roles()).has('admin')) return
  await context.refused({ verb: '/hc mute', object: `for ever ${subjectName(about)}` })
  throw new UserError(
    'Only admins may mute for ever, because nobody is reminded of it. Type for how long, or a date.',
  )
}

/** Ends mutes of the channel: of one subject, one by its id, or all; asks which, where none is named. Throws UserError when nothing of the kind is muted. */
export async function unmuteHere(
  { watching }: WatchParts,
  context: CommandContext,
  subject: TypedSubject | undefined,
): Promise<Message> {
  const ended = await context.keep('ended', () => mutesOf({ watching }, context, subject))
  const holding = await context.keep('holding', () => holdingAfter({ watching }, context, ended))
  for (const { id, about, channelId } of ended)
    await context.change(
      {
        verb: '/hc unmute',
        object: `mute ${id}`,
        objectName: subjectName(about),
        before: { channelId, about },
        isRepeatable: true,
      },
      async () => void (await watching.mutes.end(context.workspaceId, id)),
    )
  return unmutedView(ended, holding, placesHere(context))
}

/** The mutes that still hold for all of one of those that end. */
async function holdingAfter(
  { watching: { mutes } }: Pick<WatchParts, 'watching'>,
  { now }: Pick<CommandContext, 'now'>,
  ended: readonly Mute[],
): Promise<HoldingMute[]> {
  const [first] = ended
  if (!first) return []
  const others = (await mutes.list(first.workspaceId, { channelId: first.channelId })).filter(
    (mute) =>
      mute.environment === first.environment &&
      isInForce(mute, now) &&
      !ended.some(({ id }) => id === mute.id) &&
      ended.some(({ about }) => coversSubject(mute.about, about)),
  )
  return others.map(({ about, until }) => ({ about, ...(until && { until: until.toISOString() }) }))
}

/** Most mutes that are offered. */
const OFFERED = 10

const offerOf = ({ id, about }: Mute) => ({
  label: subjectName(about),
  line: `/hc unmute ${quoted(id)}`,
})

async function mutesOf(
  { watching }: Pick<WatchParts, 'watching'>,
  context: CommandContext,
  subject: TypedSubject | undefined,
): Promise<Mute[]> {
  const byId =
    subject?.kind === 'check' && (await watching.mutes.find(context.workspaceId, subject.words.join(' ')))
  if (byId && (await mayKnow(context))(byId)) return [byId]
  const channelId = await mutedPlace(watching, context)
  const mutes = await watching.mutes.list(context.workspaceId, { channelId })
  const here = mutes.filter(
    (mute) => mute.environment === context.environment && isInForce(mute, context.now),
  )
  if (here.length === 0) throw new UserError('Nothing is muted in this channel.')
  if (subject?.kind === 'all') return here
  if (subject === undefined)
    throw new Question('Which mute is to end?', [
      ...here.slice(0, OFFERED).map(offerOf),
      ...(here.length > 1 ? [{ label: `All ${here.length}`, line: '/hc unmute all' }] : []),
    ])
  const found = here.filter(await isAbout(context, subject, here))
  // Several health checks may have one name.
  if (subject.kind === 'check' && found.length > 1)
    throw new Question(
      `${found.length} health checks called “${subject.words.join(' ')}” are muted here. Which of these mutes is to end?`,
      found.map(({ id, about }) => ({
        label: about.kind === 'check' ? about.uuid : subjectName(about),
        line: `/hc unmute ${quoted(id)}`,
      })),
    )
  if (found.length > 0) return found
  throw new UserError('That is not muted in this channel.', [{ label: 'What is muted', line: '/hc watches' }])
}

/** A muted check keeps the name that it was muted under, even when the service no longer has it. */
async function isAbout(
  context: CommandContext,
  subject: Exclude<TypedSubject, { kind: 'all' }>,
  here: readonly Mute[],
): Promise<(mute: Mute) => boolean> {
  if (subject.kind === 'name')
    return ({ about }) =>
      about.kind === 'name' && about.pattern.toLowerCase() === subject.pattern.toLowerCase()
  const named = subject.words.join(' ').toLowerCase()
  const isSaid = ({ about }: Mute): boolean =>
    about.kind === 'check' && (about.uuid.toLowerCase() === named || about.name.toLowerCase() === named)
  if (here.some(isSaid)) return isSaid
  const uuid = await findCheckId(context, subject.words, (found) => `/hc unmute ${quoted(found)}`)
  return ({ about }) => about.kind === 'check' && about.uuid.toLowerCase() === uuid
}

/**
 * What is typed as the subject of a mute, or of anything else about checks by their names. Throws what `findCheck` throws; the
 * checks that it offers are put into `lineFor` with all else that was typed.
 */
export async function subjectOf(
  context: CommandContext,
  subject: TypedSubject,
  lineFor: (uuid: string) => string,
): Promise<MuteSubject> {
  if (subject.kind !== 'check') return subject
  const { uuid, name } = await findCheck(context, subject.words, lineFor)
  return { kind: 'check', uuid, name }
}
