import type { HistoryPage } from '../protocol/protocol.ts'
import { ActionError, findAccount, findOwnChannel } from '../state/actors.ts'
import type { World } from '../state/world.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

/** Parses the number of requested messages. Throws ActionError if it's invalid. */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > MAX_LIMIT)
    throw new ActionError('bad_post', `The number of messages must be a whole number from 1 to ${MAX_LIMIT}.`)
  return count
}

/**
 * Returns the last messages of a channel or thread, or with `before`, the last ones before that timestamp. Includes only messages that
 * the person can see, oldest first. A thread always includes its parent.
 */
export function readHistory(
  world: Pick<World, 'messages' | 'people'>,
  query: Record<string, string | undefined>,
): HistoryPage {
  const person = findAccount(world, query.user ?? '')
  const channel = findOwnChannel(world, person, query.channel ?? '')
  const { before, thread } = query
  const limit = readCount(query.limit) ?? DEFAULT_LIMIT
  const matching = world.messages
    .visibleTo(person.id, channel.id)
    .filter(({ ts, threadTs }) => thread === undefined || ts === thread || threadTs === thread)
    .filter(({ ts }) => before === undefined || Number(ts) < Number(before))
  const hasMore = matching.length > limit
  // Includes the parent even if `limit` cuts it off.
  const parent = hasMore && thread !== undefined ? matching.filter(({ ts }) => ts === thread) : []
  return { messages: [...parent, ...matching.slice(-limit)], hasMore }
}
