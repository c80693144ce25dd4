import {
  type Database,
  type DatabaseTime,
  deleteRows,
  type Rows,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import { openIncident } from '../../../domain/outages/observe.ts'
import { type AlreadyDown, findAlreadyDown } from '../rules/adopt.ts'
import { keepStepTimes } from '../rules/escalation-steps.ts'
import { newLine } from '../rules/incident.ts'
import { prepareWatch } from '../rules/matching.ts'
import {
  MAX_WATCHES,
  type NewWatch,
  type Watch,
  type WatchChannel,
  WatchLimitReached,
  type WatchSettings,
} from '../rules/watch.ts'
import { hasSameSettings } from '../rules/watch-fields.ts'
import { SETTINGS, WATCH } from './columns.ts'
import { readChannelLines, readOpenIncidents, saveIncidentChanges, saveLines } from './incidents.ts'
import { closeNotices } from './notices.ts'
import { dropUnsent } from './outbox.ts'
import { createPauseChanges, resumeWatches } from './pauses.ts'
import { readPoll, startPolling, stopUnwatchedPolling } from './poll-rows.ts'
import {
  channelColumns,
  channelKeyColumns,
  readChannelWatches,
  readFirst,
  scopeColumns,
  toWatch,
} from './row.ts'
import { readNow, updateChannels } from './update-channels.ts'
import { redrawCards, scheduleDelivery, watchingLock } from './watch-work.ts'

/** Reads and changes watches (`watch`). */
export function createWatchesStore(database: Database, time: DatabaseTime) {
  const { rows, withLock } = database
  return {
    ...createPauseChanges(database, time),

    /** The watches of the workspace or one channel; by channel, oldest first. */
    async list(
      workspaceId: string,
      where: { channelId?: string; environment?: Environment } = {},
    ): Promise<Watch[]> {
      const optional = { channel_id: where.channelId, environment: where.environment }
      const query = selectRows(rows, 'watch', { workspace_id: workspaceId }, optional)
        .orderBy('channel_id')
        .orderBy('made_at')
        .orderBy('id')
      return (await query.execute()).map(toWatch)
    },

    find: (workspaceId: string, id: string) => findWatch(rows, workspaceId, id),

    /** Changes the owner. False if `from` no longer owns the watch. */
    async setOwner(workspaceId: string, id: string, { from, to }: { from: string; to: string }): Promise<boolean> {
      const ownedWatch = { id, workspace_id: workspaceId, owner_id: from }
      return (await updateRows(rows, 'watch', ownedWatch, { owner_id: to })) > 0
    },

    /**
     * Adds a watch, starts polling, and resumes the channel's paused watches. If the ID exists, returns that watch
     * unchanged. With `unlessSame`, the same for a watch of the channel with the same settings. Throws WatchLimitReached.
     */
    add: (watch: NewWatch, { unlessSame = false }: { unlessSame?: boolean } = {}) =>
      withLock(watchingLock(watch.workspaceId), async (transaction) => {
        const existing = watch.id && (await findWatch(transaction, watch.workspaceId, watch.id))
        if (existing) return existing
        const same = unlessSame ? await findSame(transaction, watch) : undefined
        if (same) return same
        await requireBelowLimit(transaction, watch.workspaceId)
        // One paused watch pauses the whole channel.
        await resumeWatches(transaction, time, watch)
        return await insertWatch(transaction, time, watch)
      }),

    /** What a watch found when it was saved, and still is down: adopted, or posted in its channel. */
    async findAlreadyDown(watch: Watch): Promise<AlreadyDown> {
      return findAlreadyDown(prepareWatch(watch), [prepareWatch(watch)], await readFound(rows, watch))
    },

    /**
     * Changes a watch. Adopts what is down and matches only now; what it no longer matches leaves its card. Resumes the channel's
     * paused watches. Undefined if the watch no longer exists.
     */
    change: (workspaceId: string, id: string, settings: WatchSettings, now: Date) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const before = await findWatch(transaction, workspaceId, id)
        if (!before) return undefined
        const isFilterChanged = JSON.stringify(before.filter) !== JSON.stringify(settings.filter)
        const { clockMs } = await readNow(transaction, time, before)
        const escalation =
          settings.escalation && keepStepTimes(settings.escalation, before.escalation ?? [], clockMs)
        const changes = {
          ...SETTINGS.toRow({ ...settings, escalation }),
          ...(isFilterChanged && { matched: null }),
        }
        const channelWatches = await readChannelWatches(transaction, before)
        await adopt(transaction, { ...before, ...settings }, channelWatches)
        await updateRows(transaction, 'watch', { id }, changes)
        // Cards show some settings of the watch, such as its runbook.
        await redrawOpenCards(transaction, time, before)
        await updateChannels(transaction, time, before)
        await stopUnwatchedPolling(transaction, before, now)
        await resumeWatches(transaction, time, before)
        return findWatch(transaction, workspaceId, id)
      }),

    /** Deletes a watch. Cards mark checks that are no longer watched. False if the watch no longer exists. */
    remove: (workspaceId: string, id: string, now: Date) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const watch = await findWatch(transaction, workspaceId, id)
        if (!watch) return false
        await deleteRows(transaction, 'watch', { id })
        await updateChannels(transaction, time, watch)
        await redrawOpenCards(transaction, time, watch)
        await closeNotices(transaction, time, watch)
        await stopUnwatchedPolling(transaction, watch, now)
        await sendOrDropPending(transaction, time, watch)
        return true
      }),
  }
}

/**
 * After a watch was deleted, sends the channel's pending messages. If the channel was paused and has no watches left, they don't
 * wait for the next retry. If it was also waiting for consent, drops them: nobody is left to agree, and another organization
 * would read them.
 */
async function sendOrDropPending(
  rows: Rows,
  time: DatabaseTime,
  { paused, ...channel }: Watch,
): Promise<void> {
  const remaining = await selectRows(rows, 'watch', channelKeyColumns(channel)).limit(1).executeTakeFirst()
  if (!remaining && paused?.reason === 'shared-outside') await dropUnsent(rows, channel)
  else await scheduleDelivery(rows, time, channel)
}

const findWatch = (rows: Rows, workspaceId: string, id: string): Promise<Watch | undefined> =>
  readFirst(selectRows(rows, 'watch', { id, workspace_id: workspaceId }), toWatch)

async function findSame(rows: Rows, watch: NewWatch): Promise<Watch | undefined> {
  const found = await selectRows(rows, 'watch', channelColumns(watch)).execute()
  return found.map(toWatch).find((other) => hasSameSettings(other, watch))
}

async function redrawOpenCards(rows: Rows, time: DatabaseTime, channel: WatchChannel): Promise<void> {
  const open = selectRows(rows, 'watch_card', { ...channelColumns(channel), kind: 'card', closed_at: null })
  const ids = (await open.execute()).map(({ id }) => id)
  await redrawCards(rows, time, channel.workspaceId, ids)
}

/** Adopts what is down, confirmed, and unknown in the channel when a watch is saved. `earlier` are the channel's watches so far. */
async function adopt(rows: Rows, watch: Watch, earlier: readonly Watch[]): Promise<void> {
  const { added } = findAlreadyDown(
    prepareWatch(watch),
    earlier.filter(({ environment }) => environment === watch.environment).map(prepareWatch),
    await readFound(rows, watch),
  )
  await saveLines(
    rows,
    watch,
    added.map((incident) => ({ ...newLine(incident, watch.channelId), adoptedFall: incident.falls })),
  )
}

const readFound = async (rows: Rows, watch: Watch) => ({
  incidents: await readOpenIncidents(rows, watch),
  lines: await readChannelLines(rows, watch),
  poll: (await readPoll(rows, watch))?.polls ?? 0,
})

/** Opens incidents for the checks that a new watch found down and that no poll has seen down. */
async function openForWatch(
  rows: Rows,
  time: DatabaseTime,
  watch: NewWatch,
  poll: number,
): Promise<void> {
  const { downChecks = [] } = watch
  const now = await readNow(rows, time, watch)
  const open = new Map((await readOpenIncidents(rows, watch)).map((one) => [one.check.uuid, one]))
  const opened = downChecks
    .filter(({ uuid }) => !open.has(uuid))
    .map((check) => openIncident(check, { ...now, poll, isFirst: true }, newId()))
  await saveIncidentChanges(rows, watch, opened, now)
  // Invalidates the cached incidents of all processes.
  if (opened.length > 0)
    await updateRows(rows, 'watch_poll', scopeColumns(watch), { states_version: newId() })
}

async function insertWatch(rows: Rows, time: DatabaseTime, watch: NewWatch): Promise<Watch> {
  const { clockMs } = await readNow(rows, time, watch)
  const row = WATCH.toRow({
    ...watch,
    id: watch.id ?? newId(),
    escalation: watch.escalation && keepStepTimes(watch.escalation, [], clockMs),
    isResumed: false,
  })
  await startPolling(rows, time, watch)
  const { polls = 0 } = (await readPoll(rows, watch)) ?? {}
  if (polls === 0) await openForWatch(rows, time, watch, polls)
  await adopt(rows, toWatch(row), await readChannelWatches(rows, watch))
  await rows.insertInto('watch').values(row).execute()
  await redrawOpenCards(rows, time, watch)
  await updateChannels(rows, time, watch)
  return toWatch(row)
}

/**
 * Throws WatchLimitReached at the limit. Call it while holding `watchingLock`, because otherwise two requests could pass at the
 * same time.
 */
async function requireBelowLimit(rows: Rows, workspaceId: string): Promise<void> {
  const { count } = await rows
    .selectFrom('watch')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_WATCHES) throw new WatchLimitReached('watches', MAX_WATCHES)
}
