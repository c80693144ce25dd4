import { section } from '../../blocks/layout.ts'
import { type Message, message } from '../../blocks/message.ts'
import { literal } from '../../blocks/text.ts'
import type { Ask } from '../../slack/ask.ts'

/** A file of our own naming: never by a name that came with it. */
export interface OutgoingFile {
  name: string
  title: string
  body: Buffer
  /** What a screen reader says of a picture. */
  altText?: string
}

/**
 * To the direct messages of whoever asked, under a sentence that says what it is: a file cannot be shown to one person in
 * a channel. Returns what to answer where it was asked.
 */
export async function sendFiles(ask: Ask, what: string, files: readonly OutgoingFile[]): Promise<Message> {
  const slack = await ask.slack()
  const badge = ask.environment === 'ote' ? ' (OTE)' : ''
  const posted = await slack.postDirect(ask.userId, spoken(`${what}${badge}`))
  for (const { body, ...file } of files)
    await slack.upload({ channelId: posted.channelId }, { ...file, body, bytes: body.length })
  const names = files.map(({ name }) => name).join(' and ')
  return spoken(`${what}${badge} Sent to your direct messages with Signalman: ${names}`)
}

const spoken = (sentence: string): Message => message(literal(sentence), section(sentence))
