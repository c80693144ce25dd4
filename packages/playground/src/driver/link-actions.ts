import type { Fields } from '../protocol/json.ts'
import type { Message, Outcome } from '../protocol/protocol.ts'
import type { HttpClient, VisibleState } from './http-client.ts'
import { type PostTarget, type SentMessage, toSentMessage } from './message-actions.ts'
import type { Observer } from './observer.ts'

type PostMessage = (text: string, target: PostTarget & { files?: string[] }) => Promise<SentMessage>

/** Shares links and starts or replies in threads as one person. */
export function createLinkActions(
  client: HttpClient,
  userId: string,
  { channelId, until }: Observer,
  say: PostMessage,
) {
  return {
    /** Replies in the message's thread. If the message is a reply itself, replies in the same thread. */
    reply: (
      on: { channel: string; ts: string; threadTs?: string | null },
      text: string,
      { files }: { files?: string[] } = {},
    ): Promise<SentMessage> =>
      say(text, { channel: on.channel, threadTs: on.threadTs ?? on.ts, ...(files && { files }) }),

    /** Posts a URL, and waits for the app's unfurl or work object. Returns the message. */
    async share(url: string, { waitMs, ...target }: PostTarget & { waitMs?: number } = {}): Promise<Message> {
      const { outcome, ts } = await say(url, target)
      if (!outcome.ok) throw new Error(`The URL was rejected: ${outcome.message}`)
      const isForUrl = (unfurl: Fields) => [unfurl.from_url, unfurl.app_unfurl_url, unfurl.url].includes(url)
      const findMessage = ({ messages }: VisibleState) =>
        Object.values(messages)
          .flat()
          .find(
            ({ ts: messageTs, attachments = [], entities = [] }) =>
              messageTs === ts && [...attachments, ...entities].some(isForUrl),
          )
      const message = findMessage(
        await until(`${url} with an unfurl`, (now) => findMessage(now) !== undefined, waitMs),
      )
      if (!message) throw new Error(`The message with ${url} was deleted.`)
      return message
    },

    /**
     * Types URLs into a draft, and waits for the app's previews. In organizations, Slack doesn't request previews.
     */
    async preview(...urls: string[]): Promise<Fields[]> {
      await client.act('links', { user: userId, urls })
      const findPreviews = ({ previews = [] }: VisibleState) =>
        previews.filter(({ from_url }) => urls.some((url) => url === from_url))
      return findPreviews(
        await until(`a preview of ${urls.join(', ')}`, (now) => findPreviews(now).length > 0),
      )
    },

    /** Starts an assistant thread while this person is viewing the channel `from`. To continue it, use `reply`. */
    async startThread({ from = 'dm' }: { from?: string } = {}): Promise<SentMessage> {
      const outcome = await client.act('thread', { user: userId, from: await channelId(from) })
      if (!outcome.ok) throw new Error(`The thread wasn't started: ${outcome.message}`)
      return toSentMessage(client, userId, outcome, await channelId('dm'))
    },
    /** Switches to another channel while an assistant thread is open, which sends `assistant_thread_context_changed`. */
    viewChannel: async (channel: string, { ts }: Pick<SentMessage, 'ts'>): Promise<Outcome> =>
      client.act('thread', { user: userId, from: await channelId(channel), ts }),
  }
}
