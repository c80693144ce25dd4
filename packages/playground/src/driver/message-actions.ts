import type { UploadAnswer } from '../protocol/answers.ts'
import type { FileInfo, Outcome } from '../protocol/protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import type { HttpClient } from './http-client.ts'
import type { Observer } from './observer.ts'

/** Where to post: a channel, by default #general, and optionally one of its threads. */
export interface PostTarget {
  channel?: string
  threadTs?: string
}

/** A posted message or a started thread. `answer` waits for the app's answer to it. */
interface SentMessage {
  outcome: Outcome
  channel: string
  ts: string
  answer(waiting?: Waiting): Promise<Answer>
}

export const toSentMessage = (
  client: HttpClient,
  userId: string,
  outcome: Outcome,
  channel: string,
): SentMessage => ({
  outcome,
  channel,
  ts: outcome.ok ? (outcome.ts ?? '') : '',
  answer: (waiting = {}) => awaitAnswer(client, userId, outcome, { ...waiting, channel }),
})

/** Posts messages and commands as one person. */
export function createMessageActions(client: HttpClient, userId: string, { channelId }: Observer) {
  async function say(
    text: string,
    { channel = 'general', threadTs, files }: PostTarget & { files?: string[] } = {},
  ): Promise<SentMessage> {
    const targetId = await channelId(channel)
    const options = {
      ...(threadTs && { threadTs }),
      ...(files && { files }),
    }
    return toSentMessage(
      client,
      userId,
      await client.act('message', { user: userId, channel: targetId, text, ...options }),
      targetId,
    )
  }

  return {
    /** Runs a slash command, by default in #general, and waits for the app's answer. */
    async command(
      command: string,
      text = '',
      { channel = 'general', ...waiting }: Waiting & { channel?: string } = {},
    ) {
      const body = { user: userId, channel: await channelId(channel), command, text }
      const outcome = await client.act('command', body)
      return awaitAnswer(client, userId, outcome, { ...waiting, channel: body.channel })
    },

    /**
     * Sends a line from the message field: as a command if it starts with a slash, otherwise as a message. Waits for the app's
     * answer.
     */
    async type(line: string, { channel = 'general', ...waiting }: Waiting & { channel?: string } = {}) {
      const [, command, text = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? []
      const targetId = await channelId(channel)
      const outcome =
        command === undefined
          ? await client.act('message', { user: userId, channel: targetId, text: line })
          : await client.act('command', { user: userId, channel: targetId, command, text })
      return awaitAnswer(client, userId, outcome, { ...waiting, channel: targetId })
    },

    /** Posts a message. To wait for the app's answer, call `answer()` on the result. */
    say,

    async upload(
      name: string,
      content: string | Uint8Array<ArrayBuffer>,
      type = 'text/plain',
    ): Promise<FileInfo> {
      const query = new URLSearchParams({ user: userId, name })
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      return (await client.upload<UploadAnswer>(`upload?${query}`, type, bytes)).file
    },
  }
}
