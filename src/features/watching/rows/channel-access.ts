import {
  type Database,
  type DatabaseTime,
  type DecisionTransaction,
  deleteRows,
  type Rows,
  readTime,
  selectRows,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Obstacle } from '../../../bot/routes/command-context.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import type { Post } from '../rules/channel/state.ts'
import { type ChannelAccess, decidePermission } from '../rules/channel-access.ts'
import { RETRY_PAUSED_EVERY_MS, type WatchChannel } from '../rules/watch.ts'
import { updateChannels } from './channels.ts'
import { CHANNEL, POST, WATCH } from './columns.ts'
import { getUnsettledMs, readChannel, readChannels } from './readers.ts'
import { scheduleDelivery, scheduleTelling } from './work.ts'

export const channelReads = ({ rows }: Pick<Database, 'rows'>) => ({
  find: (workspaceId: string, channelId: string) => readChannel(rows, workspaceId, channelId),
  findAll: (workspaceId: string) => readChannels(rows, workspaceId),
})

/** Pauses and resumes a channel when Slack says that it accepts no messages, or accepts them again. */
export const channelPauses = ({ withLock }: Pick<Database, 'withLock'>, time: DatabaseTime) => ({
  /** Slack accepted a message, or nothing is left to send there. A shared channel stays paused until somebody resumes it. */
  resume: (workspaceId: string, channelId: string): Promise<void> =>
    withLock(workspaceId, async (transaction) => {
      const { paused, agreedOutsideAt } = await readChannel(transaction, workspaceId, channelId)
      if (paused && paused.reason !== 'shared-outside')
        await save(transaction, time, { workspaceId, channelId }, { agreedOutsideAt })
    }),

  /** Nobody else reads the channel anymore. Who agreed to that did so for those who did, and is asked again about others. */
  endAgreement: (workspaceId: string, channelId: string, { agreedOutsideAt }: ChannelAccess): Promise<void> =>
    withLock(workspaceId, async (transaction) => {
      const stored = await readChannel(transaction, workspaceId, channelId)
      if (stored.agreedOutsideAt?.getTime() === agreedOutsideAt?.getTime())
        await save(transaction, time, { workspaceId, channelId }, { paused: stored.paused })
    }),

  /** Nothing is left to send. Who agreed to post for other organizations did so for the watches that have ended. */
  forgetUnwatched: (workspaceId: string, channelId: string): Promise<void> =>
    withLock(workspaceId, async (transaction) => {
      if (await findWatch(transaction, workspaceId, channelId)) return
      await deleteRows(transaction, 'watch_channel', { workspace_id: workspaceId, channel_id: channelId })
    }),

  /**
   * Pauses a watched channel and notifies the owners of its watches. A shared one isn't paused if an admin has agreed, unless `revokes`
   * says that the agreement was about others. False if it was paused already.
   */
  pause: (
    workspaceId: string,
    channelId: string,
    reason: Obstacle,
    { now, revokes = false }: { now: Date; revokes?: boolean },
  ): Promise<boolean> =>
    withLock(workspaceId, async (transaction) => {
      const watch = await findWatch(transaction, workspaceId, channelId)
      const { paused, agreedOutsideAt } = await readChannel(transaction, workspaceId, channelId)
      const isShared = reason === 'shared-outside'
      const isPaused = paused !== undefined && (!isShared || paused.reason === reason)
      await scheduleSettling(transaction, time, { workspaceId, channelId, paused })
      if (!watch || (isPaused && !revokes) || (isShared && agreedOutsideAt && !revokes)) return false
      // Sharing it again counts from now: who agrees has to know of it.
      const access = { paused: { at: now, reason }, agreedOutsideAt: isShared ? undefined : agreedOutsideAt }
      await save(transaction, time, watch, access)
      if (isPaused) return false
      await tellOwners(transaction, time, watch, now, { id: newId() })
      return true
    }),
})

export const channelChanges = ({ transaction, workspaceId }: DecisionTransaction, time: DatabaseTime) => ({
  /**
   * Resumes a channel about which a person has asked Slack. False if it may not be posted in: an admin has to agree, or it became shared
   * after Slack was asked.
   */
  async resume(channelId: string, { isSharedOutside, askedAt, agreedOutsideAt }: Asked): Promise<boolean> {
    const before = await readChannel(transaction, workspaceId, channelId)
    const access = { paused: before.paused, agreedOutsideAt: agreedOutsideAt ?? before.agreedOutsideAt }
    const permission = isSharedOutside ? 'shared-outside' : 'yes'
    const asked = { at: askedAt, now: await readTime(transaction, time) }
    if (decidePermission(access, { permission, asked }) !== 'yes') return false
    const isChanged = before.paused !== undefined || access.agreedOutsideAt !== before.agreedOutsideAt
    if (isChanged)
      await save(transaction, time, { workspaceId, channelId }, { agreedOutsideAt: access.agreedOutsideAt })
    return true
  },
})

/** What Slack said about a channel when a person asked, and when an admin agreed. */
interface Asked {
  readonly isSharedOutside: boolean
  readonly askedAt: Date
  readonly agreedOutsideAt?: Date | undefined
}

async function save(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, channelId }: Pick<WatchChannel, 'workspaceId' | 'channelId'>,
  { paused, agreedOutsideAt }: ChannelAccess,
): Promise<void> {
  const values = { pausedAt: paused?.at, pauseReason: paused?.reason, agreedOutsideAt }
  const { workspace_id, channel_id, ...changed } = CHANNEL.toRow({ workspaceId, channelId, ...values })
  await rows
    .insertInto('watch_channel')
    .values({ workspace_id, channel_id, ...changed })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'channel_id']).doUpdateSet(changed))
    .execute()
  // The pages that a paused channel hasn't accepted go to people.
  for (const environment of ENVIRONMENTS) await updateChannels(rows, time, { workspaceId, environment })
  const at = await readTime(rows, time)
  const unsettled = await listUnsettledMs(rows, { workspaceId, channelId }, at)
  const retryMs = Math.min(RETRY_PAUSED_EVERY_MS, ...unsettled)
  await scheduleDelivery(rows, time, { workspaceId, channelId }, paused && new Date(at.getTime() + retryMs))
}

/** How long it's too early to tell of each message that may have been posted. */
async function listUnsettledMs(
  rows: Rows,
  { workspaceId, channelId }: Pick<WatchChannel, 'workspaceId' | 'channelId'>,
  at: Date,
): Promise<number[]> {
  const where = { workspace_id: workspaceId, channel_id: channelId, ts: null, closed_at: null }
  const found = await selectRows(rows, 'watch_post', where).where('attempted_at', 'is not', null).execute()
  return found.map((row) => getUnsettledMs(row, at))
}

/**
 * What may have been posted before a channel was paused doesn't wait for the next try: until it's known whether it was, nobody else is paged
 * about what it names. What could have been told by now waits: trying again at once would never end.
 */
async function scheduleSettling(
  rows: Rows,
  time: DatabaseTime,
  { paused, ...place }: Pick<WatchChannel, 'workspaceId' | 'channelId'> & Pick<ChannelAccess, 'paused'>,
): Promise<void> {
  if (!paused) return
  const at = await readTime(rows, time)
  const soonestMs = Math.min(...(await listUnsettledMs(rows, place, at)).filter((ms) => ms > 0))
  if (Number.isFinite(soonestMs))
    await scheduleDelivery(rows, time, place, new Date(at.getTime() + soonestMs))
}

async function findWatch(
  rows: Rows,
  workspaceId: string,
  channelId: string,
): Promise<WatchChannel | undefined> {
  const where = { workspace_id: workspaceId, channel_id: channelId }
  const row = await selectRows(rows, 'watch', where).executeTakeFirst()
  return row && WATCH.parse(row)
}

/** Tells owners of watches, once for each ID, that their channel is paused, or whom of those that they page Slack can't notify in it. */
export async function tellOwners(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, environment, channelId }: WatchChannel,
  at: Date,
  { id, responders }: Pick<Post, 'id' | 'responders'>,
): Promise<void> {
  const post = { id, kind: 'paused' as const, openedAt: at, closedAt: at, content: '', responders }
  const row = POST.toRow({ workspaceId, environment, channelId, ...post, version: 1, shownVersion: 1 })
  const { numInsertedOrUpdatedRows = 0n } = await rows
    .insertInto('watch_post')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows > 0n) await scheduleTelling(rows, time, workspaceId, id)
}
