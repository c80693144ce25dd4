import { literal, type Message, message, section, type Upload } from '@signalman/slack'
import { joinNames } from '../../domain/wording.ts'
import type { ActSteps, Requester } from '../routes/command-context.ts'
import { type StepContext, sendStep } from './post-step.ts'
import { fileContent, uploadFile } from './poster.ts'

type FileContext = Pick<Requester, 'userId'> & StepContext & Pick<ActSteps, 'once'>

/**
 * Sends files in a DM, below a sentence that describes them. A channel can't show a file to only one person. Until Slack has
 * confirmed the files, the message says that they are being sent, and if it doesn't confirm them, the message says that. An act that
 * resumes sends only what didn't arrive.
 */
export async function sendFiles(
  context: FileContext,
  sentence: string,
  files: readonly Upload[],
): Promise<void> {
  const { userId: to } = context
  const noun = files.length === 1 ? 'file' : 'files'
  const announcement = plainSentence(`Sending the ${noun}… ${sentence}`)
  const details = `announce ${files.map(({ name }) => name)}`
  const posted = await sendStep(context, { details, to }, announcement)
  const accepted: string[] = []
  async function showResult(text: string): Promise<void> {
    const slack = await context.slack()
    // The files have arrived or not, so a failed edit isn't a failure.
    await slack.edit(posted, plainSentence(text)).catch(() => undefined)
  }
  try {
    for (const file of files) {
      const { name } = file
      const id = await context.once(`uploaded ${name}`, async () => uploadFile(await context.slack(), file))
      const { channelId } = posted
      await sendStep(context, { details: `send ${name}`, channelId }, fileContent(id, file))
      accepted.push(name)
    }
  } catch (error) {
    const result =
      accepted.length > 0
        ? `confirmed only ${joinNames(accepted)}`
        : `didn’t confirm the ${noun}, which may be missing`
    await showResult(`Slack ${result}: ${sentence}`)
    throw error
  }
  await showResult(sentence)
}

const plainSentence = (sentence: string): Message => message(literal(sentence), section(sentence))
