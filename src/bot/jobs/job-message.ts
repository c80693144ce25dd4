import type { HeldWork, WorkStore } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { type Message, message, type Posted, type SlackClients, type Upload } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { type KeptOutcome, keepMessage, type PostParts } from '../posts/kept-messages.ts'
import type { HandledRequest } from '../routes/command-context.ts'

/** `later`: Slack may accept it later, after this time if it named one. `never`: Slack doesn't accept it in any form. */
export type LastWord = 'told' | 'never' | { readonly later: number | undefined }

/** The message that shows a person the progress of their job. Edited in place, also by other processes. */
export type JobMessage = ReturnType<typeof jobMessage>

export interface JobMessageParts {
  store: Pick<WorkStore, 'showAt'>
  keeping: PostParts
  clients: SlackClients
  log: Log
  times: Pick<JobTimes, 'tellMs'>
}

export function jobMessage(
  { store, keeping, clients, log, times }: JobMessageParts,
  held: HeldWork,
  request: HandledRequest,
  environment: Environment,
) {
  const { work: job } = held
  let { message: shownAt } = job
  let isGone = false
  let shownSince = Number.NEGATIVE_INFINITY

  async function show(drawn: Message): Promise<KeptOutcome> {
    const outcome = await keepMessage(keeping, held, {
      ...directMessage(job.id, request, environment),
      at: shownAt,
      drawn,
      async record(posted) {
        shownAt = posted
        await store.showAt(job.id, posted)
      },
      edited: async () => undefined,
    })
    if (outcome.kind === 'gone') {
      isGone = true
      shownAt = undefined
    }
    if (outcome.kind !== 'stands') warn('error' in outcome ? outcome.error : undefined)
    return outcome
  }

  function warn(err: unknown): void {
    log.warn({ reference: request.reference, err }, 'The message of a job could not be shown.')
  }

  async function posted(): Promise<Posted> {
    const outcome = await show(message('The file follows.'))
    if (outcome.kind === 'stands') return outcome.posted
    throw 'error' in outcome
      ? outcome.error
      : new Error('Slack hasn’t confirmed whether the job’s message was posted.')
  }

  return {
    /** Every few seconds at most. If Slack rejects an update, it is skipped: the next one has more. */
    async showProgress(drawn: Message): Promise<void> {
      // In classic responses without edits, each update would be a separate message.
      if (isGone || performance.now() - shownSince < times.tellMs) return
      shownSince = performance.now()
      await show(drawn).catch(warn)
    },
    /** Shows how the job ended; in a new message if the progress message is gone. */
    async showEnd(drawn: Message): Promise<LastWord> {
      try {
        const outcome = await show(drawn)
        return toFinalMessage(outcome.kind === 'gone' ? await show(drawn) : outcome)
      } catch (error) {
        // Another process has the work.
        warn(error)
        return { later: undefined }
      }
    },
    /** Uploads a file to where the progress is shown. Throws when Slack refuses it. */
    async upload(file: Upload): Promise<void> {
      const slack = await clients.of(request)
      await slack.upload(shownAt ?? (await posted()), file)
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

/** Sends somebody else the last message of a job once. `record` stores that they have it. */
export async function sendEndTo(
  { keeping, log }: JobMessageParts,
  held: HeldWork,
  request: HandledRequest,
  {
    environment,
    drawn,
    record,
  }: { environment: Environment; drawn: Message; record: () => Promise<unknown> },
): Promise<LastWord> {
  const outcome = await keepMessage(keeping, held, {
    ...directMessage(held.work.id, request, environment),
    drawn,
    record,
  })
  if (outcome.kind !== 'stands')
    log.warn(
      { reference: request.reference, err: 'error' in outcome ? outcome.error : undefined },
      "The owner of a job couldn't be notified of its end.",
    )
  return toFinalMessage(outcome)
}

function toFinalMessage(outcome: KeptOutcome): LastWord {
  if (outcome.kind === 'stands') return 'told'
  if (outcome.kind === 'unsure') return { later: outcome.unsure.unsureMs }
  if (outcome.kind !== 'later' || outcome.why === 'uninstalled') return 'never'
  return {
    later:
      outcome.why === 'rate-limited' && outcome.end.state === 'waiting' ? outcome.end.dueInMs : undefined,
  }
}

export interface JobTimes {
  /** Progress is shown at most this often. */
  tellMs: number
  /** After this time, a write has certainly ended in any process. Longer than any call to the service. */
  settleMs: number
  /** How long a job is retried after an error, each time from its stored progress, before its person is notified. */
  faultyMs: number
  /** If a person couldn't be notified of the end, that is retried after this time, at growing intervals. */
  retellMs: number
}

export const JOB_TIMES: JobTimes = { tellMs: 3000, settleMs: 25_000, faultyMs: 120_000, retellMs: 5000 }
