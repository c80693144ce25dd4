import type { LeasedWork, WorkStore } from '@signalman/durable'
import { type Log, pause, UserError } from '@signalman/runtime'
import {
  literal,
  type Message,
  message,
  type PostedMessage,
  type SlackClients,
  section,
  slackErrorCode,
} from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { type PostDeps, postOnce } from '../posts/post-once.ts'
import { type MessageOutcome, postOrEdit } from '../posts/post-or-edit.ts'
import { fileContent, uploadFile } from '../posts/poster.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { JobFile, Once } from './job-kind.ts'

/**
 * The outcome of sending a job's last message. `impossible`: Slack doesn't accept the message in any form. An object: Slack may
 * accept it later, after `retryInMs` if Slack said when.
 */
export type EndDelivery = 'sent' | 'impossible' | { readonly retryInMs: number | undefined }

export interface JobMessageDeps {
  store: Pick<WorkStore, 'setMessage'>
  postDeps: PostDeps
  clients: SlackClients
  log: Log
  times: Pick<JobTimes, 'progressIntervalMs'>
}

/** The message that shows a person the progress of their job. Any process that runs the job edits it in place. */
export function createJobMessage(
  { store, postDeps, clients, log, times }: JobMessageDeps,
  leased: LeasedWork,
  request: HandledRequest,
  { environment, once, isKept }: { environment: Environment; once: Once; isKept: (name: string) => boolean },
) {
  const { work: job } = leased
  const { workspaceId, userId: to } = request
  const target = { workspaceId, environment, channelId: '' }
  let { message: currentMessage } = job
  let isGone = false
  let lastShownMs = Number.NEGATIVE_INFINITY

  async function show(content: Message): Promise<MessageOutcome> {
    const outcome = await postOrEdit(postDeps, leased, {
      key: `job ${job.id} ${to}`,
      target,
      to,
      version: 0,
      existing: currentMessage,
      content,
      async record(posted) {
        currentMessage = posted
        await store.setMessage(job.id, posted)
      },
      onEdited: async () => undefined,
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

  /** Posts what the file is, because Slack says where a person's DM is only when something is posted there. */
  async function announce({ title }: JobFile): Promise<PostedMessage> {
    const outcome = await show(message(literal(title), section(title)))
    if (outcome.kind === 'shown') return outcome.posted
    // Trying again can't help.
    if (toEndDelivery(outcome) === 'impossible') throw new UserError(NO_DM)
    throw 'error' in outcome
      ? outcome.error
      : new Error('Slack hasn’t confirmed whether the job’s message was posted.')
  }

  return {
    /** Updates the message every few seconds at most. An update that Slack rejects is skipped: the next one is newer. */
    async showProgress(describe: () => Promise<Message>): Promise<void> {
      // If the message is gone, each update would be a new message.
      if (isGone || performance.now() - lastShownMs < times.progressIntervalMs) return
      lastShownMs = performance.now()
      await describe().then(show).catch(warn)
    },
    /** Shows how the job ended, in a new message if the progress message is gone. */
    async showEnd(content: Message): Promise<EndDelivery> {
      try {
        const outcome = await show(content)
        return toEndDelivery(outcome.kind === 'gone' ? await show(content) : outcome)
      } catch (error) {
        // `show` throws only LeaseLost: another process has taken over the job.
        warn(error)
        return { retryInMs: undefined }
      }
    },
    /**
     * Sends a file next to the progress message, and returns its ID: the same content again is the same file. If Slack's answer was lost,
     * looks for it before it sends it again. Only what was found, or what Slack confirms, counts as sent. Throws if Slack refuses it.
     */
    async upload(file: JobFile): Promise<string> {
      const { channelId } = currentMessage ?? (await announce(file))
      const digest = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(file.body))).toString(
        'base64url',
      )
      async function send(upload: string): Promise<string> {
        const { id } = await once(upload, async () => ({
          id: await uploadFile(await clients.forWorkspace(request), file),
        }))
        const sent = `sent ${id}`
        const post = {
          key: sent,
          target: { ...target, channelId },
          version: 0,
          record: () => once(sent, async () => true),
        }
        while (!isKept(sent)) {
          leased.signal.throwIfAborted()
          const outcome = await postOnce(postDeps, leased, post, fileContent(id, file))
          if ('recheckMs' in outcome) await pause(outcome.recheckMs, leased.signal)
        }
        return id
      }
      return send(`uploaded ${digest}`).catch((error: unknown) => {
        // Nobody can tell whether it was posted before, or has expired.
        if (slackErrorCode(error) !== 'file_not_found') throw error
        return send(`uploaded again ${digest}`)
      })
    },
  }
}

const NO_DM = 'Slack lets Signalman send you no direct messages, and so no files.'

function toEndDelivery(outcome: MessageOutcome): EndDelivery {
  if (outcome.kind === 'shown') return 'sent'
  if (outcome.kind === 'pending') return { retryInMs: outcome.recheckMs }
  if (outcome.kind !== 'later' || outcome.reason === 'uninstalled') return 'impossible'
  return {
    retryInMs:
      outcome.reason === 'rate-limited' && outcome.end.state === 'waiting' ? outcome.end.dueInMs : undefined,
  }
}

export interface JobTimes {
  /** Progress is shown at most this often. */
  progressIntervalMs: number
  /** After this time, no process can still be in the middle of a write. Longer than any call to the service. */
  maxInFlightMs: number
  /** The first retry of a notification that a job has ended; later ones wait longer. */
  renotifyAfterMs: number
}

export const JOB_TIMES: JobTimes = {
  progressIntervalMs: 3000,
  maxInFlightMs: 25_000,
  renotifyAfterMs: 5000,
}
