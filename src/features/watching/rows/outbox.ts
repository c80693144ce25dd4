import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  type Schema,
  schedule,
  updateRows,
} from '@signalman/durable'
import { sql, type UpdateObject } from 'kysely'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { getChannelId, watchChannelKey } from '../rules/watch.ts'
import { readCardWithOutages } from './cards.ts'
import type { WatchCardRow } from './columns.ts'
import { reserveSendSlot, type SlackMethod, saveMethodPause } from './pace.ts'
import { type ChannelKey, channelKeyColumns, readChannelWatches, toWatchChannel } from './row.ts'
import { readChannelSilences } from './silences.ts'
import { updateChannels } from './update-channels.ts'
import { redrawCards, WATCH_WORK, watchingLock } from './watch-work.ts'

/** Reads rows of `watch_card` as messages to send, and records what happened to them. */
export function createOutbox(database: Database, time: DatabaseTime) {
  const { rows, relaxed, withLock, kind } = database
  // On SQLite, a transaction takes the write lock when it begins, so it needs no named lock.
  const withPaceLock: Database['withLock'] = (name, work) =>
    kind === 'sqlite' ? relaxed((connection) => connection.transaction().execute(work)) : withLock(name, work)

  return {
    ...createOutcomeStore(database, time),

    /**
     * Finds the next message for a channel: new cards (oldest first), then edits, then thread replies. Returns `waitMs` if nothing
     * can be sent yet, or undefined if nothing is pending.
     */
    async findNext(
      workspaceId: string,
      channelId: string,
    ): Promise<PendingMessage | { waitMs: number } | undefined> {
      const at = await readTime(rows, time)
      const found = await findNextRow(rows, at, { workspaceId, channelId })
      return !found || 'waitMs' in found ? found : await toPendingMessage(rows, time, found, at)
    },

    /** The milliseconds until the next message; undefined if nothing is pending. */
    async getNextDelayMs(workspaceId: string, channelId: string): Promise<number | undefined> {
      const found = await findNextRow(rows, await readTime(rows, time), { workspaceId, channelId })
      return found && ('waitMs' in found ? found.waitMs : 0)
    },

    /**
     * Combines everything a channel missed into one card. In a paused channel, the card lists everything that is down, and sending
     * it tests whether the channel accepts messages again. False if nothing changed.
     */
    postCatchUp: (workspaceId: string, channelId: string, { isPaused }: { isPaused: boolean }) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const catchUp = { kind: isPaused ? 'retry' : 'gap' } as const
        let hasChanged = false
        for (const environment of ENVIRONMENTS) {
          const options = { channelIds: [channelId], catchUp }
          if (await updateChannels(transaction, time, { workspaceId, environment }, options))
            hasChanged = true
        }
        return hasChanged
      }),

    /** Schedules these cards to be sent again with their current content. */
    redraw: (workspaceId: string, cardIds: readonly string[]) =>
      withLock(watchingLock(workspaceId), (transaction) =>
        redrawCards(transaction, time, workspaceId, cardIds),
      ),

    /**
     * Reserves a slot within Slack's rate limits for the channel and workspace. Returns the milliseconds to wait, or 0 to send
     * now. Not synced to disk: after a power cut, a message may be sent slightly early.
     */
    reserveSlot: ({ target: { workspaceId, channelId }, editTs }: PendingMessage) =>
      withPaceLock(`pace of ${workspaceId}`, (transaction) =>
        reserveSendSlot(transaction, time, {
          workspaceId,
          // Slack's limit for a channel includes its threads.
          channelId: getChannelId(channelId),
          method: editTs === undefined ? 'post' : 'edit',
        }),
      ),

    /** Pauses a method in this workspace because Slack asked for it. */
    pauseMethod: (workspaceId: string, method: SlackMethod, ms: number) =>
      saveMethodPause(rows, time, workspaceId, method, ms),

    /** Drops a channel's unsent messages. Returns how many cards that affects. */
    dropUnsent: (workspaceId: string, channelId: string) => dropUnsent(rows, { workspaceId, channelId }),

    /** How many of a channel's cards have an unsent version. */
    async countPending(workspaceId: string, channelId: string): Promise<number> {
      const { count } = await selectPending(rows, { workspaceId, channelId })
        .where(sql<boolean>`shown_version < version`)
        .select((card) => card.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

/** Drops a channel's unsent messages. Returns how many cards that affects. */
export async function dropUnsent(rows: Rows, target: ChannelKey): Promise<number> {
  const { numUpdatedRows } = await rows
    .updateTable('watch_card')
    .set(({ ref }) => ({ shown_version: ref('version'), details_version: ref('version'), recheck_at: null }))
    .where((row) => row.and(channelKeyColumns(target)))
    .where(HAS_UNSENT)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Records the outcome of a message that was sent. */
function createOutcomeStore({ rows, relaxed, takeLock }: Database, time: DatabaseTime) {
  const updateCard = async (
    { contents }: PendingMessage,
    values: UpdateObject<Schema, 'watch_card'>,
  ): Promise<void> => void (await updateRows(rows, 'watch_card', { id: contents.card.id }, values))
  return {
    /** Records that Slack shows this version. `ts` is undefined for an edit. */
    async markSent(
      { contents: { card }, messageKind, editTs, target }: PendingMessage,
      ts: string | undefined,
      version: number,
    ) {
      const sentColumns =
        messageKind === 'card'
          ? { shown_version: version, shown_at: time(), ...(ts !== undefined && { ts }) }
          : { details_version: version, ...(ts !== undefined && { details_ts: ts }) }
      // An edit doesn't clear `recheck_at`, because the outcome of posting the reply in the card's thread may still be unknown.
      const recheckColumns = editTs === undefined && { recheck_at: null }
      // Not synced to disk: if a power cut undoes this, Signalman later looks for the message in Slack and finds it.
      await relaxed((connection) =>
        connection.transaction().execute(async (transaction) => {
          // Without the lock, a concurrent `updateChannels` that doesn't see the card as shown yet could unschedule the update below.
          await takeLock(transaction, watchingLock(target.workspaceId))
          await updateRows(transaction, 'watch_card', { id: card.id }, { ...sentColumns, ...recheckColumns })
          // Escalation and reminders start only once a card is known to be shown. Without this update, nobody would be paged.
          if (messageKind === 'card' && card.kind === 'outage')
            await schedule(transaction, time, {
              workspaceId: target.workspaceId,
              kind: WATCH_WORK.updateChannel,
              key: watchChannelKey(target),
            })
        }),
      )
    },

    /** Slack rejected this version. It counts as shown until the content changes. */
    markUnsendable: (message: PendingMessage) =>
      updateCard(message, {
        ...(message.messageKind === 'card' && { shown_version: message.version }),
        // A card that wasn't posted has no thread.
        ...((message.messageKind === 'details' || message.ts === undefined) && {
          details_version: message.version,
        }),
      }),

    /** The outcome of the post is unknown. Schedules another check after `ms`. */
    checkLater: (message: PendingMessage, ms: number) => updateCard(message, { recheck_at: time(ms) }),

    /** The message was deleted, with its thread if it was a card. It will be posted again. */
    markDeleted: (message: PendingMessage) =>
      updateCard(message, {
        ...(message.messageKind === 'card' && { ts: null, shown_version: 0 }),
        details_ts: null,
        recheck_at: null,
      }),
  }
}

/** The next message to send to a channel: a card, or the reply in a card's thread. */
export type PendingMessage = Awaited<ReturnType<typeof toPendingMessage>>

/** How long the outcome of a post can stay unknown; see `find-lost-post.ts`. */
const MAX_UNSETTLED_MS = 300_000
const MIN_WAIT_MS = 1000

const HAS_UNSENT = sql<boolean>`(shown_version < version or details_version < version)`

const selectPending = (rows: Rows, target: ChannelKey) =>
  rows
    .selectFrom('watch_card')
    .where((row) => row.and(channelKeyColumns(target)))
    .where(HAS_UNSENT)

async function findNextRow(
  rows: Rows,
  at: Date,
  channel: ChannelKey,
): Promise<WatchCardRow | { waitMs: number } | undefined> {
  const now = at.toISOString()
  const unsettledUntil = new Date(at.getTime() + MAX_UNSETTLED_MS).toISOString()
  /**
   * It is too early to tell whether the message was posted. Edits of an existing message don't wait. A `recheck_at` later than the limit
   * is ignored, because then the clock was set back.
   */
  const isUnsettled = sql<boolean>`(recheck_at is not null and recheck_at > ${now} and recheck_at <= ${unsettledUntil} and
    (ts is null or shown_version >= version))`
  const row = await selectPending(rows, channel)
    .selectAll()
    .where(sql<boolean>`not ${isUnsettled}`)
    .orderBy(sql`case when ts is null then 0 when shown_version < version then 1 else 2 end`)
    .orderBy('changed_at')
    .limit(1)
    .executeTakeFirst()
  if (row) return row
  const waiting = await selectPending(rows, channel)
    .select([sql<string | null>`min(case when ${isUnsettled} then recheck_at end)`.as('recheckAt')])
    .executeTakeFirst()
  if (!waiting?.recheckAt) return undefined
  return { waitMs: Math.max(MIN_WAIT_MS, Date.parse(waiting.recheckAt) - at.getTime()) }
}

async function toPendingMessage(rows: Rows, time: DatabaseTime, row: WatchCardRow, now: Date) {
  const target = toWatchChannel(row)
  const watches = await readChannelWatches(rows, target)
  const messageKind: 'card' | 'details' =
    row.ts === null || row.shown_version < row.version ? 'card' : 'details'
  return {
    target,
    contents: await readCardWithOutages(rows, row),
    /** The version that the message shows. */
    version: row.version,
    messageKind,
    /** The card's message; undefined until it is posted. */
    ts: row.ts ?? undefined,
    /** The message to edit; undefined to post a new one. */
    editTs: (messageKind === 'card' ? row.ts : row.details_ts) ?? undefined,
    silences: await readChannelSilences(rows, time, target),
    /** The channel's watches, oldest first. */
    watches,
    now,
    /** The channel's watches are paused, so this is a retry. */
    isPaused: watches.some(({ paused }) => paused),
    /** Waits for consent to post in a channel that is shared with another organization. */
    needsConsent: watches.some(({ paused }) => paused?.reason === 'shared-outside'),
  }
}
