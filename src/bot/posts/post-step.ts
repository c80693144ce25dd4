import { type Found, LeaseLost } from '@signalman/durable'
import { newId, UserError } from '@signalman/runtime'
import {
  type ChannelRefusal,
  isDirect,
  type PostOptions,
  type SlackClient,
  saidNo,
  slackAnswer,
} from '@signalman/slack'
import type { AuditDetails, CommandContext } from '../routes/command-context.ts'
import { PostOutcomeUnknown } from './post-once.ts'
import { standstillGuard } from './poster.ts'

interface Place {
  channelId: string
  threadTs?: string | undefined
}

/**
 * Posts a message as a step of an act, and resolves with its ts. When Slack's answer is lost, or the process dies, it is looked for
 * by its mark: then it is known whether it was posted, where the app may read the channel.
 */
export async function postStep(
  context: Pick<CommandContext, 'change' | 'keep' | 'slack' | 'begunAt'>,
  what: AuditDetails,
  { channelId, threadTs }: Place,
  post: (slack: SlackClient, options: Required<PostOptions>) => Promise<string>,
): Promise<string> {
  const mark = await context.keep('mark', async () => newId())
  async function lookUp(): Promise<Found<string>> {
    try {
      const ts = await (await context.slack()).findPosted({
        channelId,
        threadTs,
        mark,
        since: context.begunAt,
      })
      return ts === undefined ? 'not-done' : { outcome: ts }
    } catch (error) {
      // The app may not look here, and may not a moment later either.
      if (saidNo(error)) return 'unknown'
      throw error
    }
  }
  return context.change({ ...what, lookUp }, async () => {
    // The time counts from the beginning of the step, as it does for a later look-up.
    const beforeRequest = standstillGuard(NEVER_LOST)
    return post(await context.slack(), { mark, beforeRequest }).catch((error) => judged(error, channelId))
  })
}

/** When the act is lost meanwhile, the process that has it then looks the post up. */
const NEVER_LOST = { signal: new AbortController().signal }

/** What a person is told when Slack refuses posts in a channel. */
const REFUSED: Record<ChannelRefusal, string> = {
  archived: 'This channel is archived, so nothing can be posted in it.',
  'not-in-channel':
    'Signalman is not in this channel, so it cannot post here. Invite it with /invite, then try again.',
  refused: 'Slack does not let Signalman post in this channel.',
}

/** Slack has the same word for a conversation of two others, into which nobody can invite an app. */
const OF_TWO =
  'Signalman is not part of this conversation, and Slack lets nobody invite it to one of two people. Do this in a channel.'

/** What to tell of Slack's no to a channel. */
export const refusalIn = (channelId: string, why: ChannelRefusal): UserError =>
  new UserError(why === 'not-in-channel' && isDirect(channelId) ? OF_TWO : REFUSED[why])

function judged(error: unknown, channelId: string): never {
  if (error instanceof LeaseLost)
    throw new UserError('Slack is slow just now, and this could not be sent in time: nothing was posted.')
  if (PostOutcomeUnknown.matches(error)) throw new PostOutcomeUnknown(error)
  const answer = slackAnswer(error)
  if (answer.kind === 'channel-dead') throw refusalIn(channelId, answer.why)
  if (answer.kind === 'bad-message')
    throw new UserError(
      'Slack does not take this message: it is too long for it, or of a kind that it does not show.',
    )
  if (answer.kind !== 'rate-limited') throw error
  const seconds = Math.ceil(answer.retryMs / 1000)
  throw new UserError(
    `Slack takes no more messages from Signalman just now, and asks to be left alone for ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
  )
}
