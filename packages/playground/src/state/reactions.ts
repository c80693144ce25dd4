import { findEmoji } from '../protocol/emoji.ts'
import type { Fields } from '../protocol/json.ts'
import type { Reaction } from '../protocol/protocol.ts'

/**
 * The maximum number of different emoji on one message (https://docs.slack.dev/reference/methods/reactions.add, November 2026).
 */
const MAX_EMOJI = 50

export type ReactionError = 'invalid_name' | 'already_reacted' | 'no_reaction' | 'too_many_emoji'

/** Whether Slack has an emoji of this name. The playground's workspaces have no emoji of their own. */
export const isEmojiName = (name: string): boolean => findEmoji(name) !== undefined
export const emojiName = (name: string): string => name.replace(/^:|:$/g, '')

/** Adds a person's reaction to a list of reactions. Returns the new list, or Slack's error. */
export function withReaction(
  all: readonly Reaction[],
  name: string,
  user: string,
): Reaction[] | ReactionError {
  if (!isEmojiName(name)) return 'invalid_name'
  const existing = all.find((reaction) => reaction.name === name)
  if (existing?.users.includes(user)) return 'already_reacted'
  if (!existing && all.length >= MAX_EMOJI) return 'too_many_emoji'
  if (!existing) return [...all, { name, users: [user] }]
  return all.map((reaction) =>
    reaction === existing ? { name, users: [...reaction.users, user] } : reaction,
  )
}

/** Removes a person's reaction from a list of reactions. Returns the new list, or Slack's error. */
export function withoutReaction(
  all: readonly Reaction[],
  name: string,
  user: string,
): Reaction[] | ReactionError {
  if (!all.some((reaction) => reaction.name === name && reaction.users.includes(user))) return 'no_reaction'
  return all
    .map((reaction) =>
      reaction.name === name ? { name, users: reaction.users.filter((id) => id !== user) } : reaction,
    )
    .filter(({ users }) => users.length > 0)
}

/** The reactions as in the Web API. */
export const reactionFields = (all: readonly Reaction[]): Fields[] =>
  all.map(({ name, users }) => ({ name, users: [...users], count: users.length }))
