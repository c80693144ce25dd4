import { literal, type Message, message, type PostedMessage, section } from '@signalman/slack'
import type { ActSteps, Messaging, Requester } from '../../bot/routes/command-context.ts'
import { environmentSuffix } from '../../domain/environment.ts'
import { joinNames } from '../../domain/wording.ts'

/** A file to upload. Signalman chooses its name, and never uses a file name from an event. */
export interface OutgoingFile {
  name: string
  title: string
  body: Buffer
  /** The alternative text of an image. */
  altText?: string
}

/**
 * Sends files in a DM, below a sentence that describes them. A channel can't show a file to only one person. Returns the reply to
 * the command. A retry doesn't send the files again.
 */
export async function sendFiles(
  context: Requester & Messaging & Pick<ActSteps, 'remember'>,
  description: string,
  files: readonly OutgoingFile[],
): Promise<Message> {
  const sentence = `${description}${environmentSuffix(context.environment)}`
  // Stored, so a retry after a crash doesn't post the sentence again.
  const posted = await context.remember('announced', async () =>
    (await context.slack()).postDirect(context.userId, plainSentence(sentence)),
  )
  await context.remember('sent', () => uploadFiles(context, { posted, sentence }, files))
  const names = joinNames(files.map(({ name }) => name))
  return plainSentence(`Sent to your DMs: ${names}. ${sentence}`)
}

async function uploadFiles(
  context: Pick<Messaging, 'slack'>,
  { posted, sentence }: { posted: PostedMessage; sentence: string },
  files: readonly OutgoingFile[],
): Promise<true> {
  const slack = await context.slack()
  const accepted: string[] = []
  try {
    for (const { body, ...file } of files) {
      await slack.upload({ channelId: posted.channelId }, { ...file, body, bytes: body.length })
      accepted.push(file.name)
    }
  } catch (error) {
    // Replaces the sentence that announced the files.
    const result = accepted.length > 0 ? `confirmed only ${joinNames(accepted)}` : 'didn’t confirm the files'
    await slack.edit(posted, plainSentence(`Slack ${result}: ${sentence}`)).catch(() => undefined)
    throw error
  }
  return true
}

const plainSentence = (sentence: string): Message => message(literal(sentence), section(sentence))
