import { type Attempt, attemptId, LeaseLost, type LookupResult } from '@signalman/durable'
import { Notice, UserError } from '@signalman/runtime'
import {
  classifyFailure,
  type PostedMessage,
  type PostOptions,
  type PostSearch,
  type SlackClient,
  wasRejected,
} from '@signalman/slack'
import { explainRateLimit } from '../request/explain.ts'
import type { AuditDetails, CommandContext } from '../routes/command-context.ts'
import { createChannelRefusal, throwChannelRefusal } from './channel-refusals.ts'
import { createSendDeadlineCheck, PostOutcomeUnknown } from './post-once.ts'

export type StepContext = Pick<CommandContext, 'step' | 'slack' | 'mayPost' | 'begunAt'>

/** Where it's sent: to a channel, a thread, or a person's DM. */
type Destination =
  | { readonly channelId: string; readonly threadTs?: string | undefined }
  | { readonly to: string }

interface SendStep {
  /** Its audit entry. Without one, its name among the steps of the act. */
  readonly details: AuditDetails | string
  readonly destination: Destination
  /** The file that it posts, by which its message is found. */
  readonly fileId?: string | undefined
  /** Whether the person knows that another organization reads the channel. */
  readonly isAgreed?: boolean | undefined
}

/**
 * Sends a message or a file as a step of an act, and resolves with the message. If Slack's response is lost or the process dies, looks
 * for it, so the outcome becomes known if the app may read the channel.
 */
export async function sendStep(
  context: StepContext,
  { details, destination, fileId, isAgreed }: SendStep,
  send: (slack: SlackClient, options: Required<PostOptions>) => Promise<PostedMessage>,
): Promise<PostedMessage> {
  async function lookUp(attempt: Attempt): Promise<LookupResult<PostedMessage>> {
    try {
      const search: PostSearch = { postId: attemptId(attempt), fileId, since: context.begunAt }
      const found = await (await context.slack()).findPosted(destination, search)
      return found ? { outcome: found } : 'not-done'
    } catch (error) {
      // The app isn't allowed to look here, now or later.
      if (wasRejected(error)) return 'unknown'
      throw error
    }
  }
  const audited =
    typeof details === 'string' ? ({ verb: details, object: details, onlyTells: true } as const) : details
  return context.step({ ...audited, lookUp, readsFirst: true }, async (part) => {
    const { channelId } = { channelId: undefined, ...destination }
    const permission = channelId === undefined || isAgreed ? 'yes' : await context.mayPost(channelId)
    if (channelId && permission !== 'yes') throw createChannelRefusal(channelId, permission)
    return part(async (attempt) => {
      // The deadline counts from the start of the step, like a later lookup.
      const beforeRequest = createSendDeadlineCheck(NO_LEASE)
      const options = { postId: attemptId(attempt), beforeRequest }
      return send(await context.slack(), options).catch((error) => rethrowExplained(error, destination))
    })
  })
}

/** No lease is checked here, because a process that takes over the act looks for the post first. */
const NO_LEASE = { signal: new AbortController().signal }

function rethrowExplained(error: unknown, destination: Destination): never {
  if (error instanceof LeaseLost)
    throw new Notice('Slack is slow, so the message couldn’t be sent in time. Nothing was posted. Try again.')
  if (PostOutcomeUnknown.matches(error)) throw new PostOutcomeUnknown(error)
  if (error instanceof UserError) throw error
  const failure = classifyFailure(error)
  if (failure.kind === 'bad-message')
    throw new UserError(
      'Slack rejected this message, because it’s too long or has content that Slack doesn’t support.',
    )
  if (failure.kind !== 'rate-limited') {
    if ('to' in destination) throw error
    throwChannelRefusal(error, destination.channelId)
  }
  const { happened, next } = explainRateLimit(failure.retryMs)
  throw new UserError(`${happened} ${next}`)
}
