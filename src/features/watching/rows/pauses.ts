import {
  type Database,
  type DatabaseTime,
  type Rows,
  schedule,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { type PauseReason, RETRY_PAUSED_EVERY_MS } from '../rules/watch.ts'
import { type ChannelKey, channelKeyColumns } from './row.ts'
import { updateChannels } from './update-channels.ts'
import { scheduleDelivery, scheduleDeliveryAttempt, WATCH_WORK, watchingLock } from './watch-work.ts'

/** Pausing and resuming watches. */
export function createPauseChanges({ rows, withLock }: Database, time: DatabaseTime) {
  return {
    /** Resumes a channel's paused watches. One message lists what the channel missed. Returns how many were paused. */
    resume: (workspaceId: string, channelId: string, options?: ResumeOptions) =>
      withLock(watchingLock(workspaceId), (transaction) =>
        resumeWatches(transaction, time, { workspaceId, channelId }, options),
      ),

    /**
     * Retries paused channels: either one channel with its threads, or every channel in which a person owns a paused watch.
     * Returns the number of channels.
     */
    async retryPaused(
      workspaceId: string,
      where: { channelId: string } | { ownerId: string },
    ): Promise<number> {
      const owner = { owner_id: 'ownerId' in where ? where.ownerId : undefined }
      const candidates = selectRows(rows, 'watch', { workspace_id: workspaceId }, owner)
      const paused = candidates.where('paused_at', 'is not', null)
      const found = await ('channelId' in where
        ? paused.where('channel_id', '=', where.channelId)
        : paused
      ).execute()
      const channels = new Set(found.map(({ channel_id }) => channel_id))
      for (const channelId of channels) await scheduleDeliveryAttempt(rows, time, { workspaceId, channelId })
      return channels.size
    },

    /** Pauses every watch of a channel and notifies the owners. Returns how many weren't paused before. */
    pause: (workspaceId: string, channelId: string, reason: PauseReason, now: Date) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const unpaused = { ...channelKeyColumns({ workspaceId, channelId }), paused_at: null }
        const paused = await updateRows(transaction, 'watch', unpaused, pausedColumns(reason, now))
        if (paused === 0) return 0
        await schedule(transaction, time, { workspaceId, kind: WATCH_WORK.paused, key: channelId })
        // Stops escalation in the channel.
        for (const environment of ENVIRONMENTS)
          await updateChannels(transaction, time, { workspaceId, environment })
        const retryAt = new Date(now.getTime() + RETRY_PAUSED_EVERY_MS)
        await scheduleDeliveryAttempt(transaction, time, { workspaceId, channelId }, retryAt)
        return paused
      }),

    /**
     * Pauses the watches of a channel that is shared with another organization, until someone agrees to post
     * there. With `revokesConsent`, an earlier agreement no longer counts. A channel paused for this reason isn't retried
     * automatically. Returns how many watches weren't already paused for this reason.
     */
    pauseSharedChannel: (
      workspaceId: string,
      channelId: string,
      { now, revokesConsent }: { now: Date; revokesConsent: boolean },
    ) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        let query = transaction
          .updateTable('watch')
          .set({ ...pausedColumns('shared-outside', now), agreed_outside_at: null })
          .where('workspace_id', '=', workspaceId)
          .where('channel_id', '=', channelId)
          .where((row) =>
            row.or([row('pause_reason', 'is', null), row('pause_reason', '<>', 'shared-outside')]),
          )
        if (!revokesConsent) query = query.where('agreed_outside_at', 'is', null)
        const found = await query.returning('channel_id').execute()
        const channelIds = [...new Set(found.map(({ channel_id }) => channel_id))]
        for (const key of channelIds)
          await schedule(transaction, time, { workspaceId, kind: WATCH_WORK.paused, key })
        for (const environment of ENVIRONMENTS)
          if (channelIds.length > 0) await updateChannels(transaction, time, { workspaceId, environment })
        return found.length
      }),

    /** Records that someone agreed to post in a channel that is shared with another organization. */
    async allowSharing(workspaceId: string, channelId: string, now: Date): Promise<void> {
      const agreed_outside_at = now.toISOString()
      await updateRows(rows, 'watch', channelKeyColumns({ workspaceId, channelId }), { agreed_outside_at })
    },
  }
}

/** The number of matching checks is unknown until the next full listing after the pause. */
const pausedColumns = (reason: PauseReason, now: Date) => ({
  paused_at: now.toISOString(),
  pause_reason: reason,
  matched: null,
})

interface ResumeOptions {
  /** Watches paused for this reason stay paused. */
  readonly except?: PauseReason
  /** A message with everything that is down was just accepted, so the channel isn't told again. */
  readonly isTold?: boolean
}

export async function resumeWatches(
  rows: Rows,
  time: DatabaseTime,
  channel: ChannelKey,
  { except, isTold = false }: ResumeOptions = {},
): Promise<number> {
  const resumed = await rows
    .updateTable('watch')
    .set({
      paused_at: null,
      pause_reason: null,
      ...(!isTold && { is_resumed: 1 }),
    })
    .where((row) => row.and(channelKeyColumns(channel)))
    .where('paused_at', 'is not', null)
    .where((row) => (except ? row('pause_reason', '<>', except) : row('paused_at', 'is not', null)))
    .returning('environment')
    .execute()
  for (const environment of new Set(resumed.map(({ environment }) => environment)))
    await updateChannels(rows, time, { ...channel, environment })
  if (resumed.length > 0) await scheduleDelivery(rows, time, channel)
  return resumed.length
}
