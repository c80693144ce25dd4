import type { AppAccess } from '../rules/rule.ts'
import { type Caller, createCaller } from './installs.ts'
import type { StoredFile } from './stored.ts'
import type { World } from './world.ts'

/** https://docs.slack.dev/reference/block-kit/composition-objects/slack-file-object (November 2026) */
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif']

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

/** What an installation of the app can use in its blocks. */
export function createAppAccess(
  world: Pick<World, 'files' | 'manifest' | 'people'>,
  caller: Caller,
): AppAccess {
  return {
    scopes: caller.scopes,
    canShowPicture(fileId) {
      const file = world.files.find(fileId)
      return (
        file !== undefined && PICTURE_TYPES.includes(file.info.mimetype) && isVisibleFile(world, file, caller)
      )
    },
  }
}

/** What the app can use in its blocks in a workspace; undefined if it isn't installed there. */
export function findAppAccess(
  world: Pick<World, 'files' | 'manifest' | 'people' | 'installs'>,
  teamId: string,
): AppAccess | undefined {
  const install = world.installs.find(teamId)
  return install && createAppAccess(world, createCaller(install))
}
