import type { Fields, Reaction } from './protocol.ts'

/** Slack's names of emoji, some with a skin tone. */
const NAME = /^[a-z0-9_+'-]+(?:::skin-tone-[2-6])?$/
/** Different emoji on one message (https://docs.slack.dev/reference/methods/reactions.add, November 2026). */
const KINDS_AT_MOST = 50

export type ReactionFault = 'invalid_name' | 'already_reacted' | 'no_reaction' | 'too_many_emoji'

export const isEmojiName = (name: string): boolean => NAME.test(name)
export const emojiName = (given: string): string => given.replace(/^:|:$/g, '')

/** The reactions after adding one, or why that isn't possible. */
export function withReaction(
  all: readonly Reaction[],
  name: string,
  user: string,
): Reaction[] | ReactionFault {
  if (!isEmojiName(name)) return 'invalid_name'
  const known = all.find((one) => one.name === name)
  if (known?.users.includes(user)) return 'already_reacted'
  if (!known && all.length >= KINDS_AT_MOST) return 'too_many_emoji'
  if (!known) return [...all, { name, users: [user] }]
  return all.map((one) => (one === known ? { name, users: [...one.users, user] } : one))
}

/** The reactions after removing one, or why that isn't possible. */
export function withoutReaction(
  all: readonly Reaction[],
  name: string,
  user: string,
): Reaction[] | ReactionFault {
  if (!all.some((one) => one.name === name && one.users.includes(user))) return 'no_reaction'
  return all
    .map((one) => (one.name === name ? { name, users: one.users.filter((id) => id !== user) } : one))
    .filter(({ users }) => users.length > 0)
}

/** As the Web API writes them. */
export const reactionFields = (all: readonly Reaction[]): Fields[] =>
  all.map(({ name, users }) => ({ name, users: [...users], count: users.length }))
