import { Question, UserError } from '@signalman/runtime'
import { isDirect } from '@signalman/slack'
import { createChannelRefusal, throwChannelRefusal } from '../../bot/posts/channel-refusals.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { WatchStore } from './rows/watching.ts'
import type { Silence } from './rules/silence.ts'

/** The named channel, or the current one. Throws UserError in direct messages and in App Home, where no outages are posted. */
export function requireChannel(
  { channelId }: Pick<CommandContext, 'channelId'>,
  { channel = channelId }: { channel?: string | undefined } = {},
): string {
  if (channel && !isDirect(channel)) return channel
  throw new UserError('Signalman posts outages only in channels. Run this in a channel.')
}

/** The silences that a person may end: their own and, as an operator, others; those of every channel only as an admin. */
export async function createEndFilter(
  context: Pick<CommandContext, 'userId' | 'roles'>,
): Promise<(silence: Pick<Silence, 'ownerId' | 'channelId'>) => boolean> {
  const roles = await context.roles()
  return ({ ownerId, channelId }) =>
    roles.has(channelId === undefined ? 'admin' : 'operator') ||
    (channelId !== undefined && ownerId === context.userId)
}

/** Returns the channel. Throws UserError if the app can't post there or the person isn't in it. */
export async function requireMember(
  { slack: open, userId, channelId: here }: Pick<CommandContext, 'slack' | 'userId' | 'channelId'>,
  channelId: string,
): Promise<{ channelId: string; isSharedOutside: boolean }> {
  const slack = await open()
  const name = channelId === here ? 'this channel' : 'that channel'
  const channel = await slack
    .readChannel(channelId)
    .catch((error: unknown) => throwChannelRefusal(error, channelId, name))
  if (channel.isArchived) throw createChannelRefusal(channelId, 'archived', name)
  if (!channel.isMember) throw createChannelRefusal(channelId, 'not-in-channel', name)
  if (channelId !== here && !(await slack.isInChannel(channelId, userId)))
    throw new UserError('You aren’t in that channel, so you can’t change what it watches. Join it first.')
  return { channelId, isSharedOutside: channel.isSharedOutside }
}

/**
 * Returns when an admin agreed to post although the channel is shared with another organization, which may be now. Undefined if it isn't
 * shared. If no admin has agreed yet, throws a Question to admins whose button runs `line` with `--yes`, and UserError to others.
 */
export async function requireAgreement(
  { watches }: Pick<WatchStore, 'watches'>,
  context: Pick<CommandContext, 'channelId' | 'workspaceId' | 'roles' | 'now'>,
  { channelId, isSharedOutside }: Awaited<ReturnType<typeof requireMember>>,
  { isConfirmed, line }: { isConfirmed: boolean; line: string },
): Promise<Date | undefined> {
  if (!isSharedOutside) return undefined
  const agreed = (await watches.list(context.workspaceId, { channelId })).find(
    (watch) => watch.agreedOutsideAt,
  )
  if (agreed) return agreed.agreedOutsideAt
  const thisOrThat = channelId === context.channelId ? 'This' : 'That'
  const why = `${thisOrThat} channel is shared with another organization, and everyone in it would see what is down.`
  if (!(await context.roles()).has('admin'))
    throw new UserError(`${why} An admin has to agree to that first.`)
  if (isConfirmed) return context.now
  throw new Question(`${why} Post there anyway?`, [{ label: 'Post anyway', line: `${line} --yes` }])
}
