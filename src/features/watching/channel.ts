import { Question, UserError } from '@signalman/runtime'
import { isDirect, wasRejected } from '@signalman/slack'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Silence } from './rules/silence.ts'

/** The current channel. Throws UserError outside a channel. */
export function requireCurrentChannel({ channelId }: Pick<CommandContext, 'channelId'>): string {
  if (channelId) return channelId
  throw new UserError('There’s no channel here. Run this command in the channel you mean.')
}

/** Where a watch posts: the named channel, or the current one. Throws UserError in direct messages. */
export function resolveWatchChannel(
  context: Pick<CommandContext, 'channelId'>,
  { channel }: { channel?: string | undefined },
): string {
  const channelId = channel ?? requireCurrentChannel(context)
  if (isDirect(channelId))
    throw new UserError('Signalman posts outages only in channels. Run this in a channel.')
  return channelId
}

/** Returns a filter for the silences that the person may end: their own and, with the operator role, every one. */
export async function createEndFilter(
  context: Pick<CommandContext, 'userId' | 'roles'>,
): Promise<(silence: Pick<Silence, 'ownerId'>) => boolean> {
  const isOperator = (await context.roles()).has('operator')
  return ({ ownerId }) => isOperator || ownerId === context.userId
}

/**
 * Checks that the app may post in the channel.
 *
 * Throws UserError if the app can't post there or the person isn't in the channel. If the channel is shared and the person hasn't
 * confirmed yet, throws a Question whose button runs `line` with `--yes`.
 */
export async function requirePostingAllowed(
  context: Pick<CommandContext, 'slack' | 'userId' | 'channelId'>,
  channelId: string,
  { isConfirmed, line }: { isConfirmed: boolean; line: string },
): Promise<void> {
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
  if (!channel.isSharedOutside || isConfirmed) return
  throw new Question(
    `${thisOrThat} channel is shared with another organization, and everyone in it would see what is down. Post there anyway?`,
    [{ label: 'Post anyway', line: `${line} --yes` }],
  )
}
