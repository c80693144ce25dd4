import { literal, type Message, message, type PostedMessage, section, type Upload } from '@signalman/slack'
import { joinNames } from '../../domain/wording.ts'
import type { ActSteps, Messaging, Requester } from '../routes/command-context.ts'

type FileContext = Pick<Requester, 'userId'> & Pick<Messaging, 'slack'> & Pick<ActSteps, 'remember'>

/**
 * Sends files in a DM, below a sentence that describes them. A channel can't show a file to only one person. Until Slack has
 * confirmed the files, the message says that they are being sent, and if it doesn't confirm them, the message says that. A retry
 * doesn't send them again.
 */
export async function sendFiles(
  context: FileContext,
  sentence: string,
  files: readonly Upload[],
): Promise<void> {
  const names = files.map(({ name }) => name)
  const noun = files.length === 1 ? 'file' : 'files'
  // Stored, so a retry after a crash continues in the same message.
  const posted = await context.remember(`announced ${names}`, async () =>
    (await context.slack()).postDirect(context.userId, plainSentence(`Sending the ${noun}… ${sentence}`)),
  )
  await context.remember(`sent ${names}`, () => uploadFiles(context, { posted, sentence }, files))
  const slack = await context.slack()
  // The files have arrived, so a failed edit isn't a failure.
  await slack.edit(posted, plainSentence(sentence)).catch(() => undefined)
}

async function uploadFiles(
  context: Pick<Messaging, 'slack'>,
  { posted, sentence }: { posted: PostedMessage; sentence: string },
  files: readonly Upload[],
): Promise<true> {
  const slack = await context.slack()
  const accepted: string[] = []
  try {
    for (const file of files) {
      await slack.upload({ channelId: posted.channelId }, file)
      accepted.push(file.name)
    }
  } catch (error) {
    const result =
      accepted.length > 0
        ? `confirmed only ${joinNames(accepted)}`
        : `didn’t confirm the ${files.length === 1 ? 'file' : 'files'}`
    await slack.edit(posted, plainSentence(`Slack ${result}: ${sentence}`)).catch(() => undefined)
    throw error
  }
  return true
}

const plainSentence = (sentence: string): Message => message(literal(sentence), section(sentence))
