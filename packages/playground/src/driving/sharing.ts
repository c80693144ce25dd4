import type { Fields, Message, Outcome } from '../protocol.ts'
import type { Eyes } from './eyes.ts'
import { type Said, said, type Writing } from './saying.ts'
import type { Sight, Wire } from './wire.ts'

type Say = (text: string, where: Writing & { files?: string[] }) => Promise<Said>

/** How one person shares links, and writes in threads. */
export function createSharing(wire: Wire, id: string, { channelId, until }: Eyes, say: Say) {
  return {
    /** Replies in a message's thread, or in the thread that it is part of. */
    reply: (
      on: { channel: string; ts: string; threadTs?: string | null },
      text: string,
      { files }: { files?: string[] } = {},
    ): Promise<Said> =>
      say(text, { channel: on.channel, threadTs: on.threadTs ?? on.ts, ...(files && { files }) }),

    /** Writes an address, and waits for what the app says about it: the message with its unfurl or work object. */
    async share(url: string, where: Writing & { waitMs?: number } = {}): Promise<Message> {
      const { outcome, ts } = await say(url, where)
      if (!outcome.ok) throw new Error(`The URL was rejected: ${outcome.message}`)
      const says = (one: Fields) => [one.from_url, one.app_unfurl_url, one.url].includes(url)
      const find = ({ messages }: Sight) =>
        Object.values(messages)
          .flat()
          .find((one) => one.ts === ts && [...(one.attachments ?? []), ...(one.entities ?? [])].some(says))
      const found = find(await until(`${url} with an unfurl`, (now) => find(now) !== undefined, where.waitMs))
      if (!found) throw new Error(`The message with ${url} is gone.`)
      return found
    },

    /**
     * Writes addresses without sending them, and waits for what the app says about one; in organizations, the app isn't asked.
     */
    async preview(...urls: string[]): Promise<Fields[]> {
      await wire.act('links', { user: id, urls })
      const shown = ({ previews = [] }: Sight) =>
        previews.filter(({ from_url }) => urls.some((url) => url === from_url))
      return shown(await until(`a preview of ${urls.join(', ')}`, (now) => shown(now).length > 0))
    },

    /** Starts a thread with the assistant, `from` the channel that this person is looking at; `reply` continues it. */
    async startThread({ from = 'dm' }: { from?: string } = {}): Promise<Said> {
      const outcome = await wire.act('thread', { user: id, from: await channelId(from) })
      if (!outcome.ok) throw new Error(`The thread was not begun: ${outcome.message}`)
      return said(wire, id, outcome, await channelId('dm'))
    },
    /** Opens another channel next to a thread with the assistant: `assistant_thread_context_changed`. */
    lookAt: async (channel: string, { ts }: Pick<Said, 'ts'>): Promise<Outcome> =>
      wire.act('thread', { user: id, from: await channelId(channel), ts }),
  }
}
