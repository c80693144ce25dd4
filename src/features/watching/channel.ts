import { Question, UserError } from '@signalman/runtime'
import { isDirect, message, section, wasRejected } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { WatchStore } from './rows/watching.ts'
import { formatThreadPlace, getChannelId, getOwner, type OwnedInChannel } from './rules/watch.ts'

/** The current channel. Throws UserError outside a channel. */
export function requireCurrentChannel({ channelId }: Pick<CommandContext, 'channelId'>): string {
  if (channelId) return channelId
  throw new UserError('There’s no channel here. Run this command in the channel you mean.')
}

/** The current thread, as a place that a watch can post in. */
export const getCurrentThread = ({
  channelId,
  threadTs,
}: Pick<CommandContext, 'channelId' | 'threadTs'>): string | undefined =>
  channelId && threadTs ? formatThreadPlace(channelId, threadTs) : undefined

/** The places that messages can call “this channel” and “this thread”. */
export const getCurrentPlaces = (context: Pick<CommandContext, 'channelId' | 'threadTs'>) =>
  [context.channelId, getCurrentThread(context)] as const

/** Where a mute applies: the current thread if it has watches of its own, otherwise the channel. */
export async function resolveMutePlace(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Pick<CommandContext, 'workspaceId' | 'channelId' | 'threadTs'>,
): Promise<string> {
  const thread = getCurrentThread(context)
  const threadWatches = thread ? await watches.list(context.workspaceId, { channelId: thread }) : []
  return thread && threadWatches.length > 0 ? thread : requireCurrentChannel(context)
}

/** Where a watch posts: the person's direct messages, the named channel, or the current thread or channel. Throws UserError. */
export async function resolveWatchChannel(
  context: CommandContext,
  { me, channel }: { me?: true | undefined; channel?: string | undefined },
): Promise<string> {
  if (!me) return channel ?? getCurrentThread(context) ?? requireCurrentChannel(context)
  const existing = await (await context.slack()).findDirectChannel(context.userId)
  if (existing) return existing
  // Slack opens the conversation with the first message.
  const text = 'Signalman posts your personal watches here.'
  return (await context.sendDirect(context.userId, message(text, section(text)))).channelId
}

/** Returns a test for what the person may see. Only its owner and admins see what belongs to a direct message. */
export async function createVisibilityFilter(
  context: Pick<CommandContext, 'userId' | 'roles'>,
): Promise<(owned: OwnedInChannel) => boolean> {
  const isAdmin = (await context.roles()).has('admin')
  return (owned) => isAdmin || !isDirect(owned.channelId ?? '') || getOwner(owned) === context.userId
}

/**
 * Throws UserError if the app can't post in the channel or the person isn't in it. Throws Question, answered by `line`, if
 * the channel is shared with another organization and nobody has agreed to post there; its watches are paused until someone
 * does. Returns whether it is shared.
 */
export async function requirePostingAllowed(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Pick<CommandContext, 'slack' | 'userId' | 'channelId' | 'workspaceId' | 'now'>,
  place: string,
  { isConfirmed, line }: { isConfirmed: boolean; line: string },
): Promise<boolean> {
  const channelId = getChannelId(place)
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
