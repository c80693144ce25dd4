import { Question, UserError } from '@signalman/runtime'
import { isDirect, message, saidNo, section } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { WatchStore } from './rows/watching.ts'
import { type AskedInChannel, channelIn, threadPlace, whose } from './rules/watch.ts'

/** The channel where it is asked. Throws UserError outside a channel. */
export function channelHere({ channelId }: Pick<CommandContext, 'channelId'>): string {
  if (channelId) return channelId
  throw new UserError('There’s no channel here. Type this in the channel that you mean.')
}

/** The thread in which it is asked, as a place that is told. */
export const threadHere = ({
  channelId,
  threadTs,
}: Pick<CommandContext, 'channelId' | 'threadTs'>): string | undefined =>
  channelId && threadTs ? threadPlace(channelId, threadTs) : undefined

/** What “this” means where it is asked: the channel, and the thread in it. */
export const placesHere = (context: Pick<CommandContext, 'channelId' | 'threadTs'>) =>
  [context.channelId, threadHere(context)] as const

/** Where something is muted: the thread in which it is asked, where that is told something by itself; else the channel. */
export async function mutedPlace(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Pick<CommandContext, 'workspaceId' | 'channelId' | 'threadTs'>,
): Promise<string> {
  const thread = threadHere(context)
  const own = thread ? await watches.list(context.workspaceId, { channelId: thread }) : []
  return thread && own.length > 0 ? thread : channelHere(context)
}

/** Where a watch is to tell: the person's direct messages, the channel that is named, or the thread or channel where it is asked. Throws UserError. */
export async function channelAsked(
  context: CommandContext,
  { me, channel }: { me?: true | undefined; channel?: string | undefined },
): Promise<string> {
  if (!me) return channel ?? threadHere(context) ?? channelHere(context)
  const known = await (await context.slack()).directChannelOf(context.userId)
  if (known) return known
  // Slack makes the conversation with its first message.
  const words = 'What you watch just for yourself is posted here.'
  return (await context.tell(context.userId, message(words, section(words)))).channelId
}

/** Whether the person may know of what tells somebody alone, in direct messages: that one may, and admins. */
export async function mayKnow(
  context: Pick<CommandContext, 'userId' | 'roles'>,
): Promise<(one: AskedInChannel) => boolean> {
  const isAdmin = (await context.roles()).has('admin')
  return (one) => isAdmin || !isDirect(one.channelId ?? '') || whose(one) === context.userId
}

/**
 * Makes sure that something may be told in a channel by itself. Throws UserError where the app cannot write and where the person
 * is not, and Question, answered by `line`, where people of another organization would read it too; what nobody has agreed to for
 * them is not told there from then on. Returns whether they do.
 */
export async function permitTelling(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Pick<CommandContext, 'slack' | 'userId' | 'channelId' | 'workspaceId' | 'now'>,
  place: string,
  { isSure, line }: { isSure: boolean; line: string },
): Promise<boolean> {
  const channelId = channelIn(place)
  const slack = await context.slack()
  const channel = await slack.channelOf(channelId).catch((error: unknown) => {
    if (saidNo(error)) throw new UserError(NOT_HERE)
    throw error
  })
  if (channel.isArchived) throw new UserError('This channel is archived, so Signalman can’t post in it.')
  if (!channel.isMember) throw new UserError(NOT_HERE)
  if (channelId !== context.channelId && !(await slack.isInChannel(channelId, context.userId)))
    throw new UserError('You aren’t in that channel, so you can’t change what it watches. Join it first.')
  if (!channel.isSharedOutside || isSure) return channel.isSharedOutside
  await watches.sharedOutside(context.workspaceId, channelId, { now: context.now, isNews: false })
  throw new Question(
    'This channel is shared with another organization, and everyone in it would see what is down. Watch here anyway?',
    [{ label: 'Watch here', line: `${line} --yes` }],
  )
}

const NOT_HERE =
  'Signalman isn’t in this channel, so it can’t post here. Invite it with /invite, then try again.'
