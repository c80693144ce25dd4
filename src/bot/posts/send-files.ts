import {
  literal,
  type Message,
  message,
  type PostedMessage,
  section,
  type Upload,
  wasRejected,
} from '@signalman/slack'
import { joinNames } from '../../domain/wording.ts'
import type { ActSteps, Messaging, Requester } from '../routes/command-context.ts'

type FileContext = Pick<Requester, 'userId' | 'reference'> &
  Pick<Messaging, 'slack'> &
  Pick<ActSteps, 'once' | 'begunAt'>

/**
 * Sends files in a DM, below a sentence that describes them. A channel can't show a file to only one person. Until Slack has
 * confirmed the files, the message says that they are being sent, and if it doesn't confirm them, the message says that. An act that
 * resumes sends only the files that aren't recorded as sent. Slack can't be asked for a file by an ID of ours, so one whose process died
 * between the upload and the record is sent again: a second copy is better than none. Returns their IDs.
 */
export async function sendFiles(
  context: FileContext,
  sentence: string,
  files: readonly Upload[],
): Promise<readonly string[]> {
  const names = files.map(({ name }) => name)
  const noun = files.length === 1 ? 'file' : 'files'
  const announcement = plainSentence(`Sending the ${noun}… ${sentence}`)
  const posted = await announce(context, String(names), announcement)
  const ids = await uploadFiles(context, { posted, sentence }, files)
  const slack = await context.slack()
  // The files have arrived, so a failed edit isn't a failure.
  await slack.edit(posted, plainSentence(sentence)).catch(() => undefined)
  return ids
}

/** Posts the sentence once: a retry continues in the same message, also if Slack's reply was lost. */
async function announce(context: FileContext, names: string, announcement: Message): Promise<PostedMessage> {
  const { userId: to, begunAt: since } = context
  const postId = `${context.reference} ${names}`
  return context.once(`announced ${names}`, async (isResumed) => {
    const slack = await context.slack()
    const found = isResumed && (await slack.findPosted({ to }, { postId, since }).catch(ignoreRejection))
    return found || slack.postDirect(to, announcement, { postId })
  })
}

/** The app isn't allowed to look here, now or later. */
function ignoreRejection(error: unknown): undefined {
  if (!wasRejected(error)) throw error
}

async function uploadFiles(
  context: FileContext,
  { posted, sentence }: { posted: PostedMessage; sentence: string },
  files: readonly Upload[],
): Promise<readonly string[]> {
  const slack = await context.slack()
  const accepted: string[] = []
  const ids: string[] = []
  try {
    for (const file of files) {
      const channel = { channelId: posted.channelId }
      ids.push(await context.once(`sent ${file.name}`, () => slack.upload(channel, file)))
      accepted.push(file.name)
    }
    return ids
  } catch (error) {
    const result =
      accepted.length > 0
        ? `confirmed only ${joinNames(accepted)}`
        : `didn’t confirm the ${files.length === 1 ? 'file' : 'files'}`
    await slack.edit(posted, plainSentence(`Slack ${result}: ${sentence}`)).catch(() => undefined)
    throw error
  }
}

const plainSentence = (sentence: string): Message => message(literal(sentence), section(sentence))
