import { type Attempt, attemptId, LeaseLost, type LookupResult } from '@signalman/durable'
import { Notice, UserError } from '@signalman/runtime'
import { classifyFailure, type PostOptions, type SlackClient, wasRejected } from '@signalman/slack'
import { explainRateLimit } from '../request/explain.ts'
import type { AuditDetails, CommandContext } from '../routes/command-context.ts'
import { throwChannelRefusal } from './channel-refusals.ts'
import { createSendDeadlineCheck, PostOutcomeUnknown } from './post-once.ts'

type StepContext = Pick<CommandContext, 'step' | 'slack' | 'begunAt'>

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
  async function lookUp(attempt: Attempt): Promise<LookupResult<string>> {
    try {
      const search = { postId: attemptId(attempt), since: context.begunAt }
      const found = await (await context.slack()).findPosted({ channelId, threadTs }, search)
      return found ? { outcome: found.ts } : 'not-done'
    } catch (error) {
      // The app isn't allowed to look here, now or later.
      if (wasRejected(error)) return 'unknown'
      throw error
    }
  }
  return context.step({ ...details, lookUp, readsFirst: true }, (send) =>
    send(async (attempt) => {
      // The deadline counts from the start of the step, like a later lookup.
      const beforeRequest = createSendDeadlineCheck(NO_LEASE)
      const options = { postId: attemptId(attempt), beforeRequest }
      return post(await context.slack(), options).catch((error) => rethrowExplained(error, channelId))
    }),
  )
}

/** No lease is checked here, because a process that takes over the act looks for the post first. */
const NO_LEASE = { signal: new AbortController().signal }

function rethrowExplained(error: unknown, channelId: string): never {
  if (error instanceof LeaseLost)
    throw new Notice('Slack is slow, so the message couldn’t be sent in time. Nothing was posted. Try again.')
  if (PostOutcomeUnknown.matches(error)) throw new PostOutcomeUnknown(error)
  const failure = classifyFailure(error)
  if (failure.kind === 'bad-message')
    throw new UserError(
      'Slack rejected this message, because it’s too long or has content that Slack doesn’t support.',
    )
  if (failure.kind !== 'rate-limited') throwChannelRefusal(error, channelId)
  const { happened, next } = explainRateLimit(failure.retryMs)
  throw new UserError(`${happened} ${next}`)
}
