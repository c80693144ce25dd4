import { section } from '../../blocks/layout.ts'
import { type Message, message } from '../../blocks/message.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Log } from '../../log.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import { isPassing, slackAnswer } from '../../slack/client/slack-answer.ts'
import type { Posted } from '../../slack/client/slack-client.ts'
import type { Upload } from '../../slack/client/slack-files.ts'
import type { WorkStore } from '../../store/store.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import type { Messenger } from '../posts/messenger.ts'
import type { PostOnce } from '../posts/post-once.ts'
import type { HandledRequest } from '../routes/handled-request.ts'
import type { JobTimes } from './job-times.ts'

/** `later`: Slack takes it later, after this time where it has said one. `never`: Slack takes it in no form. */
export type LastWord = 'told' | 'never' | { readonly later: number | undefined }

/** The message to the person that shows how far their job is, edited in place: across processes too. */
export interface JobMessage {
  /** At most every few seconds. One that Slack does not take is left out: the next one says more. */
  showProgress(message: Message): Promise<void>
  /** Says how the job ended; in a new message where the one that showed its progress is gone. */
  showEnd(message: Message): Promise<LastWord>
  /** Uploads a file to where the progress is shown. Throws when Slack refuses it. */
  upload(file: Upload): Promise<void>
}

export interface JobMessageParts {
  store: Pick<WorkStore, 'showAt'>
  messenger: Messenger
  postOnce: PostOnce
  clients: SlackClients
  log: Log
  times: Pick<JobTimes, 'tellMs'>
}

/** Whether it was posted can be said after this time. */
class Unsure extends Error {
  override readonly name = 'Unsure'
  readonly ms: number
  constructor(ms: number) {
    super('Whether the message of a job was posted is not known yet.')
    this.ms = ms
  }
}

export function jobMessage(
  { store, messenger, postOnce, clients, log, times }: JobMessageParts,
  held: HeldWork,
  request: HandledRequest,
  environment: Environment,
): JobMessage {
  const { work: job } = held
  const to = request.userId
  let { message: shownAt } = job
  let isGone = false
  let shownSince = Number.NEGATIVE_INFINITY

  async function post(message: Message): Promise<Posted> {
    const came = await postOnce(held, {
      workspaceId: request.workspaceId,
      key: `job ${job.id} ${to}`,
      version: 0,
      send: (options) => messenger.direct(request, environment, to, message, options),
      find: (sent) => messenger.find(request, { to, ...sent }),
      record: (posted) => store.showAt(job.id, posted),
    })
    if ('unsureMs' in came) throw new Unsure(came.unsureMs)
    shownAt = came.posted
    // What stands there was sent by a process that died, or its answer was lost: it says less than this.
    if (came.isFound) await messenger.edit(request, environment, shownAt, message)
    return shownAt
  }

  async function show(message: Message): Promise<Posted> {
    if (!shownAt) return post(message)
    try {
      await messenger.edit(request, environment, shownAt, message)
    } catch (error) {
      isGone = slackAnswer(error).kind === 'message-gone'
      if (isGone) shownAt = undefined
      throw error
    }
    return shownAt
  }

  function warn(err: unknown): void {
    log.warn({ reference: request.reference, err }, 'The message of a job could not be shown.')
  }

  return {
    async showProgress(message) {
      // Where people may not be shown edits, each step would be a message of its own.
      if (isGone || performance.now() - shownSince < times.tellMs) return
      shownSince = performance.now()
      await show(message).catch(warn)
    },
    async showEnd(message) {
      try {
        await show(message).catch((error: unknown) => inAnotherForm(message, error))
        return 'told'
      } catch (error) {
        warn(error)
        return lastWordAfter(error)
      }
    },
    async upload(file) {
      const slack = await clients.of(request)
      await slack.upload(shownAt ?? (await show(message('The file follows.'))), file)
    },
  }

  function inAnotherForm({ text, ...rest }: Message, error: unknown): Promise<Posted> {
    const { kind } = slackAnswer(error)
    if (kind === 'message-gone') return post({ text, ...rest })
    if (kind === 'bad-message') return show(message(text, section(text)))
    throw error
  }
}

function lastWordAfter(error: unknown): LastWord {
  if (error instanceof Unsure) return { later: error.ms }
  if (error instanceof LeaseLost) return { later: undefined }
  const answer = slackAnswer(error)
  if (!isPassing(answer)) return 'never'
  return { later: answer.kind === 'rate-limited' ? answer.retryMs : undefined }
}
