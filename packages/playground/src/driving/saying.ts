import type { FileInfo, Outcome, UploadAnswer } from '../protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import type { Eyes } from './eyes.ts'
import type { Wire } from './wire.ts'

/** Where something is written: in a channel, #general by default, or in one of its threads. */
export interface Writing {
  channel?: string
  threadTs?: string
}

/** The message that was written, or the thread that was started: where it is, and what the app answers. */
export interface Said {
  outcome: Outcome
  channel: string
  ts: string
  answer(waiting?: Waiting): Promise<Answer>
}

/** What was done, in a form that a test can continue with. */
export const said = (wire: Wire, id: string, outcome: Outcome, channel: string): Said => ({
  ...{ outcome, channel, ts: outcome.ok ? (outcome.ts ?? '') : '' },
  answer: (waiting = {}) => awaitAnswer(wire, id, outcome, waiting),
})

/** What one person types and sends. */
export function createSaying(wire: Wire, id: string, { channelId }: Eyes) {
  async function say(
    text: string,
    { channel = 'general', threadTs, files }: Writing & { files?: string[] } = {},
  ): Promise<Said> {
    const at = await channelId(channel)
    const more = { ...(threadTs && { threadTs }), ...(files && { files }) }
    return said(wire, id, await wire.act('message', { user: id, channel: at, text, ...more }), at)
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

    /** Types a line as in the page's field: a command if it starts with a slash, otherwise a message. */
    async type(line: string, { channel = 'general', ...waiting }: Waiting & { channel?: string } = {}) {
      const [, command, text = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? []
      const at = await channelId(channel)
      const outcome =
        command === undefined
          ? await wire.act('message', { user: id, channel: at, text: line })
          : await wire.act('command', { user: id, channel: at, command, text })
      return awaitAnswer(wire, id, outcome, waiting)
    },

    /** Writes a plain message; its `answer` waits for what the app says. */
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
