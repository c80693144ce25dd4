import {
  type Database,
  type DatabaseTime,
  deleteIn,
  type Rows,
  rowsIn,
  type Schema,
  schedule,
  updateIn,
} from '@signalman/durable'
import { DAY_MS, newId } from '@signalman/runtime'
import type { ExpressionBuilder } from 'kysely'
import { ENVIRONMENTS, type Environment } from '../../../domain/environment.ts'
import { watchedOutage } from '../rules/alert.ts'
import { watchMatcher } from '../rules/subjects.ts'
import {
  MOST_WATCHES,
  type NewWatch,
  type PauseReason,
  RETRY_PAUSED_MS,
  type Watch,
  WatchingFull,
  type WatchPlace,
  type WatchTerms,
} from '../rules/watch.ts'
import { TERMS, WATCH } from './columns.ts'
import { closeNotices, showBlindness } from './notices.ts'
import { dropUnsent } from './outbox.ts'
import { readPoll, startPolling, stopUnwatchedPolling } from './poll-rows.ts'
import { type ChannelKey, channelColumns, channelKeyColumns, readFirst, toWatch } from './row.ts'
import { readOpenOutages } from './subject-rows.ts'
import { updateChannels } from './update-channels.ts'
import { redrawCards, scheduleDelivery, tryDelivery, WATCH_WORK, workspaceTurn } from './watch-work.ts'

/** The rows of `watch`. */
export function watches(database: Database, time: DatabaseTime) {
  const { rows, inTurn } = database
  return {
    ...pausedWatches(database, time),

    /** The watches of the workspace or one channel; by channel, oldest first. */
    async list(
      workspaceId: string,
      where: { channelId?: string; environment?: Environment } = {},
    ): Promise<Watch[]> {
      const mayBe = { channel_id: where.channelId, environment: where.environment }
      const found = rowsIn(rows, 'watch', { workspace_id: workspaceId }, mayBe)
        .orderBy('channel_id')
        .orderBy('made_at')
        .orderBy('id')
      return (await found.execute()).map(toWatch)
    },

    find: (workspaceId: string, id: string) => find(rows, workspaceId, id),

    /** Saves who the watch can't page, as the owner was just notified. */
    async setUnreachable(workspaceId: string, id: string, unreachable: readonly string[]): Promise<void> {
      const ofWatch = { id, workspace_id: workspaceId }
      await updateIn(rows, 'watch', ofWatch, {
        unreachable: unreachable.length > 0 ? JSON.stringify(unreachable) : null,
      })
    },

    /** Changes the owner. False if the watch isn't `from`'s any more. */
    async setOwner(
      workspaceId: string,
      id: string,
      { from, to }: { from: string; to: string },
    ): Promise<boolean> {
      const own = { id, workspace_id: workspaceId, owner_id: from }
      return (await updateIn(rows, 'watch', own, { owner_id: to })) > 0
    },

    /** A person changed: checks the watches that page them immediately. Returns how many there are. */
    checkPeople: (workspaceId: string, userId: string) =>
      inTurn(workspaceTurn(workspaceId), async (transaction) => {
        const all = (await rowsIn(transaction, 'watch', { workspace_id: workspaceId }).execute()).map(toWatch)
        const calling = all.filter(({ escalation = [] }) =>
          escalation.some(({ call }) => call.some(({ id }) => id === userId)),
        )
        for (const { id: key } of calling)
          await schedule(transaction, time, { workspaceId, kind: WATCH_WORK.people, key })
        return calling.length
      }),

    /**
     * Adds a watch, starts polling, and resumes the channel's paused watches. If the ID exists, returns that watch
     * unchanged. Throws WatchingFull.
     */
    add: (watch: NewWatch) =>
      inTurn(workspaceTurn(watch.workspaceId), async (transaction) => {
        const known = watch.id && (await find(transaction, watch.workspaceId, watch.id))
        if (known) return known
        await refuseAtLimit(transaction, watch.workspaceId)
        // One paused watch pauses the whole channel.
        await resume(transaction, time, watch, watch.madeAt)
        return await insert(transaction, time, watch)
      }),

    /**
     * Changes a watch. If the filter changed, what is down now joins the baseline, and cards mark what is no longer watched.
     * Resumes the channel's paused watches. Undefined if the watch is gone.
     */
    change: (workspaceId: string, id: string, terms: WatchTerms, now: Date) =>
      inTurn(workspaceTurn(workspaceId), async (transaction) => {
        const before = await find(transaction, workspaceId, id)
        if (!before) return undefined
        const isFilterChanged = JSON.stringify(before.filter) !== JSON.stringify(terms.filter)
        const after = { ...before, ...terms }
        const changed = {
          ...TERMS.row(terms),
          changed_at: now.toISOString(),
          // Saving has just checked who can be paged.
          unreachable: null,
          ...(isFilterChanged && { matched: null }),
          baseline: JSON.stringify(await computeBaseline(transaction, after, before)),
        }
        await updateIn(transaction, 'watch', { id }, changed)
        if (terms.escalation) await schedulePeople(transaction, time, { workspaceId, id }, now)
        // Cards show some settings of the watch, such as its runbook.
        await redrawOpen(transaction, time, before)
        await updateChannels(transaction, time, before, { channelIds: [before.channelId] })
        await stopUnwatchedPolling(transaction, before, now)
        await resume(transaction, time, before, now)
        return find(transaction, workspaceId, id)
      }),

    /** Deletes a watch. Cards mark what is no longer watched. False if it was gone. */
    remove: (workspaceId: string, id: string, now: Date) =>
      inTurn(workspaceTurn(workspaceId), async (transaction) => {
        const watch = await find(transaction, workspaceId, id)
        if (!watch) return false
        await deleteIn(transaction, 'watch', { id })
        await updateChannels(transaction, time, watch, { channelIds: [watch.channelId] })
        await redrawOpen(transaction, time, watch)
        await closeNotices(transaction, time, watch)
        await stopUnwatchedPolling(transaction, watch, now)
        await sendOrDropRest(transaction, time, watch)
        return true
      }),
  }
}

/**
 * If this was a paused channel's last watch, what changed during the pause is sent now, not at the next retry. If the channel
 * waited for consent, it is dropped: nobody is left to agree, and another organization would read it.
 */
async function sendOrDropRest(rows: Rows, time: DatabaseTime, { paused, ...place }: Watch): Promise<void> {
  const left = await rowsIn(rows, 'watch', channelKeyColumns(place)).limit(1).executeTakeFirst()
  if (!left && paused?.why === 'shared-outside') await dropUnsent(rows, place)
  else await scheduleDelivery(rows, time, place)
}

/** Saving checks people too, so the next check is a day later. */
const schedulePeople = (
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, id: key }: { workspaceId: string; id: string },
  now: Date,
): Promise<void> =>
  schedule(rows, time, { workspaceId, kind: WATCH_WORK.people, key }, new Date(now.getTime() + DAY_MS))

/** Pausing and resuming watches. */
function pausedWatches({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** Resumes a channel's paused watches. One message lists what the channel missed. Returns how many were paused. */
    resume: (workspaceId: string, channelId: string, now: Date, as?: ResumeOptions) =>
      inTurn(workspaceTurn(workspaceId), (transaction) =>
        resume(transaction, time, { workspaceId, channelId }, now, as),
      ),

    /** Retries paused channels: one channel with its threads, or all of an owner's. Returns how many there are. */
    async retryPaused(workspaceId: string, of: { channelId: string } | { ownerId: string }): Promise<number> {
      const owner = { owner_id: 'ownerId' in of ? of.ownerId : undefined }
      const own = rowsIn(rows, 'watch', { workspace_id: workspaceId }, owner)
      const paused = own.where('paused_at', 'is not', null)
      const found = await ('channelId' in of ? paused.where(inChannel(of.channelId)) : paused).execute()
      const channels = new Set(found.map(({ channel_id }) => channel_id))
      for (const channelId of channels) await tryDelivery(rows, time, { workspaceId, channelId })
      return channels.size
    },

    /** Pauses every watch of a channel and notifies the owners. Returns how many weren't paused before. */
    pause: (workspaceId: string, channelId: string, why: PauseReason, now: Date) =>
      inTurn(workspaceTurn(workspaceId), async (transaction) => {
        const going = { ...channelKeyColumns({ workspaceId, channelId }), paused_at: null }
        const paused = await updateIn(transaction, 'watch', going, pausedColumns(why, now))
        if (paused === 0) return 0
        await schedule(transaction, time, { workspaceId, kind: WATCH_WORK.paused, key: channelId })
        // Stops escalation there.
        for (const environment of ENVIRONMENTS)
          await updateChannels(transaction, time, { workspaceId, environment }, { channelIds: [channelId] })
        const then = new Date(now.getTime() + RETRY_PAUSED_MS)
        await tryDelivery(transaction, time, { workspaceId, channelId }, then)
        return paused
      }),

    /**
     * Pauses the watches of a channel, and its threads, that is shared with another organization, until someone agrees. With
     * `isNews`, also if someone agreed before. These are never retried automatically. Returns how many weren't paused for
     * this reason.
     */
    pauseSharedChannel: (
      workspaceId: string,
      channelId: string,
      { now, isNews }: { now: Date; isNews: boolean },
    ) =>
      inTurn(workspaceTurn(workspaceId), async (transaction) => {
        let open = transaction
          .updateTable('watch')
          .set({ ...pausedColumns('shared-outside', now), agreed_outside_at: null })
          .where('workspace_id', '=', workspaceId)
          .where(inChannel(channelId))
          .where((row) =>
            row.or([row('pause_reason', 'is', null), row('pause_reason', '<>', 'shared-outside')]),
          )
        if (!isNews) open = open.where('agreed_outside_at', 'is', null)
        const found = await open.returning('channel_id').execute()
        const channelIds = [...new Set(found.map(({ channel_id }) => channel_id))]
        for (const key of channelIds)
          await schedule(transaction, time, { workspaceId, kind: WATCH_WORK.paused, key })
        for (const environment of ENVIRONMENTS)
          if (channelIds.length > 0)
            await updateChannels(transaction, time, { workspaceId, environment }, { channelIds })
        return found.length
      }),

    /** Someone agreed to post in a channel that is shared with another organization. */
    async allowSharing(workspaceId: string, channelId: string, now: Date): Promise<void> {
      const agreed_outside_at = now.toISOString()
      await updateIn(rows, 'watch', channelKeyColumns({ workspaceId, channelId }), { agreed_outside_at })
    },
  }
}

const find = (rows: Rows, workspaceId: string, id: string): Promise<Watch | undefined> =>
  readFirst(rowsIn(rows, 'watch', { id, workspace_id: workspaceId }), toWatch)

/** Including its threads. */
const inChannel = (channelId: string) => (row: ExpressionBuilder<Schema, 'watch'>) =>
  row.or([row('channel_id', '=', channelId), row('channel_id', 'like', `${channelId}/%`)])

/** Redraws the channel's open cards. */
async function redrawOpen(rows: Rows, time: DatabaseTime, place: WatchPlace): Promise<void> {
  const open = rowsIn(rows, 'watch_card', { ...channelColumns(place), kind: 'outage', closed_at: null })
  const ids = (await open.execute()).map(({ id }) => id)
  await redrawCards(rows, time, place.workspaceId, ids)
}

/**
 * What is down when a watch begins, or when its filter grows, isn't news to it: confirmed outages that were never on a card
 * of its channel. Outages that it was already waiting for stay news.
 */
async function computeBaseline(
  rows: Rows,
  watch: Pick<Watch, keyof WatchPlace | 'filter' | 'afterBadPolls'>,
  before?: Watch,
): Promise<string[]> {
  const poll = await readPoll(rows, watch)
  if (!poll) return []
  const listed = await rowsIn(rows, 'watch_alert', channelColumns(watch))
    .where('card_id', 'is not', null)
    .execute()
  const known = new Set(listed.map(({ outage_id }) => outage_id))
  const fits = watchMatcher(watch.filter)
  const matchedBefore = before ? watchMatcher(before.filter) : () => false
  const wasBaseline = new Set(before?.baseline)
  const open = (await readOpenOutages(rows, watch)).map((one) => watchedOutage(one, poll.polls))
  return open.flatMap(({ outage: { id, check }, badPolls }) => {
    const isNews = known.has(id) || (matchedBefore(check) && !wasBaseline.has(id))
    return fits(check) && badPolls >= watch.afterBadPolls && !isNews ? [id] : []
  })
}

/** `matched` is unknown until the next full listing after the pause. */
const pausedColumns = (why: PauseReason, now: Date) => ({
  paused_at: now.toISOString(),
  pause_reason: why,
  matched: null,
})

async function insert(rows: Rows, time: DatabaseTime, watch: NewWatch): Promise<Watch> {
  const row = WATCH.row({
    ...watch,
    id: watch.id ?? newId(),
    changedAt: watch.madeAt,
    baseline: await computeBaseline(rows, watch),
  })
  await rows.insertInto('watch').values(row).execute()
  if (watch.escalation) await schedulePeople(rows, time, { ...watch, id: row.id }, watch.madeAt)
  await startPolling(rows, time, watch)
  await showBlindness(rows, time, watch, watch.channelId)
  await redrawOpen(rows, time, watch)
  await updateChannels(rows, time, watch, { channelIds: [watch.channelId] })
  return toWatch(row)
}

interface ResumeOptions {
  /** Watches paused for this reason stay paused. */
  readonly except?: PauseReason
  /** The message that the channel just accepted. */
  readonly cardId?: string | undefined
}

async function resume(
  rows: Rows,
  time: DatabaseTime,
  place: ChannelKey,
  now: Date,
  { except, cardId }: ResumeOptions = {},
): Promise<number> {
  const resumed = await rows
    .updateTable('watch')
    .set({ paused_at: null, pause_reason: null, changed_at: now.toISOString() })
    .where((row) => row.and(channelKeyColumns(place)))
    .where((row) => (except ? row('pause_reason', '<>', except) : row('paused_at', 'is not', null)))
    .returning('environment')
    .execute()
  const resume = { why: 'resumed', cardId } as const
  for (const environment of new Set(resumed.map((one) => one.environment)))
    await updateChannels(rows, time, { ...place, environment }, { channelIds: [place.channelId], resume })
  if (resumed.length > 0) await scheduleDelivery(rows, time, place)
  return resumed.length
}

/** Throws WatchingFull at the limit. Call it in the workspace's turn, or two requests can pass together. */
async function refuseAtLimit(rows: Rows, workspaceId: string): Promise<void> {
  const { many } = await rows
    .selectFrom('watch')
    .select(({ fn }) => fn.countAll().as('many'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(many) >= MOST_WATCHES) throw new WatchingFull('watches', MOST_WATCHES)
}
