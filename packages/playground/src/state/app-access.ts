import type { Caller } from './installs.ts'
import type { StoredFile } from './stored.ts'
import type { World } from './world.ts'

/**
 * Whether the app can see a file: its own upload, a file that is shared in a conversation of its bot, or one that a view's state
 * contained.
 */
export function isVisibleFile(
  { people }: Pick<World, 'people'>,
  { info, channels, receivedIn, complete }: StoredFile,
  { teamId, bot }: Caller,
): boolean {
  const { userId } = bot(teamId)
  const isShared = channels.some((id) => people.channel(id)?.members.includes(userId))
  return complete && (info.user === userId || isShared || receivedIn?.includes(teamId) === true)
}
