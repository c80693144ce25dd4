import {
  classifyFailure,
  literal,
  type Message,
  message,
  type PostedMessage,
  section,
  type Upload,
} from '@signalman/slack'
import { joinNames } from '../../domain/wording.ts'
import type { ActSteps, Requester } from '../routes/command-context.ts'
import { type StepContext, sendStep } from './post-step.ts'

type FileContext = Pick<Requester, 'userId'> & StepContext & Pick<ActSteps, 'once'>

/**
 * Sends files in a DM, below a sentence that describes them. A channel can't show a file to only one person. Until Slack has
 * confirmed the files, the message says that they are being sent, and if it doesn't confirm them, the message says that. An act that
 * resumes sends only what didn't arrive. Returns the files' IDs.
 */
export async function sendFiles(
  context: FileContext,
  sentence: string,
  files: readonly Upload[],
): Promise<readonly string[]> {
  const { userId: to } = context
  const noun = files.length === 1 ? 'file' : 'files'
  const announcement = plainSentence(`Sending the ${noun}… ${sentence}`)
  const details = `announce ${files.map(({ name }) => name)}`
  const posted = await sendStep(context, { details, destination: { to } }, (slack, options) =>
    slack.postDirect(to, announcement, options),
  )
  const ids: string[] = []
  const accepted: string[] = []
  async function showResult(text: string): Promise<void> {
    const slack = await context.slack()
    // The files have arrived or not, so a failed edit isn't a failure.
    await slack.edit(posted, plainSentence(text)).catch(() => undefined)
  }
  try {
    for (const file of files) {
      ids.push(await sendFile(context, posted, file))
      accepted.push(file.name)
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
  return ids
}

/** Uploads a file, which nobody sees, and then posts it once: its message is found by the file's ID. */
async function sendFile(
  context: FileContext,
  { channelId }: PostedMessage,
  { name, title, ...file }: Upload,
): Promise<string> {
  const upload = async () => (await context.slack()).uploadFile({ name, title, ...file })
  // Nobody sees an upload, so it's made again if Slack's answer was lost. A stream can be read only once.
  const id = await context.once(`uploaded ${name}`, () =>
    upload().catch((error: unknown) => {
      if (classifyFailure(error).kind !== 'temporary' || !Buffer.isBuffer(file.body)) throw error
      return upload()
    }),
  )
  const sending = {
    details: `send ${name}`,
    destination: { channelId },
    fileId: id,
  } as const
  await sendStep(context, sending, async (slack, options) => {
    await slack.shareFile({ channelId }, { id, title }, options)
    return { channelId, ts: '' }
  })
  return id
}

const plainSentence = (sentence: string): Message => message(literal(sentence), section(sentence))
