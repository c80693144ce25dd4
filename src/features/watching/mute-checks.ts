import { newId, Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { ENVIRONMENT_NAMES } from '../../domain/environment.ts'
import { findCheck, findCheckId } from '../../domain/find-check.ts'
import { quoted } from '../../domain/quoting.ts'
import { mayKnow, mutedPlace, placesHere } from './channel.ts'
import { fitsNothing } from './find-checks.ts'
import type { WatchParts } from './keep-watch.ts'
import { isInForce as isUnderWay } from './maintenance/rules.ts'
import { LENGTHS, lengthsOf, type MuteLine, parseUntimed, type TypedSubject } from './parse/mute-line.ts'
import { prefixOf } from './rules/grouping.ts'
import { channelIn, type Mute, type MuteSubject } from './rules/watch.ts'
import { mutedView, nothingMuted, type SilenceLeft, unmutedView } from './views/outcomes.ts'
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
    `For how long should ${about.kind === 'all' ? 'everything' : `“${subjectName(about)}”`} be muted? ${LENGTHS}`,
    [...lengthsOf(subjectTyped(about)), ...(wider ? [{ label, line: `/hc mute ${quoted(wider)}` }] : [])],
  )
}

/** Mutes something in the channel. Throws UserError, also for a person who may not mute forever. */
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
    'Only admins can mute forever, because nobody is reminded of it. Type for how long, or a date.',
  )
}

/**
 * Ends mutes of the channel in the environment that is asked about: of one subject, one by its ID, or all; asks which, where none is
 * named. Never ends maintenance, or a mute of another channel or environment: the answer lists what still silences the channel. Throws
 * UserError when nothing of the kind is muted, and for somebody who is neither the owner nor an operator.
 */
export async function unmuteHere(
  { watching }: WatchParts,
  context: CommandContext,
  subject: TypedSubject | undefined,
): Promise<Message> {
  const ended = await context.keep('ended', () => mutesOf({ watching }, context, subject))
  await permitEnding(context, ended)
  for (const { id, about, channelId, environment } of ended)
    await context.change(
      {
        verb: '/hc unmute',
        object: `mute ${id}`,
        objectName: subjectName(about),
        environment,
        before: { channelId, about },
        isRepeatable: true,
      },
      async () => void (await watching.mutes.end(context.workspaceId, id)),
    )
  const channelId = ended[0]?.channelId ?? ''
  const left = await context.keep('left', () => silencesLeft(watching, context, channelId, ended))
  return unmutedView(ended, left, placesHere(context))
}

async function permitEnding(context: CommandContext, ended: readonly Mute[]): Promise<void> {
  const others = ended.filter(({ by }) => by !== context.userId)
  if (others.length === 0 || (await context.roles()).has('operator')) return
  await context.refused({
    verb: '/hc unmute',
    object: others.map(({ about }) => subjectName(about)).join(', '),
  })
  throw new UserError('Only the person who muted this, operators and admins can end it.')
}

/** What silences a channel, in either environment, besides these mutes. */
async function silencesLeft(
  { mutes, maintenance }: WatchParts['watching'],
  { workspaceId, now }: Pick<CommandContext, 'workspaceId' | 'now'>,
  channelId: string,
  but: readonly Pick<Mute, 'id'>[] = [],
): Promise<SilenceLeft[]> {
  const muted = (await mutes.list(workspaceId, { channelId })).filter(
    (mute) => isInForce(mute, now) && !but.some(({ id }) => id === mute.id),
  )
  const windows = (await maintenance.list(workspaceId, { channelId: channelIn(channelId) })).filter(
    (window) => isUnderWay(window, now),
  )
  return [
    ...muted.map(
      ({ about, environment, until }): SilenceLeft => ({
        ...{ what: 'mute', about, environment },
        ...(until && { until: until.toISOString() }),
      }),
    ),
    ...windows.map(
      ({ about, environment, to, channelId: only }): SilenceLeft => ({
        ...{ what: only === undefined ? 'maintenance everywhere' : 'maintenance', about, environment },
        until: to.toISOString(),
      }),
    ),
  ]
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
  if (here.length === 0)
    throw new UserError(nothingMuted(context.environment, await silencesLeft(watching, context, channelId)), [
      { label: 'What is silenced', line: '/hc watches' },
    ])
  if (subject?.kind === 'all') return here
  if (subject === undefined)
    throw new Question('Which mute should end?', [
      ...here.slice(0, OFFERED).map(offerOf),
      ...(here.length > 1
        ? [{ label: `All ${here.length}`, line: `/hc unmute all --env ${context.environment}` }]
        : []),
    ])
  const found = here.filter(await isAbout(context, subject, here))
  // Several health checks may have one name.
  const uuids = new Set(found.flatMap(({ about }) => (about.kind === 'check' ? [about.uuid] : [])))
  if (subject.kind === 'check' && uuids.size > 1)
    throw new Question(
      `${uuids.size} health checks called “${subject.words.join(' ')}” are muted here. Which mute should end?`,
      found.map(({ id, about }) => ({
        label: about.kind === 'check' ? about.uuid : subjectName(about),
        line: `/hc unmute ${quoted(id)}`,
      })),
    )
  if (found.length > 0) return found
  throw new UserError(`That isn’t muted in this channel in ${ENVIRONMENT_NAMES[context.environment]}.`, [
    { label: 'What is silenced', line: '/hc watches' },
  ])
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
