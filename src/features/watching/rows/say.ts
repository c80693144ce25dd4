import {
  type Database,
  type DatabaseTime,
  type ErasedPerson,
  type Rows,
  readTime,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { lineElements } from '@signalman/slack'
import type { Said } from '../rules/said.ts'
import type { WatchChannel } from '../rules/watch.ts'
import { POST } from './columns.ts'
import { scheduleDelivery } from './work.ts'

/** Says in a channel, or in the thread of a card, what somebody changed. The change calls it in its own transaction. */
export async function say(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  said: Said | undefined,
  cardId?: string,
): Promise<void> {
  if (!said) return
  const { workspaceId, environment, channelId } = channel
  const at = await readTime(rows, time)
  const post = {
    id: newId(),
    kind: 'said' as const,
    openedAt: at,
    closedAt: at,
    version: 1,
    shownVersion: 0,
    cardId,
  }
  const content = JSON.stringify(said)
  await rows
    .insertInto('watch_post')
    .values(POST.toRow({ workspaceId, environment, channelId, ...post, content }))
    .execute()
  await scheduleDelivery(rows, time, channel)
}

/**
 * Erases a person from what was said in channels, and from pages that they asked for or got. Who is meant by a name can't be told, so all of
 * these texts go; what was sent is never read again. Returns how many messages there were. They stay the owner of what is in effect, and
 * their name in outages that they took.
 */
export const eraseFromPosts = (
  { withLock }: Pick<Database, 'withLock'>,
  workspaceId: string,
  { userId }: ErasedPerson,
): Promise<number> =>
  withLock(workspaceId, async (transaction) => {
    const found = await selectRows(transaction, 'watch_post', { workspace_id: workspaceId })
      .where((post) =>
        post.or([
          post.and([post('kind', '=', 'said'), post('content', '<>', SOMEONE_CHANGED)]),
          post('asked_by', '<>', SOMEONE),
          post('responders', 'is not', null),
        ]),
      )
      .execute()
    let count = 0
    for (const row of found) {
      const { id, kind, askedBy, responders } = POST.parse(row)
      const [isSaid, isAsked] = [kind === 'said', askedBy !== undefined]
      const others = responders?.filter((one) => one.id !== userId)
      if (!isSaid && !isAsked && others?.length === responders?.length) continue
      count += await updateRows(
        transaction,
        'watch_post',
        { id },
        {
          ...(isSaid && { content: SOMEONE_CHANGED }),
          ...(isAsked && { asked_by: SOMEONE }),
          ...(others && { responders: JSON.stringify(others) }),
        },
      )
    }
    return count
  })

const SOMEONE = 'someone'
const SOMEONE_CHANGED = JSON.stringify({
  line: lineElements('Someone changed what is watched or muted here.'),
})
