import { Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { findCheckId } from '../../../domain/find-check.ts'
import { quoted } from '../../../domain/quoting.ts'
import { createVisibilityFilter, getCurrentChannels, resolveMuteChannel } from '../channel.ts'
import type { WatchStore } from '../rows/watching.ts'
import { isRunning, type Silence } from '../rules/silence.ts'
import { withStateAt } from '../rules/silence-windows.ts'
import { getThreadTs } from '../rules/watch.ts'
import { describeSubject } from '../views/words.ts'
import type { TypedSubject } from './parse/mute.ts'
import { describeNothingMuted, endedView, type RemainingSilence } from './views/silence-outcomes.ts'

type Stores = Pick<WatchStore, 'silences' | 'watches'>

const ALREADY_ENDED = 'That silence has already ended, or was canceled. Nothing was changed.'

/**
 * Ends the mutes of a subject in the current channel and environment, or all mutes there. If the subject is the ID of a mute or
 * a maintenance window, ends that one in any channel. Without a subject, asks which mute to end. The answer lists silences that
 * still apply in the channel. Throws UserError if nothing matches, or if the person is neither the owner nor an operator.
 */
export async function unmute(
  stores: Stores,
  context: CommandContext,
  typedSubject: TypedSubject | undefined,
): Promise<Message> {
  return endEach(
    stores,
    context,
    await context.remember('ended', () => findMutesToEnd(stores, context, typedSubject)),
    { endsRecurrence: true },
  )
}

/**
 * Ends or cancels one silence by its ID. If it recurs, `endsRecurrence` also cancels all later windows. Without it, only the
 * current window ends. Throws UserError.
 */
export async function endSilence(
  stores: Stores,
  context: CommandContext,
  planId: string,
  options: { endsRecurrence: boolean },
): Promise<Message> {
  const ended = await context.remember('ended', async () => {
    const found = await findById(stores, context, planId)
    // The window that the button was for may be over. The next window must not be canceled instead.
    return found && (options.endsRecurrence || found.hasBegun) ? [found] : []
  })
  if (ended.length === 0) throw new UserError(ALREADY_ENDED)
  return endEach(stores, context, ended, options)
}

/** A silence to end, as JSON stored with the request, so that a retry after a crash ends the same ones. */
export interface SilenceToEnd
  extends Pick<
    Silence,
    'id' | 'planId' | 'kind' | 'subject' | 'environment' | 'channelId' | 'every' | 'ownerId'
  > {
  readonly hasBegun: boolean
}

const toSilenceToEnd = (silence: Silence, now: Date): SilenceToEnd => {
  const { id, planId, kind, subject, environment, channelId, every, ownerId } = silence
  return {
    id,
    planId,
    kind,
    subject,
    environment,
    channelId,
    every,
    ownerId,
    hasBegun: withStateAt(silence, now).state === 'running',
  }
}

async function findById(
  { silences }: Stores,
  context: CommandContext,
  planId: string,
): Promise<SilenceToEnd | undefined> {
  const found = await silences.find(context.workspaceId, planId)
  return found && (await createVisibilityFilter(context))(found)
    ? toSilenceToEnd(found, context.now)
    : undefined
}

async function endEach(
  stores: Stores,
  context: CommandContext,
  silencesToEnd: readonly SilenceToEnd[],
  { endsRecurrence }: { endsRecurrence: boolean },
): Promise<Message> {
  await requireRightToEnd(context, silencesToEnd)
  const { workspaceId, now } = context
  for (const { id, planId, kind, subject, channelId, environment } of silencesToEnd)
    await context.change(
      {
        verb: kind === 'mute' ? '/hc unmute' : '/hc maintenance-end',
        object: `${kind} ${planId}`,
        objectName: describeSubject(subject),
        environment,
        before: { channelId: channelId ?? 'every channel', subject },
        ...(kind === 'maintenance' && { after: endsRecurrence ? 'ended' : 'current window ended' }),
        isRepeatable: true,
      },
      async () => void (await stores.silences.end(workspaceId, id, { endsRecurrence, now })),
    )
  const remaining = await context.remember('remaining', () =>
    listRemainingSilences(stores, context, silencesToEnd),
  )
  return endedView(silencesToEnd, remaining, { endsRecurrence, here: getCurrentChannels(context) })
}

/** Throws UserError if the person is neither the owner of all these silences nor an operator. */
async function requireRightToEnd(
  context: CommandContext,
  silencesToEnd: readonly SilenceToEnd[],
): Promise<void> {
  const ownedByOthers = silencesToEnd.filter(({ ownerId }) => ownerId !== context.userId)
  if (ownedByOthers.length === 0 || (await context.roles()).has('operator')) return
  const [{ kind } = { kind: 'mute' as const }] = ownedByOthers
  await context.recordRefusal({
    verb: kind === 'mute' ? '/hc unmute' : '/hc maintenance-end',
    object: ownedByOthers.map(({ subject }) => describeSubject(subject)).join(', '),
  })
  throw new UserError(
    kind === 'mute'
      ? 'Only the person who muted this, operators, and admins can end it.'
      : 'Only the person who planned this, operators, and admins can end it.',
  )
}

/** Lists the running silences, in both environments, that still apply in the channel of the first ended one or in `channelId`. */
async function listRemainingSilences(
  { silences }: Stores,
  {
    workspaceId,
    now,
    channelId: currentChannelId,
  }: Pick<CommandContext, 'workspaceId' | 'now' | 'channelId'>,
  ended: readonly Pick<SilenceToEnd, 'id' | 'channelId'>[],
  channelId = ended[0]?.channelId ?? currentChannelId,
): Promise<RemainingSilence[]> {
  if (channelId === undefined) return []
  const remaining = await silences.list(workspaceId, { channelId })
  return remaining
    .filter((silence) => isRunning(silence, now) && !ended.some(({ id }) => id === silence.id))
    .map(({ kind, subject, environment, channelId: silencedIn, to }) => ({
      kind,
      subject,
      environment,
      channelId: silencedIn,
      ...(to && { until: to.toISOString() }),
    }))
}

const MAX_CHOICES = 8

async function findMutesToEnd(
  stores: Stores,
  context: CommandContext,
  typedSubject: TypedSubject | undefined,
): Promise<SilenceToEnd[]> {
  const { workspaceId, environment, now } = context
  if (typedSubject?.kind === 'check') {
    const planId = typedSubject.words.join(' ')
    const byId = await findById(stores, context, planId)
    if (byId) return [byId]
    if (await stores.silences.isKnown(workspaceId, planId)) throw new UserError(ALREADY_ENDED)
  }
  const channelId = await resolveMuteChannel(stores, context)
  const mutes = await stores.silences.list(workspaceId, { channelId, environment, kind: 'mute' })
  const channelMutes = mutes.filter((mute) => mute.channelId === channelId)
  const suggestions = [{ label: 'What is silenced', line: '/hc watches' }]
  if (channelMutes.length === 0)
    throw new UserError(
      describeNothingMuted(
        environment,
        channelId,
        await listRemainingSilences(stores, context, [], channelId),
      ),
      suggestions,
    )
  const toSilencesToEnd = (found: readonly Silence[]): SilenceToEnd[] =>
    found.map((silence) => toSilenceToEnd(silence, now))
  if (typedSubject?.kind === 'all') return toSilencesToEnd(channelMutes)
  if (typedSubject === undefined)
    throw new Question('Which mute do you want to end?', [
      ...channelMutes.slice(0, MAX_CHOICES).map(({ planId, subject }) => ({
        label: describeSubject(subject),
        line: `/hc unmute ${quoted(planId)}`,
      })),
      ...(channelMutes.length > 1
        ? [{ label: `All ${channelMutes.length}`, line: `/hc unmute all --env ${environment}` }]
        : []),
    ])
  const found = channelMutes.filter(await createNameMatcher(context, typedSubject, channelMutes))
  // Several health checks may have the same name.
  const uuids = new Set(found.flatMap(({ subject }) => (subject.kind === 'check' ? [subject.uuid] : [])))
  if (typedSubject.kind === 'check' && uuids.size > 1)
    throw new Question(
      `${uuids.size} health checks named “${typedSubject.words.join(' ')}” are muted here. Which mute do you want to end?`,
      found.map(({ planId, subject }) => ({
        label: subject.kind === 'check' ? subject.uuid : describeSubject(subject),
        line: `/hc unmute ${quoted(planId)}`,
      })),
    )
  if (found.length > 0) return toSilencesToEnd(found)
  throw new UserError(
    `No mute in this ${getThreadTs(channelId) ? 'thread' : 'channel'} (${ENVIRONMENT_NAMES[environment]}) matches that.`,
    suggestions,
  )
}

/**
 * Returns a filter for the mutes of a typed name or pattern. Compares a check's name with the names stored in the mutes first,
 * because the service may no longer have the check.
 */
async function createNameMatcher(
  context: CommandContext,
  typedSubject: Exclude<TypedSubject, { kind: 'all' }>,
  mutes: readonly Silence[],
): Promise<(mute: Silence) => boolean> {
  if (typedSubject.kind === 'name')
    return ({ subject }) =>
      subject.kind === 'name' && subject.pattern.toLowerCase() === typedSubject.pattern.toLowerCase()
  const typedName = typedSubject.words.join(' ').toLowerCase()
  const isMatch = ({ subject }: Silence): boolean =>
    subject.kind === 'check' &&
    (subject.uuid.toLowerCase() === typedName || subject.name.toLowerCase() === typedName)
  if (mutes.some(isMatch)) return isMatch
  const uuid = await findCheckId(context, typedSubject.words, (found) => `/hc unmute ${quoted(found)}`)
  return ({ subject }) => subject.kind === 'check' && subject.uuid.toLowerCase() === uuid
}
