import { Question, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { ENVIRONMENT_NAMES } from '../../../domain/environment.ts'
import { findCheckId } from '../../../domain/find-check.ts'
import { quoted } from '../../../domain/quoting.ts'
import { createVisibilityCheck, placesHere, resolveMutePlace } from '../channel.ts'
import type { WatchStore } from '../rows/watching.ts'
import { isRunning, type Silence } from '../rules/silence.ts'
import { withStateAt } from '../rules/silence-windows.ts'
import { getThreadTs } from '../rules/watch.ts'
import { describeSubject } from '../views/words.ts'
import type { TypedSubject } from './parse/mute.ts'
import { endedView, nothingMuted, type SilenceLeft } from './views/silence-outcomes.ts'

type Stored = Pick<WatchStore, 'silences' | 'watches'>

const OVER = 'That silence has already ended, or was called off. Nothing was changed.'

/**
 * Ends the channel's mutes in the current environment: of one subject, or all of them; asks which one if none is named. Ends
 * any silence by its ID. “All” never ends maintenance, or a silence of another channel or environment; the answer lists
 * those. Throws UserError if nothing matches, or the person is neither the owner nor an operator.
 */
export async function unmute(
  stored: Stored,
  context: CommandContext,
  subject: TypedSubject | undefined,
): Promise<Message> {
  return endEach(
    stored,
    context,
    await context.keep('ended', () => findMutesToEnd(stored, context, subject)),
    {
      isPlan: true,
    },
  )
}

/**
 * Ends one silence by its ID, or calls it off. Without `isPlan`, ends only the current window of a recurring one. Throws
 * UserError.
 */
export async function endSilence(
  stored: Stored,
  context: CommandContext,
  planId: string,
  how: { isPlan: boolean },
): Promise<Message> {
  const ended = await context.keep('ended', async () => {
    const found = await findById(stored, context, planId)
    // The window that the button was about may be over, and the next one has to stay.
    return found && (how.isPlan || found.hasBegun) ? [found] : []
  })
  if (ended.length === 0) throw new UserError(OVER)
  return endEach(stored, context, ended, how)
}

/** A silence to end, as the operation stores it. */
export interface EndedSilence
  extends Pick<
    Silence,
    'id' | 'planId' | 'kind' | 'about' | 'environment' | 'channelId' | 'every' | 'ownerId'
  > {
  readonly hasBegun: boolean
}

const toEndedSilence = (silence: Silence, now: Date): EndedSilence => {
  const { id, planId, kind, about, environment, channelId, every, ownerId } = silence
  return {
    ...{ id, planId, kind, about, environment, channelId, every, ownerId },
    hasBegun: withStateAt(silence, now).state === 'running',
  }
}

async function findById(
  { silences }: Stored,
  context: CommandContext,
  planId: string,
): Promise<EndedSilence | undefined> {
  const found = await silences.find(context.workspaceId, planId)
  return found && (await createVisibilityCheck(context))(found)
    ? toEndedSilence(found, context.now)
    : undefined
}

async function endEach(
  stored: Stored,
  context: CommandContext,
  ended: readonly EndedSilence[],
  { isPlan }: { isPlan: boolean },
): Promise<Message> {
  await requireRightToEnd(context, ended)
  const { workspaceId, now } = context
  for (const { id, planId, kind, about, channelId, environment } of ended)
    await context.change(
      {
        verb: kind === 'mute' ? '/hc unmute' : '/hc maintenance-end',
        object: `${kind} ${planId}`,
        objectName: describeSubject(about),
        environment,
        before: { channelId: channelId ?? 'every channel', about },
        ...(kind === 'maintenance' && { after: isPlan ? 'ended' : 'this one ended' }),
        isRepeatable: true,
      },
      async () => void (await stored.silences.end(workspaceId, id, { isPlan, now })),
    )
  const left = await context.keep('left', () => listSilencesLeft(stored, context, ended))
  return endedView(ended, left, { isPlan, here: placesHere(context) })
}

async function requireRightToEnd(context: CommandContext, ended: readonly EndedSilence[]): Promise<void> {
  const others = ended.filter(({ ownerId }) => ownerId !== context.userId)
  if (others.length === 0 || (await context.roles()).has('operator')) return
  const [{ kind } = { kind: 'mute' as const }] = others
  await context.refused({
    verb: kind === 'mute' ? '/hc unmute' : '/hc maintenance-end',
    object: others.map(({ about }) => describeSubject(about)).join(', '),
  })
  throw new UserError(
    kind === 'mute'
      ? 'Only the person who muted this, operators, and admins can end it.'
      : 'Only the person who planned this, operators, and admins can end it.',
  )
}

/** The silences that still apply to the channel, in both environments. */
async function listSilencesLeft(
  { silences }: Stored,
  { workspaceId, now, channelId: asked }: Pick<CommandContext, 'workspaceId' | 'now' | 'channelId'>,
  ended: readonly Pick<EndedSilence, 'id' | 'channelId'>[],
  channelId = ended[0]?.channelId ?? asked,
): Promise<SilenceLeft[]> {
  if (channelId === undefined) return []
  const left = await silences.list(workspaceId, { channelId })
  return left
    .filter((one) => isRunning(one, now) && !ended.some(({ id }) => id === one.id))
    .map(({ kind, about, environment, channelId: at, to }) => ({
      ...{ kind, about, environment, channelId: at },
      ...(to && { until: to.toISOString() }),
    }))
}

const OFFERED = 8

async function findMutesToEnd(
  stored: Stored,
  context: CommandContext,
  subject: TypedSubject | undefined,
): Promise<EndedSilence[]> {
  const { workspaceId, environment, now } = context
  if (subject?.kind === 'check') {
    const planId = subject.words.join(' ')
    const byId = await findById(stored, context, planId)
    if (byId) return [byId]
    if (await stored.silences.isKnown(workspaceId, planId)) throw new UserError(OVER)
  }
  const channelId = await resolveMutePlace(stored, context)
  const mutes = await stored.silences.list(workspaceId, { channelId, environment, kind: 'mute' })
  const here = mutes.filter((mute) => mute.channelId === channelId)
  const none = [{ label: 'What is silenced', line: '/hc watches' }]
  if (here.length === 0)
    throw new UserError(
      nothingMuted(environment, channelId, await listSilencesLeft(stored, context, [], channelId)),
      none,
    )
  const ended = (found: readonly Silence[]): EndedSilence[] => found.map((one) => toEndedSilence(one, now))
  if (subject?.kind === 'all') return ended(here)
  if (subject === undefined)
    throw new Question('Which mute should end?', [
      ...here.slice(0, OFFERED).map(({ planId, about }) => ({
        label: describeSubject(about),
        line: `/hc unmute ${quoted(planId)}`,
      })),
      ...(here.length > 1
        ? [{ label: `All ${here.length}`, line: `/hc unmute all --env ${environment}` }]
        : []),
    ])
  const found = here.filter(await isNamed(context, subject, here))
  // Several health checks may have the same name.
  const uuids = new Set(found.flatMap(({ about }) => (about.kind === 'check' ? [about.uuid] : [])))
  if (subject.kind === 'check' && uuids.size > 1)
    throw new Question(
      `${uuids.size} health checks called “${subject.words.join(' ')}” are muted here. Which mute should end?`,
      found.map(({ planId, about }) => ({
        label: about.kind === 'check' ? about.uuid : describeSubject(about),
        line: `/hc unmute ${quoted(planId)}`,
      })),
    )
  if (found.length > 0) return ended(found)
  throw new UserError(
    `That isn’t muted in this ${getThreadTs(channelId) ? 'thread' : 'channel'} in ${ENVIRONMENT_NAMES[environment]}.`,
    none,
  )
}

/** A mute keeps the check's name even if the service no longer has the check. */
async function isNamed(
  context: CommandContext,
  subject: Exclude<TypedSubject, { kind: 'all' }>,
  here: readonly Silence[],
): Promise<(mute: Silence) => boolean> {
  if (subject.kind === 'name')
    return ({ about }) =>
      about.kind === 'name' && about.pattern.toLowerCase() === subject.pattern.toLowerCase()
  const named = subject.words.join(' ').toLowerCase()
  const isMatch = ({ about }: Silence): boolean =>
    about.kind === 'check' && (about.uuid.toLowerCase() === named || about.name.toLowerCase() === named)
  if (here.some(isMatch)) return isMatch
  const uuid = await findCheckId(context, subject.words, (found) => `/hc unmute ${quoted(found)}`)
  return ({ about }) => about.kind === 'check' && about.uuid.toLowerCase() === uuid
}
