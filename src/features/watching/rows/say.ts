import {
  createNameMatcher,
  type Database,
  type DatabaseTime,
  type ErasedPerson,
  type Rows,
  readTime,
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
 * Erases a person from what was said in channels, and from pages that they asked for. Returns how many. They stay the owner of what is in
 * effect, and their name in outages that they took.
 */
export const eraseFromPosts = (
  { withLock }: Pick<Database, 'withLock'>,
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<number> =>
  withLock(workspaceId, async (transaction) => {
    const matchers = [userId, ...alsoKnownAs].map(createNameMatcher)
    const isNamed = (text: string | null) => text !== null && matchers.some((matches) => matches(text))
    const found = await transaction
      .selectFrom('watch_post')
      .select(['id', 'kind', 'content', 'asked_by'])
      .where('workspace_id', '=', workspaceId)
      .where((post) => post.or([post('kind', '=', 'said'), post('asked_by', 'is not', null)]))
      .execute()
    const naming = found.filter(({ content, asked_by }) => isNamed(content) || isNamed(asked_by))
    for (const { id, kind, asked_by } of naming)
      await updateRows(
        transaction,
        'watch_post',
        { id },
        {
          ...(kind === 'said' && { content: JSON.stringify({ line: lineElements(SOMEONE_CHANGED) }) }),
          ...(asked_by !== null && { asked_by: 'someone' }),
        },
      )
    return naming.length
  })

const SOMEONE_CHANGED = 'Someone changed what is watched or muted here.'
