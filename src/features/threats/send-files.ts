import { literal, type Message, message, section } from '@signalman/slack'
import { sendFiles } from '../../bot/posts/send-files.ts'
import type { ActSteps, Messaging, Requester } from '../../bot/routes/command-context.ts'
import { environmentSuffix } from '../../domain/environment.ts'
import { pluralize } from '../../domain/wording.ts'

/** A file to upload. Signalman chooses its name, and never uses a file name from an event. */
export interface OutgoingFile {
  name: string
  title: string
  body: Buffer
  /** The alternative text of an image. */
  altText?: string
}

/** Sends files of a threat event in a DM, below a sentence that describes them. Returns the reply to the command. */
export async function sendEventFiles(
  context: Requester & Messaging & ActSteps,
  description: string,
  files: readonly OutgoingFile[],
): Promise<Message> {
  const sentence = `${description}${environmentSuffix(context.environment)}`
  await sendFiles(
    context,
    sentence,
    files.map((file) => ({ ...file, bytes: file.body.length })),
  )
  const reply = `Sent to your DMs: ${pluralize(files.length, 'file')}. ${sentence}`
  return message(literal(reply), section(reply))
}
