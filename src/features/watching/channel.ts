import { Question, UserError } from '@signalman/runtime'
import { isDirect, message, section, wasRejected } from '@signalman/slack'
import type { CommandContext, Messaging, Requester } from '../../bot/routes/command-context.ts'
import type { WatchStore } from './rows/watching.ts'
import type { Silence } from './rules/silence.ts'
import { formatThreadId, getChannelId , type OwnedRecord } from './rules/watch.ts'

/** The current channel. Throws UserError outside a channel. */
export function requireCurrentChannel({ channelId }: Pick<CommandContext, 'channelId'>): string {
  if (channelId) return channelId
  throw new UserError('There’s no channel here. Run this command in the channel you mean.')
}

/** The ID of the current thread, in the form that watches store. Undefined outside a thread. */
export const getCurrentThread = ({
  channelId,
  threadTs,
}: Pick<CommandContext, 'channelId' | 'threadTs'>): string | undefined =>
  channelId && threadTs ? formatThreadId(channelId, threadTs) : undefined

/** The current channel and thread, which messages call “this channel” and “this thread”. */
export const getCurrentChannels = (context: Pick<CommandContext, 'channelId' | 'threadTs'>) =>
  [context.channelId, getCurrentThread(context)] as const

/** Where a mute applies: the current thread if it has watches of its own, otherwise the channel. */
export async function resolveMuteChannel(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Pick<CommandContext, 'workspaceId' | 'channelId' | 'threadTs'>,
): Promise<string> {
  const thread = getCurrentThread(context)
  const threadWatches = thread ? await watches.list(context.workspaceId, { channelId: thread }) : []
  return thread && threadWatches.length > 0 ? thread : requireCurrentChannel(context)
}

/** Where a watch posts: the person's direct messages, the named channel, or the current thread or channel. Throws UserError. */
export async function resolveWatchChannel(
  context: Requester & Messaging,
  { me, channel }: { me?: true | undefined; channel?: string | undefined },
): Promise<string> {
  if (!me) return channel ?? getCurrentThread(context) ?? requireCurrentChannel(context)
  const existing = await (await context.slack()).findDirectChannel(context.userId)
  if (existing) return existing
  // Slack opens the conversation with the first message.
  const text = 'Signalman posts your personal watches here.'
  return (await context.sendDirect(context.userId, message(text, section(text)))).channelId
}

/**
 * Returns a filter for the watches, silences, and summaries that the person may know of, and end by their ID. Those in direct messages
 * are only for their owner and admins.
 */
export async function createVisibilityFilter(
  context: Pick<CommandContext, 'userId' | 'roles'>,
): Promise<(owned: OwnedRecord) => boolean> {
  const isAdmin = (await context.roles()).has('admin')
  return (owned) => isAdmin || isPublicOrOwn(owned, context.userId)
}

/** Whether others may see what a record is about. Of what is in direct messages, even admins see only whose it is. */
export const isPublicOrOwn = (owned: OwnedRecord, userId: string): boolean =>
  !isDirect(owned.channelId ?? '') || owned.ownerId === userId

/** Returns a filter for the silences that the person may end: their own and, with the operator role, every one. */
export async function createEndFilter(
  context: Pick<CommandContext, 'userId' | 'roles'>,
): Promise<(silence: Pick<Silence, 'ownerId'>) => boolean> {
  const isOperator = (await context.roles()).has('operator')
  return ({ ownerId }) => isOperator || ownerId === context.userId
}

/**
 * Checks that the app may post in the channel. Returns whether the channel is shared with another organization.
 *
 * Throws UserError if the app can't post there or the person isn't in the channel. If the channel is shared and the person hasn't
 * confirmed yet, pauses its watches and throws a Question whose button runs `line` with `--yes`.
 */
export async function requirePostingAllowed(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Pick<CommandContext, 'slack' | 'userId' | 'channelId' | 'workspaceId' | 'now'>,
  channelOrThread: string,
  { isConfirmed, line }: { isConfirmed: boolean; line: string },
): Promise<boolean> {
  const channelId = getChannelId(channelOrThread)
  const slack = await context.slack()
  const thisOrThat = channelId === context.channelId ? 'This' : 'That'
  const notInChannel = `Signalman isn’t in ${thisOrThat.toLowerCase()} channel, so it can’t post in it. Invite it with /invite, then try again.`
  const channel = await slack.readChannel(channelId).catch((error: unknown) => {
    if (wasRejected(error)) throw new UserError(notInChannel)
    throw error
  })
  if (channel.isArchived)
    throw new UserError(`${thisOrThat} channel is archived, so Signalman can’t post in it.`)
  if (!channel.isMember) throw new UserError(notInChannel)
  if (channelId !== context.channelId && !(await slack.isInChannel(channelId, context.userId)))
    throw new UserError('You aren’t in that channel, so you can’t change what it watches. Join it first.')
  if (!channel.isSharedOutside || isConfirmed) return channel.isSharedOutside
  await watches.pauseSharedChannel(context.workspaceId, channelId, {
    now: context.now,
    revokesConsent: false,
  })
  throw new Question(
    `${thisOrThat} channel is shared with another organization, and everyone in it would see what is down. Post there anyway?`,
    [{ label: 'Post anyway', line: `${line} --yes` }],
  )
}
