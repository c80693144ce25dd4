import { attemptId, LeaseLost } from '@signalman/durable'
import { Notice, UserError } from '@signalman/runtime'
import { classifyFailure, mayHaveHappened, type PostedMessage, wasRejected } from '@signalman/slack'
import { explainRateLimit } from '../request/explain.ts'
import type { AuditDetails, CommandContext } from '../routes/command-context.ts'
import { createChannelRefusal, throwChannelRefusal } from './channel-refusals.ts'
import { createSendDeadlineCheck, PostOutcomeUnknown } from './post-once.ts'
import { type Content, createPoster, type Place } from './poster.ts'

export type StepContext = Pick<
  CommandContext,
  'workspaceId' | 'environment' | 'step' | 'slack' | 'mayPost' | 'begunAt'
>

interface SendStep extends Place {
  /** Its audit entry. Without one, its name among the steps of the act. */
  readonly details: AuditDetails | string
  /** Whether the person knows that another organization reads the channel. */
  readonly isAgreed?: boolean | undefined
}

/**
 * Posts a message or a file as a step of an act, and resolves with the message. If Slack's response is lost or the process dies, looks
 * for it, so the outcome becomes known if the app may read the channel.
 */
export async function sendStep(
  context: StepContext,
  { details, isAgreed, to, channelId = '', threadTs }: SendStep,
  content: Content,
): Promise<PostedMessage> {
  async function openPoster() {
    const slack = await context.slack()
    return createPoster({ forWorkspace: async () => slack })
  }
  const { workspaceId, environment, begunAt: since } = context
  const destination = { to, target: { workspaceId, environment, channelId, threadTs } }
  const audited =
    typeof details === 'string' ? ({ verb: details, object: details, onlyTells: true } as const) : details
  return context.step<PostedMessage>(
    {
      ...audited,
      readsFirst: true,
      async lookUp(attempt) {
        try {
          const search = { postId: attemptId(attempt), fileId: content.file?.id, since }
          const found = await (await openPoster()).find(destination, search)
          return found ? { outcome: found } : 'not-done'
        } catch (error) {
          // The app isn't allowed to look here, now or later.
          if (wasRejected(error)) return 'unknown'
          throw error
        }
      },
    },
    async (part) => {
      const permission = channelId === '' || isAgreed ? 'yes' : await context.mayPost(channelId)
      if (permission !== 'yes') throw createChannelRefusal(channelId, permission)
      const poster = await openPoster()
      return part((attempt) => {
        // The deadline counts from the start of the step, like a later lookup.
        const options = { postId: attemptId(attempt), beforeRequest: createSendDeadlineCheck(NO_LEASE) }
        return poster.post(destination, content, options).catch((error) => rethrowExplained(error, channelId))
      })
    },
  )
}

/** No lease is checked here, because a process that takes over the act looks for the post first. */
const NO_LEASE = { signal: new AbortController().signal }

function rethrowExplained(error: unknown, channelId: string): never {
  if (error instanceof LeaseLost)
    throw new Notice('Slack is slow, so the message couldn’t be sent in time. Nothing was posted. Try again.')
  if (mayHaveHappened(error)) throw new PostOutcomeUnknown(error)
  if (error instanceof UserError) throw error
  const failure = classifyFailure(error)
  if (failure.kind === 'bad-message')
    throw new UserError(
      'Slack rejected this message, because it’s too long or has content that Slack doesn’t support.',
    )
  if (failure.kind !== 'rate-limited') {
    if (channelId === '') throw error
    throwChannelRefusal(error, channelId)
  }
  const { happened, next } = explainRateLimit(failure.retryMs)
  throw new UserError(`${happened} ${next}`)
}
