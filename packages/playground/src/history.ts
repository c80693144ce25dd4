import type { HistoryPage } from './protocol.ts'
import { actor, channelOf, Refused, type Slack } from './slack.ts'

const USUAL = 100
const MOST = 1000

/** How many messages the page requests; undefined if it doesn't say. */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > MOST)
    throw new Refused('bad_post', `Ask for 1 to ${MOST} messages, as a whole number.`)
  return count
}

/** A page of what one person saw of a channel before a moment, or the newest messages of one of its threads. */
export function history(
  slack: Pick<Slack, 'messages' | 'people'>,
  query: Record<string, string | undefined>,
): HistoryPage {
  const person = actor(slack, query.user ?? '')
  const channel = channelOf(slack, person, query.channel ?? '')
  const { before, thread } = query
  const limit = readCount(query.limit) ?? USUAL
  const found = slack.messages
    .visibleTo(person.id, channel.id)
    .filter(({ ts, threadTs }) => thread === undefined || ts === thread || threadTs === thread)
    .filter(({ ts }) => before === undefined || Number(ts) < Number(before))
  const more = found.length > limit
  const parent = more && thread !== undefined ? found.filter(({ ts }) => ts === thread) : []
  return { messages: [...parent, ...found.slice(-limit)], more }
}
