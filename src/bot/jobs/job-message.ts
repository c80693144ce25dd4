import type { LeasedWork, WorkStore } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { type Message, message, type PostedMessage, type SlackClients, type Upload } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { type MessageOutcome, type PostDeps, postOrEdit } from '../posts/post-or-edit.ts'
import type { HandledRequest } from '../routes/command-context.ts'

/**
 * How sending a job's last message went. `impossible`: Slack doesn't accept it in any form. Otherwise, Slack may accept it later:
 * `retryInMs` is undefined if Slack didn't say when.
 */
export type EndDelivery = 'sent' | 'impossible' | { readonly retryInMs: number | undefined }

/** The message that shows a person the progress of their job. Any process that runs the job edits it in place. */
export type JobMessage = ReturnType<typeof createJobMessage>

export interface JobMessageDeps {
  store: Pick<WorkStore, 'setMessage'>
  postDeps: PostDeps
  clients: SlackClients
  log: Log
  times: Pick<JobTimes, 'progressIntervalMs'>
}

export function createJobMessage(
  { store, postDeps, clients, log, times }: JobMessageDeps,
  held: LeasedWork,
  request: HandledRequest,
  environment: Environment,
) {
  const { work: job } = held
  let { message: currentMessage } = job
  let isGone = false
  let lastShownMs = Number.NEGATIVE_INFINITY

  async function show(drawn: Message): Promise<MessageOutcome> {
    const outcome = await postOrEdit(postDeps, held, {
      ...directMessage(job.id, request, environment),
      at: currentMessage,
      drawn,
      async record(posted) {
        currentMessage = posted
        await store.setMessage(job.id, posted)
      },
      edited: async () => undefined,
    })
    if (outcome.kind === 'gone') {
      isGone = true
      currentMessage = undefined
    }
    if (outcome.kind !== 'shown') warn('error' in outcome ? outcome.error : undefined)
    return outcome
  }

  function warn(err: unknown): void {
    log.warn({ reference: request.reference, err }, 'The progress message of a job could not be shown.')
  }

  async function postPlaceholder(): Promise<PostedMessage> {
    const outcome = await show(message('The file follows.'))
    if (outcome.kind === 'shown') return outcome.posted
    throw 'error' in outcome
      ? outcome.error
      : new Error('Slack hasn’t confirmed whether the job’s message was posted.')
  }

  return {
    /** Updates the message every few seconds at most. An update that Slack rejects is skipped: the next one is newer. */
    async showProgress(drawn: Message): Promise<void> {
      // If the message is gone, each update would be a new message.
      if (isGone || performance.now() - lastShownMs < times.progressIntervalMs) return
      lastShownMs = performance.now()
      await show(drawn).catch(warn)
    },
    /** Shows how the job ended, in a new message if the progress message is gone. */
    async showEnd(drawn: Message): Promise<EndDelivery> {
      try {
        const outcome = await show(drawn)
        return toEndDelivery(outcome.kind === 'gone' ? await show(drawn) : outcome)
      } catch (error) {
        // Another process has taken over the job.
        warn(error)
        return { retryInMs: undefined }
      }
    },
    /** Uploads a file next to the progress message. Throws if Slack refuses it. */
    async upload(file: Upload): Promise<void> {
      const slack = await clients.forWorkspace(request)
      await slack.upload(currentMessage ?? (await postPlaceholder()), file)
    },
  }
}

const directMessage = (
  id: string,
  { workspaceId, enterpriseId, userId: to }: HandledRequest,
  environment: Environment,
) => ({
  key: `job ${id} ${to}`,
  place: { workspaceId, enterpriseId, environment, channelId: '' },
  to,
  version: 0,
})

/** Sends a job's last message to someone else, once. `record` stores that they got it. */
export async function sendEndTo(
  { postDeps, log }: JobMessageDeps,
  held: LeasedWork,
  request: HandledRequest,
  {
    environment,
    drawn,
    record,
  }: { environment: Environment; drawn: Message; record: () => Promise<unknown> },
): Promise<EndDelivery> {
  const outcome = await postOrEdit(postDeps, held, {
    ...directMessage(held.work.id, request, environment),
    drawn,
    record,
  })
  if (outcome.kind !== 'shown')
    log.warn(
      { reference: request.reference, err: 'error' in outcome ? outcome.error : undefined },
      "The owner of a job couldn't be notified of its end.",
    )
  return toEndDelivery(outcome)
}

function toEndDelivery(outcome: MessageOutcome): EndDelivery {
  if (outcome.kind === 'shown') return 'sent'
  if (outcome.kind === 'pending') return { retryInMs: outcome.pending.recheckMs }
  if (outcome.kind !== 'later' || outcome.why === 'uninstalled') return 'impossible'
  return {
    retryInMs:
      outcome.why === 'rate-limited' && outcome.end.state === 'waiting' ? outcome.end.dueInMs : undefined,
  }
}

export interface JobTimes {
  /** Progress is shown at most this often. */
  progressIntervalMs: number
  /** After this time, a write has ended in every process. Longer than any call to the service. */
  settleMs: number
  /** How long a job is retried after an error, from its stored progress, before the person is notified. */
  retryFaultsForMs: number
  /** The first retry of a notification that a job has ended; later ones wait longer. */
  renotifyAfterMs: number
}

export const JOB_TIMES: JobTimes = {
  progressIntervalMs: 3000,
  settleMs: 25_000,
  retryFaultsForMs: 120_000,
  renotifyAfterMs: 5000,
}
