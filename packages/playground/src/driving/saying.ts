import type { FileInfo, Outcome, UploadAnswer } from '../protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import type { Observer } from './eyes.ts'
import type { HttpClient } from './wire.ts'

/** Where to post: in a channel (#general by default), or in one of its threads. */
export interface PostTarget {
  channel?: string
  threadTs?: string
}

/** A message that was posted or a thread that was started. `answer` waits for the app's answer. */
export interface SentMessage {
  outcome: Outcome
  channel: string
  ts: string
  answer(waiting?: Waiting): Promise<Answer>
}

export const toSentMessage = (
  wire: HttpClient,
  id: string,
  outcome: Outcome,
  channel: string,
): SentMessage => ({
  ...{ outcome, channel, ts: outcome.ok ? (outcome.ts ?? '') : '' },
  answer: (waiting = {}) => awaitAnswer(wire, id, outcome, waiting),
})

/** Posts messages and commands as one person. */
export function createMessageActions(wire: HttpClient, id: string, { channelId }: Observer) {
  async function say(
    text: string,
    { channel = 'general', threadTs, files }: PostTarget & { files?: string[] } = {},
  ): Promise<SentMessage> {
    const at = await channelId(channel)
    const options = { ...(threadTs && { threadTs }), ...(files && { files }) }
    return toSentMessage(wire, id, await wire.act('message', { user: id, channel: at, text, ...options }), at)
  }

  return {
    /** Types a slash command, by default in #general, and waits for the first answer. */
    async command(
      command: string,
      text = '',
      { channel = 'general', ...waiting }: Waiting & { channel?: string } = {},
    ) {
      const body = { user: id, channel: await channelId(channel), command, text }
      return awaitAnswer(wire, id, await wire.act('command', body), waiting)
    },

    /** Types a line into the page's message field: a command if it starts with a slash, otherwise a message. */
    async type(line: string, { channel = 'general', ...waiting }: Waiting & { channel?: string } = {}) {
      const [, command, text = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? []
      const at = await channelId(channel)
      const outcome =
        command === undefined
          ? await wire.act('message', { user: id, channel: at, text: line })
          : await wire.act('command', { user: id, channel: at, command, text })
      return awaitAnswer(wire, id, outcome, waiting)
    },

    /** Posts a message; `answer` on the result waits for the app's answer. */
    say,

    async upload(
      name: string,
      content: string | Uint8Array<ArrayBuffer>,
      type = 'text/plain',
    ): Promise<FileInfo> {
      const query = new URLSearchParams({ user: id, name })
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      return (await wire.upload<UploadAnswer>(`upload?${query}`, type, bytes)).file
    },
  }
}
