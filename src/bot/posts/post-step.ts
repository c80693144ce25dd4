import { LeaseLost, type LookupResult } from '@signalman/durable'
import { Notice, newId, UserError } from '@signalman/runtime'
import {
  type ChannelRefusal,
  classifyFailure,
  isDirect,
  type PostOptions,
  type SlackClient,
  wasRejected,
} from '@signalman/slack'
import type { AuditDetails, CommandContext } from '../routes/command-context.ts'
import { createSendDeadlineCheck, PostOutcomeUnknown } from './post-once.ts'

type StepContext = Pick<CommandContext, 'change' | 'once' | 'slack' | 'begunAt'>

interface Destination {
  channelId: string
  threadTs?: string | undefined
}

/**
 * Posts a message as a step of an act, and resolves with its ts. If Slack's response is lost or the process dies, looks for the
 * message by its post ID, so the outcome becomes known if the app may read the channel.
 */
export async function postStep(
  context: StepContext,
  details: AuditDetails,
  { channelId, threadTs }: Destination,
  post: (slack: SlackClient, options: Required<PostOptions>) => Promise<string>,
): Promise<string> {
  const postId = await context.once('mark', async () => newId())
  async function lookUp(): Promise<LookupResult<string>> {
    try {
      const ts = await (await context.slack()).findPosted({
        channelId,
        threadTs,
        postId,
        since: context.begunAt,
      })
      return ts === undefined ? 'not-done' : { outcome: ts }
    } catch (error) {
      // The app isn't allowed to look here, now or later.
      if (wasRejected(error)) return 'unknown'
      throw error
    }
  }
  return context.change({ ...details, lookUp }, async () => {
    // The deadline counts from the start of the step, like a later lookup.
    const beforeRequest = createSendDeadlineCheck(NO_LEASE)
    return post(await context.slack(), { postId, beforeRequest }).catch((error) =>
      rethrowExplained(error, channelId),
    )
  })
}

/** No lease is checked here, because a process that takes over the act looks for the post first. */
const NO_LEASE = { signal: new AbortController().signal }

/** Explains why Slack refuses posts in a channel. */
const REFUSED: Record<ChannelRefusal, string> = {
  archived: 'This channel is archived, so Signalman can’t post in it.',
  'not-in-channel':
    'Signalman isn’t in this channel, so it can’t post here. Invite it with /invite, then try again.',
  refused: 'Slack doesn’t allow Signalman to post in this channel.',
}

/** Slack returns the same error for a DM between two other people, but an app can't be invited there. */
const DM_BETWEEN_OTHERS =
  'Signalman isn’t part of this conversation and can’t be added to a DM between two people. Run the command in a channel.'

/** The error that explains Slack's refusal of a channel. */
export const createChannelRefusal = (channelId: string, reason: ChannelRefusal): UserError =>
  new UserError(reason === 'not-in-channel' && isDirect(channelId) ? DM_BETWEEN_OTHERS : REFUSED[reason])

function rethrowExplained(error: unknown, channelId: string): never {
  if (error instanceof LeaseLost)
    throw new Notice('Slack is slow, so the message couldn’t be sent in time. Nothing was posted. Try again.')
  if (PostOutcomeUnknown.matches(error)) throw new PostOutcomeUnknown(error)
  const failure = classifyFailure(error)
  if (failure.kind === 'channel-unavailable') throw createChannelRefusal(channelId, failure.reason)
  if (failure.kind === 'bad-message')
    throw new UserError(
      'Slack rejected this message, because it’s too long or has content that Slack doesn’t support.',
    )
  if (failure.kind !== 'rate-limited') throw error
  const seconds = Math.ceil(failure.retryMs / 1000)
  throw new UserError(
    `Slack is rate limiting Signalman for ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
  )
}
