import {
  type Database,
  type DatabaseTime,
  type DecisionTransaction,
  deleteRows,
  type Rows,
  readTime,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { newId, UserError } from '@signalman/runtime'
import { ENVIRONMENTS, type Environment } from '../../../domain/environment.ts'
import type { PollResult } from '../rules/decide-poll.ts'
import { toFilterKey } from '../rules/filter-fields.ts'
import { watchMatcher } from '../rules/matching.ts'
import type { Said } from '../rules/said.ts'
import {
  MAX_WATCHES,
  type NewWatch,
  type PauseReason,
  RETRY_PAUSED_EVERY_MS,
  type Watch,
  type WatchChannel,
  WatchLimitReached,
  type WatchSettings,
} from '../rules/watch.ts'
import { hasSameSettings } from '../rules/watch-fields.ts'
import { updateChannels, waitingSince } from './channels.ts'
import { POST, SETTINGS, WATCH } from './columns.ts'
import { startPolling, stopUnwatchedPolling } from './polls.ts'
import { toWatch } from './readers.ts'
import { say } from './say.ts'
import { scheduleDelivery, scheduleTelling } from './work.ts'

type ChannelKey = Pick<WatchChannel, 'workspaceId' | 'channelId'>
const channelColumns = ({ workspaceId, channelId }: ChannelKey) => ({
  workspace_id: workspaceId,
  channel_id: channelId,
})

async function find(rows: Rows, workspaceId: string, id: string): Promise<Watch | undefined> {
  const row = await selectRows(rows, 'watch', { id, workspace_id: workspaceId }).executeTakeFirst()
  return row && toWatch(row)
}

async function list(
  rows: Rows,
  workspaceId: string,
  where: { channelId?: string; environment?: Environment } = {},
): Promise<Watch[]> {
  const optional = { channel_id: where.channelId, environment: where.environment }
  const query = selectRows(rows, 'watch', { workspace_id: workspaceId }, optional)
  return (await query.orderBy('channel_id').orderBy('made_at').orderBy('id').execute()).map(toWatch)
}

/** Another watch of the same channel and environment with the same filter. */
const findSame = async (rows: Rows, watch: NewWatch): Promise<Watch | undefined> =>
  (await list(rows, watch.workspaceId, watch)).find(
    ({ id, filter }) => id !== watch.id && toFilterKey(filter) === toFilterKey(watch.filter),
  )

/** Reads watches (`watch`). */
export const watchReads = ({ rows }: Pick<Database, 'rows'>) => ({
  /** The watches of the workspace or one channel; by channel, oldest first. */
  list: (workspaceId: string, where?: { channelId?: string; environment?: Environment }) =>
    list(rows, workspaceId, where),
  find: (workspaceId: string, id: string) => find(rows, workspaceId, id),
})

/** Pauses and resumes the watches of a channel when Slack says that it accepts no messages, or accepts them again. */
export const channelPauses = ({ withLock }: Pick<Database, 'withLock'>, time: DatabaseTime) => ({
  /** Resumes a channel's paused watches, unless they wait for an admin to agree. */
  resume: (workspaceId: string, channelId: string): Promise<void> =>
    withLock(workspaceId, (transaction) =>
      resume(transaction, time, { workspaceId, channelId }, 'shared-outside'),
    ),

  /**
   * Pauses every watch of a channel and notifies the owners. A shared channel isn't retried, and not paused if an admin has agreed,
   * unless `revokes` says that the agreement was about others. Returns how many weren't paused before.
   */
  pause: (
    workspaceId: string,
    channelId: string,
    reason: PauseReason,
    { now, revokes = false }: { now: Date; revokes?: boolean },
  ) =>
    withLock(workspaceId, async (transaction) => {
      const watches = await list(transaction, workspaceId, { channelId })
      // Who agrees does so for all watches of the channel.
      const isAgreed = !revokes && watches.some(({ agreedOutsideAt }) => agreedOutsideAt)
      if (reason === 'shared-outside' && isAgreed) return 0
      const paused = await transaction
        .updateTable('watch')
        .set({
          ...{ paused_at: now.toISOString(), pause_reason: reason },
          ...(revokes && { agreed_outside_at: null }),
        })
        .where((row) => row.and(channelColumns({ workspaceId, channelId })))
        .where((row) =>
          reason === 'shared-outside'
            ? row.or([row('pause_reason', 'is', null), row('pause_reason', '<>', reason)])
            : row('paused_at', 'is', null),
        )
        .executeTakeFirst()
      const [watch] = watches
      if (!watch || paused.numUpdatedRows === 0n) return 0
      await tellOwners(transaction, time, watch, now)
      // The pages that it hasn't accepted go to people.
      for (const environment of ENVIRONMENTS)
        await updateChannels(transaction, time, { ...watch, environment })
      const retryAt = new Date(now.getTime() + RETRY_PAUSED_EVERY_MS)
      await scheduleDelivery(transaction, time, { workspaceId, channelId }, retryAt)
      return Number(paused.numUpdatedRows)
    }),
})

/** What people change about watches. */
export const watchChanges = ({ transaction, workspaceId }: DecisionTransaction, time: DatabaseTime) => ({
  /**
   * Adds a watch, and starts polling. If the channel has a watch with the same filter, returns that one unchanged. `seen`: what the checks
   * were a moment ago, if nothing is polled yet. Throws WatchLimitReached.
   */
  async add(watch: NewWatch, said?: Said, seen?: PollResult): Promise<Watch> {
    const all = await list(transaction, workspaceId)
    const existing = await findSame(transaction, watch)
    if (existing) return existing
    if (all.length >= MAX_WATCHES) throw new WatchLimitReached('watches', MAX_WATCHES)
    const row = WATCH.toRow({ ...watch, madeAt: await readTime(transaction, time) })
    await transaction.insertInto('watch').values(row).execute()
    await startPolling(transaction, time, watch, seen)
    await say(transaction, time, watch, said)
    await updateChannels(transaction, time, watch, { saved: { id: watch.id, knew: () => false } })
    return toWatch(row)
  },

  /**
   * Changes a watch. Undefined if the watch no longer exists. Throws UserError, also what `refuse` throws about the watch as it is stored.
   */
  async change(
    id: string,
    settings: WatchSettings,
    { said, refuse }: { said?: Said; refuse?: (stored: Watch) => void } = {},
  ): Promise<Watch | undefined> {
    const before = await find(transaction, workspaceId, id)
    if (!before) return undefined
    if (hasSameSettings(before, settings)) return before
    refuse?.(before)
    const same = await findSame(transaction, { ...before, ...settings })
    if (same) throw new UserError('Another watch of this channel is of the same health checks.')
    await updateRows(transaction, 'watch', { id }, SETTINGS.toRow(settings))
    await say(transaction, time, before, said)
    await redraw(transaction, time, before, { saved: toSaved(before, settings) })
    return find(transaction, workspaceId, id)
  },

  /** Deletes a watch. What nobody watches anymore leaves the cards. False if the watch no longer exists. */
  async remove(id: string, now: Date, said?: Said): Promise<boolean> {
    const watch = await find(transaction, workspaceId, id)
    if (!watch) return false
    await deleteRows(transaction, 'watch', { id })
    await stopUnwatchedPolling(transaction, watch, now)
    await redraw(transaction, time, watch)
    const isLast = (await list(transaction, workspaceId, watch)).length === 0
    // Nobody is left to allow posting there, and another organization would read it.
    if (isLast && watch.paused?.reason === 'shared-outside') await dropUnsent(transaction, watch)
    else await say(transaction, time, watch, said)
    await scheduleDelivery(transaction, time, watch)
    return true
  },

  /** Resumes a channel's paused watches. `agreedOutsideAt`: an admin agreed to post although it's shared. */
  async resume(channelId: string, agreedOutsideAt?: Date): Promise<void> {
    const channel = { workspaceId, channelId }
    const agreed = agreedOutsideAt && { agreed_outside_at: agreedOutsideAt.toISOString() }
    if (agreed) await updateRows(transaction, 'watch', channelColumns(channel), agreed)
    await resume(transaction, time, channel)
  },
})

async function resume(
  rows: Rows,
  time: DatabaseTime,
  channel: ChannelKey,
  except?: PauseReason,
): Promise<void> {
  const { numUpdatedRows } = await rows
    .updateTable('watch')
    .set({ paused_at: null, pause_reason: null })
    .where((row) => row.and(channelColumns(channel)))
    .where('paused_at', 'is not', null)
    .where((row) => (except ? row('pause_reason', '<>', except) : row('paused_at', 'is not', null)))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  for (const environment of ENVIRONMENTS) await updateChannels(rows, time, { ...channel, environment })
  await scheduleDelivery(rows, time, channel)
}

/** Tells the owners that the channel is paused. */
async function tellOwners(rows: Rows, time: DatabaseTime, channel: WatchChannel, at: Date): Promise<void> {
  const { workspaceId, enterpriseId, environment, channelId } = channel
  const post = { id: newId(), kind: 'paused' as const, openedAt: at, closedAt: at, content: '' }
  const row = { workspaceId, enterpriseId, environment, channelId, ...post, version: 1, shownVersion: 1 }
  await rows.insertInto('watch_post').values(POST.toRow(row)).execute()
  await scheduleTelling(rows, time, workspaceId, post.id)
}

/** Edits the channel's open cards: they show some settings of the watches, such as a runbook. */
async function redraw(rows: Rows, time: DatabaseTime, channel: WatchChannel, options = {}): Promise<void> {
  await rows
    .updateTable('watch_post')
    .set((post) => ({ version: post('version', '+', 1), waiting_since: waitingSince(time) }))
    .where((post) => post.and({ ...channelColumns(channel), kind: 'card', closed_at: null }))
    .execute()
  await updateChannels(rows, time, channel, options)
  await scheduleDelivery(rows, time, channel)
}

/** What is down is new to a changed watch if it wasn't about it before, or begins to page. */
const toSaved = ({ id, filter, page }: Watch, settings: WatchSettings) => ({
  id,
  knew: page || !settings.page ? watchMatcher(filter) : () => false,
})

/** Drops a channel's unsent messages. */
export async function dropUnsent(rows: Rows, channel: ChannelKey): Promise<void> {
  const where = channelColumns(channel)
  await rows
    .deleteFrom('watch_post')
    .where((post) => post.and([post.and(where), post('kind', 'in', ['note', 'reply'])]))
    .where('closed_at', 'is', null)
    .execute()
  await rows
    .updateTable('watch_post')
    .set(({ ref }) => ({ shown_version: ref('version'), recheck_at: null }))
    .where((row) => row.and(where))
    .execute()
}
