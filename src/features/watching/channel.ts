import { Question, UserError } from '@signalman/runtime'
import { isDirect, message, saidNo, section } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { WatchStore } from './rows/watching.ts'
import { formatThreadPlace, getChannelId, getOwner, type OwnedInChannel } from './rules/watch.ts'

/** The current channel. Throws UserError outside a channel. */
export function channelHere({ channelId }: Pick<CommandContext, 'channelId'>): string {
  if (channelId) return channelId
  throw new UserError('There’s no channel here. Type this in the channel that you mean.')
}

/** The current thread, as a place that a watch can post in. */
export const threadHere = ({
  channelId,
  threadTs,
}: Pick<CommandContext, 'channelId' | 'threadTs'>): string | undefined =>
  channelId && threadTs ? formatThreadPlace(channelId, threadTs) : undefined

/** What “this” refers to: the current channel, and the current thread. */
export const placesHere = (context: Pick<CommandContext, 'channelId' | 'threadTs'>) =>
  [context.channelId, threadHere(context)] as const

/** Where a mute applies: the current thread if it has watches of its own, otherwise the channel. */
export async function resolveMutePlace(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Pick<CommandContext, 'workspaceId' | 'channelId' | 'threadTs'>,
): Promise<string> {
  const thread = threadHere(context)
  const own = thread ? await watches.list(context.workspaceId, { channelId: thread }) : []
  return thread && own.length > 0 ? thread : channelHere(context)
}

/** Where a watch posts: the person's direct messages, the named channel, or the current thread or channel. Throws UserError. */
export async function resolveWatchChannel(
  context: CommandContext,
  { me, channel }: { me?: true | undefined; channel?: string | undefined },
): Promise<string> {
  if (!me) return channel ?? threadHere(context) ?? channelHere(context)
  const known = await (await context.slack()).directChannelOf(context.userId)
  if (known) return known
  // Slack opens the conversation with the first message.
  const words = 'What you watch just for yourself is posted here.'
  return (await context.sendDirect(context.userId, message(words, section(words)))).channelId
}

/** Direct messages are visible to their owner and to admins only. */
export async function createVisibilityCheck(
  context: Pick<CommandContext, 'userId' | 'roles'>,
): Promise<(one: OwnedInChannel) => boolean> {
  const isAdmin = (await context.roles()).has('admin')
  return (one) => isAdmin || !isDirect(one.channelId ?? '') || getOwner(one) === context.userId
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
  { isSure, line }: { isSure: boolean; line: string },
): Promise<boolean> {
  const channelId = getChannelId(place)
  const slack = await context.slack()
  const that = channelId === context.channelId ? 'This' : 'That'
  const notInChannel = `Signalman isn’t in ${that.toLowerCase()} channel, so it can’t post in it. Invite it with /invite, then try again.`
  const channel = await slack.channelOf(channelId).catch((error: unknown) => {
    if (saidNo(error)) throw new UserError(notInChannel)
    throw error
  })
  if (channel.isArchived) throw new UserError(`${that} channel is archived, so Signalman can’t post in it.`)
  if (!channel.isMember) throw new UserError(notInChannel)
  if (channelId !== context.channelId && !(await slack.isInChannel(channelId, context.userId)))
    throw new UserError('You aren’t in that channel, so you can’t change what it watches. Join it first.')
  if (!channel.isSharedOutside || isSure) return channel.isSharedOutside
  await watches.pauseSharedChannel(context.workspaceId, channelId, { now: context.now, isNews: false })
  throw new Question(
    `${that} channel is shared with another organization, and everyone in it would see what is down. Post there anyway?`,
    [{ label: 'Post anyway', line: `${line} --yes` }],
  )
}
