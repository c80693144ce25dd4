import { Notice, Question, UserError } from '@signalman/runtime'
import { classifyFailure, isDirect } from '@signalman/slack'
import { createChannelRefusal, throwChannelRefusal } from '../../bot/posts/channel-refusals.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { WatchStore } from './rows/watching.ts'

/** The named channel, or the current one. Undefined in direct messages and in App Home, where no outages are posted. */
export const findChannel = (
  { channelId }: Pick<CommandContext, 'channelId'>,
  { channel = channelId }: { channel?: string | undefined } = {},
): string | undefined => (channel && !isDirect(channel) ? channel : undefined)

/** The same. Throws UserError if there is none. */
export function requireChannel(...where: Parameters<typeof findChannel>): string {
  const channel = findChannel(...where)
  if (channel !== undefined) return channel
  throw new UserError(
    'Signalman posts outages only in channels. Type this in one, or add which: `in #channel`.',
    [ALL_WATCHES],
  )
}

export const ALL_WATCHES = { label: 'All watches', line: '/hc watches --all' }

/** What Slack says about a channel whose watches a person changes, and when it was asked. */
interface CheckedChannel {
  readonly channelId: string
  readonly isSharedOutside: boolean
  readonly askedAt: Date
}

type Asker = Pick<CommandContext, 'slack' | 'userId' | 'channelId' | 'now'>

/** Asks Slack about a channel. Throws UserError if the app can't post there or the person isn't in it. */
export async function requireMember(context: Asker, channelId: string): Promise<CheckedChannel> {
  const slack = await context.slack()
  const name = channelId === context.channelId ? 'this channel' : 'that channel'
  const channel = await slack
    .readChannel(channelId)
    .catch((error: unknown) => throwChannelRefusal(error, channelId, name))
  if (channel.isArchived) throw createChannelRefusal(channelId, 'archived', name)
  if (!channel.isMember) throw createChannelRefusal(channelId, 'not-in-channel', name)
  if (channelId !== context.channelId && !(await slack.isInChannel(channelId, context.userId)))
    throw new UserError(NOT_IN_IT)
  return { channelId, isSharedOutside: channel.isSharedOutside, askedAt: context.now }
}

const NOT_IN_IT = 'You aren’t in that channel, so you can’t change what it watches. Join it first.'

/**
 * Throws UserError if the person may not end what a channel watches or mutes: they aren't in it. Admins may end all of it, and anyone what
 * is in a channel that Signalman can't see.
 */
export async function requireMayEnd(
  context: Asker & Pick<CommandContext, 'roles'>,
  channelIds: readonly (string | undefined)[],
): Promise<void> {
  const others = new Set(channelIds).difference(new Set([undefined, context.channelId]))
  if (others.size === 0 || (await context.roles()).has('admin')) return
  const slack = await context.slack()
  for (const channelId of others) {
    const isIn = await slack.isInChannel(channelId ?? '', context.userId).catch((error: unknown) => {
      if (classifyFailure(error).kind === 'channel-unavailable') return true
      throw error
    })
    if (!isIn) throw new UserError(NOT_IN_IT)
  }
}

/**
 * Returns when an admin agreed just now to post in a channel that is shared with another organization. Undefined if nobody has to. Otherwise
 * throws a Question to admins whose button runs `line` with `--yes`, and UserError to others.
 */
export async function requireAgreement(
  { channels }: Pick<WatchStore, 'channels'>,
  context: Pick<CommandContext, 'channelId' | 'workspaceId' | 'roles' | 'now'>,
  { channelId, isSharedOutside }: CheckedChannel,
  { isConfirmed, line }: { isConfirmed: boolean; line: string },
): Promise<Date | undefined> {
  // Whether the channel became shared since Slack was asked is decided when this is saved.
  if (!isSharedOutside || (await channels.find(context.workspaceId, channelId)).agreedOutsideAt)
    return undefined
  const thisOrThat = channelId === context.channelId ? 'This' : 'That'
  const why = `${thisOrThat} channel is shared with another organization, and everyone in it would see what is down.`
  if (!(await context.roles()).has('admin'))
    throw new UserError(`${why} An admin has to agree to that first.`)
  if (isConfirmed) return context.now
  throw new Question(`${why} Post there anyway?`, [{ label: 'Post anyway', line: `${line} --yes` }])
}

/** Slack said that the channel is shared after it was asked, so whoever agreed didn't know with whom. `line` asks again. */
export const createSharedMeanwhile = (line: string): Notice =>
  new Notice('The channel was shared with another organization just now. Nothing was changed.', [
    { label: 'Try again', line },
  ])
