import { Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type {
  ActSteps,
  AuditNotes,
  CommandContext,
  Requester,
  Rights,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import { isFirstRun } from '../../../bot/routes/first-run.ts'
import { hashVersion } from '../../../bot/windows/window-states.ts'
import { ENVIRONMENT_NAMES, type Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { formatList } from '../../../domain/wording.ts'
import {
  createEndFilter,
  getCurrentChannels,
  requireCurrentChannel,
} from '../channel.ts'
import type { WatchStore } from '../rows/watching.ts'
import { compareSubjects } from '../rules/combined-silence.ts'
import { isRunning, type Silence, type SilenceSubject, toSubjectKey } from '../rules/silence.ts'
import { withStateAt } from '../rules/silence-windows.ts'
import { describeSubject } from '../views/words.ts'
import type { TypedSubject } from './parse/subject.ts'
import { resolveSubject } from './silence-subject.ts'
import { endedView, offerToEnd } from './views/silence-outcomes.ts'

type Stores = Pick<WatchStore, 'silences' | 'watches'>

/**
 * Ends the mute of a subject in the current channel and environment, or all mutes there. If the subject is the ID of a mute or
 * a maintenance window, ends that one in any channel. Without a subject, asks which mute to end. If there is no such mute, but
 * something else silences the subject, offers to end that. Throws UserError if nothing does, or if the person is neither the owner
 * nor an operator, and Question if a button for all mutes (`seen`) is pressed after they changed.
 */
export async function unmute(
  stores: Stores,
  context: CommandContext,
  typedSubject: TypedSubject | undefined,
  seen: string | undefined,
): Promise<Message> {
  const ended = await context.remember('ended', () => findMutesToEnd(stores, context, typedSubject, seen))
  return endEach(stores, context, ended, { endsRecurrence: true })
}

/**
 * Ends or cancels one silence by its ID. If it recurs, `endsRecurrence` also cancels all later windows. Without it, only the
 * current window ends. Throws UserError.
 */
export async function endSilence(
  stores: Stores,
  context: Requester & Rights & ActSteps & AuditNotes,
  planId: string,
  options: { endsRecurrence: boolean },
): Promise<Message> {
  const ended = await context.remember('ended', async () => {
    const found = await stores.silences.find(context.workspaceId, planId)
    const silence = found && toSilenceToEnd(found, context.now)
    // The window that the button was for may be over. The next window must not be canceled instead.
    if (silence && (options.endsRecurrence || silence.hasBegun)) return [silence]
    throw await createAlreadyEnded(stores, context, planId)
  })
  return endEach(stores, context, ended, options)
}

/** Finds a maintenance by its ID. Undefined if the text isn't one. Throws UserError if it has ended. */
export async function findPlan(
  stores: Stores,
  context: Requester & Rights,
  planId: string,
): Promise<Silence | undefined> {
  const found = await stores.silences.find(context.workspaceId, planId)
  if (!found && (await stores.silences.findLatest(context.workspaceId, planId)))
    throw await createAlreadyEnded(stores, context, planId)
  return found
}

/** A silence to end, as JSON stored with the request, so that a retry after a crash ends the same ones. */
export type SilenceToEnd = ReturnType<typeof toSilenceToEnd>

const toSilenceToEnd = (silence: Silence, now: Date) => {
  const { id, planId, kind, subject, environment, channelId, every, ownerId } = silence
  const hasBegun = withStateAt(silence, now).state === 'running'
  return { id, planId, kind, subject, environment, channelId, every, ownerId, hasBegun }
}

async function endEach(
  stores: Stores,
  context: Requester & Rights & ActSteps & AuditNotes,
  silencesToEnd: readonly SilenceToEnd[],
  { endsRecurrence }: { endsRecurrence: boolean },
): Promise<Message> {
  await requireRightToEnd(context, silencesToEnd)
  const { workspaceId, now } = context
  const isFirst = await isFirstRun(context)
  const ended: SilenceToEnd[] = []
  for (const silence of silencesToEnd) {
    const { id, planId, kind, subject, channelId, environment } = silence
    const after = kind === 'maintenance' ? (endsRecurrence ? 'ended' : 'current window ended') : undefined
    const isEnded = await context.change<boolean>(
      {
        verb: kind === 'mute' ? '/hc unmute' : '/hc maintenance-end',
        object: `${kind} ${planId}`,
        objectName: describeSubject(subject),
        environment,
        before: { channelId: channelId ?? 'every channel', subject },
        after: (done?: boolean) => (done === false ? 'had already ended' : after),
        isRepeatable: true,
      },
      () => stores.silences.end(workspaceId, id, { endsRecurrence, now }),
    )
    if (isEnded || !isFirst) ended.push(silence)
  }
  const [first] = silencesToEnd
  if (first && ended.length === 0) throw await createAlreadyEnded(stores, context, first.planId)
  const running = await listRunning(stores, context, first?.channelId ?? context.channelId)
  const remaining = running.filter(({ id }) => ended.every((silence) => silence.id !== id))
  const mayEnd = await createEndFilter(context)
  return endedView(ended, remaining, { endsRecurrence, here: getCurrentChannels(context), mayEnd })
}

/** Throws UserError if the person is neither the owner of all these silences nor an operator. */
async function requireRightToEnd(
  context: Pick<Requester, 'userId'> & Rights & AuditNotes,
  silencesToEnd: readonly SilenceToEnd[],
): Promise<void> {
  const mayEnd = await createEndFilter(context)
  const ownedByOthers = silencesToEnd.filter((silence) => !mayEnd(silence))
  if (ownedByOthers.length === 0) return
  const isMute = ownedByOthers[0]?.kind === 'mute'
  await context.recordRefusal({
    verb: isMute ? '/hc unmute' : '/hc maintenance-end',
    object: ownedByOthers.map(({ subject }) => describeSubject(subject)).join(', '),
  })
  throw new UserError(
    `Only the person who ${isMute ? 'muted' : 'planned'} this, operators, and admins can end it.`,
  )
}

/** Lists the silences that are in force in a channel, in both environments. */
async function listRunning(
  { silences }: Stores,
  { workspaceId, now }: Pick<CommandContext, 'workspaceId' | 'now'>,
  channelId: string | undefined,
): Promise<Silence[]> {
  if (channelId === undefined) return []
  return (await silences.list(workspaceId, { channelId })).filter((silence) => isRunning(silence, now))
}

const MAX_CHOICES = 8
const WHAT_IS_SILENCED = { label: 'What is silenced', line: '/hc watches' }

async function findMutesToEnd(
  stores: Stores,
  context: Requester & ServiceAccess & Rights & AuditNotes,
  typed: TypedSubject | undefined,
  seen: string | undefined,
): Promise<SilenceToEnd[]> {
  const { workspaceId, environment, now } = context
  if (typed?.kind === 'check') {
    const planId = typed.values.check ?? ''
    const byId = await stores.silences.find(workspaceId, planId)
    if (byId) return [toSilenceToEnd(byId, now)]
    if (await stores.silences.findLatest(workspaceId, planId))
      throw await createAlreadyEnded(stores, context, planId)
  }
  const channelId = requireCurrentChannel(context)
  const running = await listRunning(stores, context, channelId)
  const mutes = running.filter(
    (silence) =>
      silence.kind === 'mute' && silence.environment === environment && silence.channelId === channelId,
  )
  const mayEnd = await createEndFilter(context)
  const hasChanged = seen !== undefined && seen !== hashMutes(mutes)
  if ((typed === undefined || hasChanged) && mutes.length > 0) {
    const own = mutes.filter(mayEnd)
    if (own.length === 0)
      await requireRightToEnd(
        context,
        mutes.map((mute) => toSilenceToEnd(mute, now)),
      )
    throw askWhichMute(context, own, { areAll: own.length === mutes.length, hasChanged })
  }
  const subject = typed && (await resolveUnmuted(context, typed, mutes))
  const found = findMutesOf(subject, mutes)
  if (found.length > 0) return found.map((silence) => toSilenceToEnd(silence, now))
  throw createNotMuted(context, { subject, running, mayEnd })
}

/** The mutes to end for a subject. `all` ends every mute, because one that stays would surprise. */
const findMutesOf = (subject: SilenceSubject | undefined, mutes: readonly Silence[]): readonly Silence[] =>
  subject?.kind === 'all'
    ? mutes
    : mutes.filter((mute) => subject && toSubjectKey(mute.subject) === toSubjectKey(subject))

const hashMutes = (mutes: readonly Silence[]): string =>
  hashVersion(mutes.map(({ planId }) => planId).toSorted())

function askWhichMute(
  { environment }: Pick<Requester, 'environment'>,
  mutes: readonly Silence[],
  { areAll, hasChanged }: { areAll: boolean; hasChanged: boolean },
): Question {
  const changed = hasChanged
    ? 'Other mutes are in this channel now than when you were asked, so none was ended. '
    : ''
  return new Question(`${changed}Which mute do you want to end?`, [
    ...mutes.slice(0, MAX_CHOICES).map(({ planId, subject }) => ({
      label: describeSubject(subject),
      line: `/hc unmute ${quoted(planId)}`,
    })),
    ...(areAll && mutes.length > 1
      ? [
          {
            label: `All ${mutes.length}`,
            line: `/hc unmute all --seen ${hashMutes(mutes)} --env ${environment}`,
          },
        ]
      : []),
  ])
}

/**
 * Looks up the typed check of an unmute. Compares its name with the names stored in the mutes first, because the service may no
 * longer have the check. Throws a Question if several muted checks have that name.
 */
async function resolveUnmuted(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  typed: TypedSubject,
  mutes: readonly Silence[],
): Promise<SilenceSubject> {
  if (typed.kind !== 'check') return typed
  const { uuid, check: name = '' } = typed.values
  const typedName = foldName(uuid ?? name)
  const named = mutes.flatMap(({ subject, planId }) =>
    subject.kind === 'check' && [subject.uuid, subject.name].some((text) => foldName(text) === typedName)
      ? [{ subject, planId }]
      : [],
  )
  if (named.length > 1)
    throw new Question(
      `${named.length} health checks named “${name}” are muted here. Which mute do you want to end?`,
      named.map(({ subject, planId }) => ({ label: subject.uuid, line: `/hc unmute ${quoted(planId)}` })),
    )
  const [only] = named
  if (only) return only.subject
  return resolveSubject(context, typed, (found) => `/hc unmute ${found}`)
}

/** Explains that nothing was ended, and offers to end what silences the subject, in this environment or else in the other. */
function createNotMuted(
  { environment }: Pick<Requester, 'environment'>,
  {
    subject = { kind: 'all' },
    running,
    mayEnd,
  }: {
    subject: SilenceSubject | undefined
    running: readonly Silence[]
    mayEnd: (silence: Silence) => boolean
  },
): Error {
  const covering = running.filter((silence) => compareSubjects(silence.subject, subject) !== 'none')
  const here = covering.filter((silence) => silence.environment === environment)
  // Mutes first, because that is what they asked to end.
  const offered = (here.length > 0 ? here : covering).toSorted(
    (left, right) => Number(right.kind === 'mute') - Number(left.kind === 'mute'),
  )
  const what = subject.kind === 'all' ? 'Everything' : `“${describeSubject(subject)}”`
  if (offered.length === 0)
    return new UserError(
      `${subject.kind === 'all' ? 'Nothing is silenced' : `${what} isn’t silenced`} in this channel (${ENVIRONMENT_NAMES[environment]}).`,
      [WHAT_IS_SILENCED],
    )
  const named = offered.slice(0, MAX_CHOICES)
  const names = formatList(offered, MAX_CHOICES, (silence) => offerToEnd(silence, environment).name)
  const hasMore = offered.length > named.length
  return offerSilences(
    `${what === 'Everything' ? 'There’s no mute' : `${what} has no mute of its own`} in this channel (${ENVIRONMENT_NAMES[environment]}). These silences apply: ${names}.`,
    { offered: named.filter(mayEnd), question: 'Do you want to end one?', environment, hasMore },
  )
}

/** Says what is silenced, and offers to end what the person may end. */
function offerSilences(
  text: string,
  {
    offered,
    question,
    environment,
    hasMore = false,
  }: { offered: readonly Silence[]; question: string; environment: Environment; hasMore?: boolean },
): Error {
  const more = hasMore ? [WHAT_IS_SILENCED] : []
  if (offered.length === 0)
    return new UserError(`${text} Only operators and whoever silenced it can end that.`, more)
  const offers = offered.map((silence) => offerToEnd(silence, environment))
  return new Question(`${text} ${question}`, [...offers.map(({ label, line }) => ({ label, line })), ...more])
}

/** Explains that a silence has ended, and offers to end what still covers the same checks, such as a newer mute of them. */
async function createAlreadyEnded(
  stores: Stores,
  context: Requester & Rights,
  planId: string,
): Promise<Error> {
  const text = 'That silence has already ended, or was canceled.'
  const ended = await stores.silences.findLatest(context.workspaceId, planId)
  if (!ended) return new UserError(`${text} Nothing was changed.`)
  const running = await listRunning(stores, context, ended.channelId ?? context.channelId)
  const covering = running
    .filter(
      ({ subject, environment }) =>
        environment === ended.environment && compareSubjects(subject, ended.subject) !== 'none',
    )
    .slice(0, MAX_CHOICES)
  if (covering.length === 0) return new UserError(`${text} Nothing was changed.`)
  const { environment } = context
  const names = covering.map((silence) => offerToEnd(silence, environment).name).join(', ')
  const isWholly = covering.some(({ subject }) => compareSubjects(subject, ended.subject) === 'all')
  const what = `${isWholly ? '' : 'Some of '}“${describeSubject(ended.subject)}”`
  return offerSilences(`${text} ${what} is still silenced by ${names}.`, {
    offered: covering.filter(await createEndFilter(context)),
    question: 'Do you want to end that?',
    environment,
  })
}
