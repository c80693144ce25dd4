import type { webApi } from '@slack/bolt'
import { findDirectMessage } from './directory.ts'
import { readPages } from './pages.ts'

export interface ChannelOrThread {
  channelId: string
  threadTs?: string | undefined
}

/** How to find a message that may have been posted, because Slack's response was lost. */
export interface PostSearch {
  /** The app's own ID for the post, in the message's metadata. Slack has none for the message of a file, which has the file's. */
  readonly postId: string
  /** The file that the message has, instead of the post's ID. */
  readonly fileId?: string | undefined
  /** The time range in which it was sent, by our clock. `until` is now by default. */
  readonly since: Date
  readonly until?: Date | undefined
}

/**
 * How far the clocks may differ, and how much later than its request a message may appear. Slack's requests are accepted from
 * five minutes before to five minutes after our time (`../receive/receiver.ts`), and the time may come from the database on
 * another machine.
 */
const MAX_SKEW_MS = 660_000
const PAGE_SIZE = 100
/** Apps sold outside Slack's marketplace get 15 messages a page, whatever they request (since May 2025). */
const MAX_PAGES = 10

/**
 * Finds one of the app's own messages by its post ID, in a channel, a thread, or a person's DM. Undefined if it isn't there. Throws Slack's
 * error: `missing_scope` without the history scope for this kind of channel.
 */
export function createFindPosted(client: webApi.WebClient) {
  return async (place: ChannelOrThread | { to: string }, { postId, fileId, since, until }: PostSearch) => {
    const { channelId, threadTs } =
      'to' in place ? { channelId: await findDirectMessage(client, place.to), threadTs: undefined } : place
    if (channelId === undefined) return undefined
    const window = {
      channel: channelId,
      oldest: slackTime(since.getTime() - MAX_SKEW_MS),
      ...(until && { latest: slackTime(until.getTime() + MAX_SKEW_MS) }),
      limit: PAGE_SIZE,
      include_all_metadata: true,
    }
    const isOwn = await createIsOwnMessage(client)
    const pages =
      threadTs === undefined
        ? readPages((page) => client.conversations.history(page), window, MAX_PAGES)
        : readPages((page) => client.conversations.replies(page), { ...window, ts: threadTs }, MAX_PAGES)
    for await (const page of pages) {
      // Unvalidated data from Slack, so every field is checked.
      const messages = (page.messages ?? []) as Readonly<Record<string, unknown>>[]
      const isSought = (message: Readonly<Record<string, unknown>>): boolean =>
        fileId === undefined ? readPostId(message) === postId : hasFile(message, fileId)
      const found = messages.find((message) => isSought(message) && isOwn(message))
      if (found) return { channelId, ts: String(found.ts) }
    }
    return undefined
  }
}

const slackTime = (ms: number): string => (ms / 1000).toFixed(6)

/**
 * Returns a function that tells whether a message is the app's own, because any app may post any metadata.
 */
async function createIsOwnMessage(
  client: webApi.WebClient,
): Promise<(message: Readonly<Record<string, unknown>>) => boolean> {
  const { bot_id, user_id } = await client.auth.test()
  return (message) =>
    (bot_id !== undefined && message.bot_id === bot_id) || (user_id !== undefined && message.user === user_id)
}

/** Every app and person in the workspace can see the metadata, so it contains only the post ID. */
const EVENT_TYPE = 'posted_message'

export const messageMetadata = (postId: string) => ({ event_type: EVENT_TYPE, event_payload: { id: postId } })

const hasFile = ({ files }: Readonly<Record<string, unknown>>, fileId: string): boolean =>
  Array.isArray(files) && files.some((file: { id?: unknown } | null) => file?.id === fileId)

/** Reads the post ID from a message's metadata. */
function readPostId({ metadata }: Readonly<Record<string, unknown>>): unknown {
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const { event_type, event_payload } = metadata as { event_type?: unknown; event_payload?: unknown }
  if (event_type !== EVENT_TYPE || typeof event_payload !== 'object' || event_payload === null)
    return undefined
  return (event_payload as { id?: unknown }).id
}
