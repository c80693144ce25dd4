import type { FileInfo, UploadAnswer } from '../protocol.ts'
import { awaitAnswer, type Waiting } from './answer.ts'
import type { Eyes } from './eyes.ts'
import type { Wire } from './wire.ts'

/** What one person types and sends. */
export function createSaying(wire: Wire, id: string, { channelId }: Eyes) {
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

    /** Types a line as into the page's field: a command when it begins with a slash, else a message. */
    async type(line: string, { channel = 'general', ...waiting }: Waiting & { channel?: string } = {}) {
      const [, command, text = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? []
      const at = await channelId(channel)
      const outcome =
        command === undefined
          ? await wire.act('message', { user: id, channel: at, text: line })
          : await wire.act('command', { user: id, channel: at, command, text })
      return awaitAnswer(wire, id, outcome, waiting)
    },

    /** Writes a plain message; with `waiting`, awaits what the app says to it. The answer is the message's ts. */
    async say(
      text: string,
      {
        channel = 'general',
        threadTs,
        files,
      }: { channel?: string; threadTs?: string; files?: string[] } = {},
    ) {
      const body = {
        user: id,
        channel: await channelId(channel),
        text,
        ...(threadTs && { threadTs }),
        ...(files && { files }),
      }
      const outcome = await wire.act('message', body)
      return {
        outcome,
        ts: outcome.ok ? (outcome.ts ?? '') : '',
        answer: (waiting: Waiting = {}) => awaitAnswer(wire, id, outcome, waiting),
      }
    },

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
