import type { webApi } from '@slack/bolt'

const PAGE = 200
/** Of people who have ever written with the app. */
const MOST_PAGES = 25

/**
 * The channel of a person's direct messages with the app, from the list of those that there are: to open one would need a scope of
 * its own. Throws `missing_scope` without `im:read`.
 */
export async function directChannelOf(client: webApi.WebClient, userId: string): Promise<string | undefined> {
  for (let page = 0, cursor: string | undefined; page < MOST_PAGES; page += 1) {
    const asked = { types: 'im', limit: PAGE, ...(cursor && { cursor }) }
    const { channels = [], response_metadata: about } = await client.users.conversations(asked)
    // The library's type has no `user`, which every direct message has (https://docs.slack.dev/reference/objects/conversation-object, November 2026).
    const found = channels.find((one) => (one as { user?: unknown }).user === userId)
    if (found?.id) return found.id
    cursor = about?.next_cursor
    if (!cursor) return undefined
  }
  throw new Error('There are too many direct messages to find one in.')
}
