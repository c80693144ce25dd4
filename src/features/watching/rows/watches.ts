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
  TRY_PAUSED_MS,
  type Watch,
  WatchingFull,
  type WatchPlace,
  type WatchTerms,
} from '../rules/watch.ts'
import { TERMS, WATCH } from './columns.ts'
import { closeNotices, showBlindness } from './notices.ts'
import { pollOf, settlePolling, startPolling } from './poll-rows.ts'
import { type ChannelOf, channelColumns, firstOf, ofChannel, watchOf } from './row.ts'
import { goingOn } from './subject-rows.ts'
import { updateChannels } from './update-channels.ts'
import { redrawCards, scheduleDelivery, tryDelivery, turnOf, WATCH_WORK } from './watch-work.ts'

/** The rows of `watch`. */
export function watches(database: Database, time: DatabaseTime) {
  const { rows, inTurn } = database
  return {
    ...pausedWatches(database, time),

    /** The watches of the workspace, or of one channel; by channel, oldest first. */
    async list(
      workspaceId: string,
      where: { channelId?: string; environment?: Environment } = {},
    ): Promise<Watch[]> {
      const mayBe = { channel_id: where.channelId, environment: where.environment }
      const found = rowsIn(rows, 'watch', { workspace_id: workspaceId }, mayBe)
        .orderBy('channel_id')
        .orderBy('made_at')
        .orderBy('id')
      return (await found.execute()).map(watchOf)
    },

    find: (workspaceId: string, id: string) => find(rows, workspaceId, id),

    /** Whom the watch calls and Slack can't notify, as its owner was just told. */
    async setUnreachable(workspaceId: string, id: string, unreachable: readonly string[]): Promise<void> {
      const ofWatch = { id, workspace_id: workspaceId }
      await updateIn(rows, 'watch', ofWatch, {
        unreachable: unreachable.length > 0 ? JSON.stringify(unreachable) : null,
      })
    },

    /** Somebody else owns a watch from now on, unless it isn't `from`'s any more. */
    async setOwner(
      workspaceId: string,
      id: string,
      { from, to }: { from: string; to: string },
    ): Promise<boolean> {
      const own = { id, workspace_id: workspaceId, owner_id: from }
      return (await updateIn(rows, 'watch', own, { owner_id: to })) > 0
    },

    /** Something about a person has changed: the watches that call them are checked at once. Returns how many. */
    checkPeople: (workspaceId: string, userId: string) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const all = (await rowsIn(transaction, 'watch', { workspace_id: workspaceId }).execute()).map(watchOf)
        const calling = all.filter(({ escalation = [] }) =>
          escalation.some(({ call }) => call.some(({ id }) => id === userId)),
        )
        for (const { id: key } of calling)
          await schedule(transaction, time, { workspaceId, kind: WATCH_WORK.people, key })
        return calling.length
      }),

    /**
     * Adds a watch and polls at once; resumes paused watches of its channel. Returns an existing watch with this id and changes nothing.
     * Throws WatchingFull at the limit.
     */
    add: (watch: NewWatch) =>
      inTurn(turnOf(watch.workspaceId), async (transaction) => {
        const known = watch.id && (await find(transaction, watch.workspaceId, watch.id))
        if (known) return known
        await refuseAtLimit(transaction, watch.workspaceId)
        // One paused watch holds back all messages of its channel.
        await resume(transaction, time, watch, watch.madeAt)
        return await insert(transaction, time, watch)
      }),

    /**
     * Changes a watch. With another filter, what is down now is its new baseline, and cards that its channel no longer watches say so.
     * A changed reminder also holds for what is down now. Resumes paused watches of its channel. Undefined when the watch is gone.
     */
    change: (workspaceId: string, id: string, terms: WatchTerms, now: Date) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const before = await find(transaction, workspaceId, id)
        if (!before) return undefined
        const isAnother = JSON.stringify(before.filter) !== JSON.stringify(terms.filter)
        const after = { ...before, ...terms }
        const changed = {
          ...TERMS.row(terms),
          changed_at: now.toISOString(),
          // Whoever saves it was told by then whom it can't notify.
          unreachable: null,
          ...(isAnother && { matched: null }),
          baseline: JSON.stringify(await baselineOf(transaction, after, before)),
        }
        await updateIn(transaction, 'watch', { id }, changed)
        if (terms.escalation) await schedulePeople(transaction, time, { workspaceId, id }, now)
        // What a watch says itself, such as its runbook, is on cards as of now.
        await redrawOpen(transaction, time, before)
        await updateChannels(transaction, time, before, { channelIds: [before.channelId] })
        await settlePolling(transaction, before, now)
        await resume(transaction, time, before, now)
        return find(transaction, workspaceId, id)
      }),

    /** Deletes a watch; cards that its channel no longer watches say so. False when it was gone. */
    remove: (workspaceId: string, id: string, now: Date) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const watch = await find(transaction, workspaceId, id)
        if (!watch) return false
        await deleteIn(transaction, 'watch', { id })
        await updateChannels(transaction, time, watch, { channelIds: [watch.channelId] })
        await redrawOpen(transaction, time, watch)
        await closeNotices(transaction, time, watch)
        await settlePolling(transaction, watch, now)
        return true
      }),
  }
}

/** A day after it was saved, and so checked. */
const schedulePeople = (
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, id: key }: { workspaceId: string; id: string },
  now: Date,
): Promise<void> =>
  schedule(rows, time, { workspaceId, kind: WATCH_WORK.people, key }, new Date(now.getTime() + DAY_MS))

/** What is not told for a time, and what ends that. */
function pausedWatches({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    /** Resumes the paused watches of a channel; one message lists what it missed. Returns how many. */
    resume: (workspaceId: string, channelId: string, now: Date, as?: Resumed) =>
      inTurn(turnOf(workspaceId), (transaction) =>
        resume(transaction, time, { workspaceId, channelId }, now, as),
      ),

    /** Tries the paused channels of these at once: of a channel with its threads, or of an owner. Returns how many there are. */
    async tryAgain(workspaceId: string, of: { channelId: string } | { ownerId: string }): Promise<number> {
      const owner = { owner_id: 'ownerId' in of ? of.ownerId : undefined }
      const own = rowsIn(rows, 'watch', { workspace_id: workspaceId }, owner)
      const paused = own.where('paused_at', 'is not', null)
      const found = await ('channelId' in of ? paused.where(inChannel(of.channelId)) : paused).execute()
      const channels = new Set(found.map(({ channel_id }) => channel_id))
      for (const channelId of channels) await tryDelivery(rows, time, { workspaceId, channelId })
      return channels.size
    },

    /** Pauses every watch of a channel, and schedules messages to their owners. Returns how many were not paused before. */
    pause: (workspaceId: string, channelId: string, why: PauseReason, now: Date) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const going = { ...ofChannel({ workspaceId, channelId }), paused_at: null }
        const paused = await updateIn(transaction, 'watch', going, pausedFor(why, now))
        if (paused === 0) return 0
        await schedule(transaction, time, { workspaceId, kind: WATCH_WORK.paused, key: channelId })
        // Nobody is called there from now on.
        for (const environment of ENVIRONMENTS)
          await updateChannels(transaction, time, { workspaceId, environment }, { channelIds: [channelId] })
        const then = new Date(now.getTime() + TRY_PAUSED_MS)
        await tryDelivery(transaction, time, { workspaceId, channelId }, then)
        return paused
      }),

    /**
     * People of another organization read a channel, with its threads: watches there are paused until somebody agrees. With `isNews` also
     * where somebody has agreed to others. Unlike what Slack refuses, they are not tried again by themselves. Returns how many were not
     * paused so before.
     */
    sharedOutside: (
      workspaceId: string,
      channelId: string,
      { now, isNews }: { now: Date; isNews: boolean },
    ) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        let open = transaction
          .updateTable('watch')
          .set({ ...pausedFor('shared-outside', now), agreed_outside_at: null })
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

    /** Somebody has agreed that people of another organization read what is told in this place. */
    async agreeOutside(workspaceId: string, channelId: string, now: Date): Promise<void> {
      const agreed_outside_at = now.toISOString()
      await updateIn(rows, 'watch', ofChannel({ workspaceId, channelId }), { agreed_outside_at })
    },
  }
}

const find = (rows: Rows, workspaceId: string, id: string): Promise<Watch | undefined> =>
  firstOf(rowsIn(rows, 'watch', { id, workspace_id: workspaceId }), watchOf)

/** With its threads. */
const inChannel = (channelId: string) => (row: ExpressionBuilder<Schema, 'watch'>) =>
  row.or([row('channel_id', '=', channelId), row('channel_id', 'like', `${channelId}/%`)])

/** The open cards of a channel say something else now. */
async function redrawOpen(rows: Rows, time: DatabaseTime, place: WatchPlace): Promise<void> {
  const open = rowsIn(rows, 'watch_card', { ...channelColumns(place), kind: 'outage', closed_at: null })
  const ids = (await open.execute()).map(({ id }) => id)
  await redrawCards(rows, time, place.workspaceId, ids)
}

/**
 * What is down when a watch begins, or when its filter grows, isn't news to it: outages that are confirmed and were never on a card of
 * its channel. What it was waiting for already stays news.
 */
async function baselineOf(
  rows: Rows,
  watch: Pick<Watch, keyof WatchPlace | 'filter' | 'afterBadPolls'>,
  before?: Watch,
): Promise<string[]> {
  const poll = await pollOf(rows, watch)
  if (!poll) return []
  const listed = await rowsIn(rows, 'watch_alert', channelColumns(watch))
    .where('card_id', 'is not', null)
    .execute()
  const known = new Set(listed.map(({ outage_id }) => outage_id))
  const fits = watchMatcher(watch.filter)
  const hasFitted = before ? watchMatcher(before.filter) : () => false
  const wasBaseline = new Set(before?.baseline)
  const open = (await goingOn(rows, watch)).map((one) => watchedOutage(one, poll.polls))
  return open.flatMap(({ outage: { id, check }, bad }) => {
    const isNews = known.has(id) || (hasFitted(check) && !wasBaseline.has(id))
    return fits(check) && bad >= watch.afterBadPolls && !isNews ? [id] : []
  })
}

/** No full listing counts for it until it is resumed. */
const pausedFor = (why: PauseReason, now: Date) => ({
  paused_at: now.toISOString(),
  pause_reason: why,
  matched: null,
})

async function insert(rows: Rows, time: DatabaseTime, watch: NewWatch): Promise<Watch> {
  const row = WATCH.row({
    ...watch,
    id: watch.id ?? newId(),
    changedAt: watch.madeAt,
    baseline: await baselineOf(rows, watch),
  })
  await rows.insertInto('watch').values(row).execute()
  if (watch.escalation) await schedulePeople(rows, time, { ...watch, id: row.id }, watch.madeAt)
  await startPolling(rows, time, watch)
  await showBlindness(rows, time, watch, watch.channelId)
  await redrawOpen(rows, time, watch)
  await updateChannels(rows, time, watch, { channelIds: [watch.channelId] })
  return watchOf(row)
}

interface Resumed {
  /** Watches that are paused for this reason stay paused. */
  readonly but?: PauseReason
  /** The message that the channel has just taken. */
  readonly cardId?: string | undefined
}

async function resume(
  rows: Rows,
  time: DatabaseTime,
  place: ChannelOf,
  now: Date,
  { but, cardId }: Resumed = {},
): Promise<number> {
  const resumed = await rows
    .updateTable('watch')
    .set({ paused_at: null, pause_reason: null, changed_at: now.toISOString() })
    .where((row) => row.and(ofChannel(place)))
    .where((row) => (but ? row('pause_reason', '<>', but) : row('paused_at', 'is not', null)))
    .returning('environment')
    .execute()
  const resume = { why: 'resumed', cardId } as const
  for (const environment of new Set(resumed.map((one) => one.environment)))
    await updateChannels(rows, time, { ...place, environment }, { channelIds: [place.channelId], resume })
  if (resumed.length > 0) await scheduleDelivery(rows, time, place)
  return resumed.length
}

/** Throws WatchingFull at the limit. Call it in the workspace's turn only, else two requests pass at once. */
async function refuseAtLimit(rows: Rows, workspaceId: string): Promise<void> {
  const { many } = await rows
    .selectFrom('watch')
    .select(({ fn }) => fn.countAll().as('many'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(many) >= MOST_WATCHES) throw new WatchingFull('watches', MOST_WATCHES)
}
