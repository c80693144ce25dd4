import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  type Schema,
  schedule,
  selectRows,
  updateRows,
} from '@signalman/durable'
import type { PostedMessage } from '@signalman/slack'
import { sql, type UpdateObject } from 'kysely'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { postKey } from '../rules/card.ts'
import { readCardWithIncidents } from './cards.ts'
import type { WatchCardRow } from './columns.ts'
import { reserveSendSlot, type SlackMethod, saveMethodPause } from './pace.ts'
import { readPoll } from './poll-rows.ts'
import { type ChannelKey, channelKeyColumns, readChannelWatches, toWatchChannel } from './row.ts'
import { toMoment, updateChannels } from './update-channels.ts'
import { WATCH_WORK, watchingLock } from './watch-work.ts'

/** Reads rows of `watch_card` as messages to send, and records what happened to them. */
export function createOutbox(database: Database, time: DatabaseTime) {
  const { rows, relaxed, withLock, kind } = database
  // On SQLite, a transaction takes the write lock when it begins, so it needs no named lock.
  const withPaceLock: Database['withLock'] = (name, work) =>
    kind === 'sqlite' ? relaxed((connection) => connection.transaction().execute(work)) : withLock(name, work)

  return {
    ...createOutcomeStore(database, time),

    /**
     * Finds the next message for a channel: new ones (oldest first), then edits. Returns `waitMs` if nothing can be sent yet, or
     * undefined if nothing is pending.
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

    /** Lists everything that is down in a paused channel on one card. Sending it tests whether the channel accepts messages again. */
    retry: (workspaceId: string, channelId: string) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        for (const environment of ENVIRONMENTS)
          await updateChannels(
            transaction,
            time,
            { workspaceId, environment },
            { retriedChannelId: channelId },
          )
      }),

    /**
     * Reserves a slot within Slack's rate limits for the channel and workspace. Returns the milliseconds to wait, or 0 to send
     * now. Not synced to disk: after a power cut, a message may be sent slightly early.
     */
    reserveSlot: ({ target: { workspaceId, channelId }, ts }: PendingMessage) =>
      withPaceLock(`pace of ${workspaceId}`, (transaction) =>
        reserveSendSlot(transaction, time, {
          workspaceId,
          channelId,
          method: ts === undefined ? 'post' : 'edit',
        }),
      ),

    /** Pauses a method in this workspace because Slack asked for it. */
    pauseMethod: (workspaceId: string, method: SlackMethod, ms: number) =>
      saveMethodPause(rows, time, workspaceId, method, ms),

    /** Drops a channel's unsent messages. */
    dropUnsent: (workspaceId: string, channelId: string) => dropUnsent(rows, { workspaceId, channelId }),

    /** How many of a channel's cards have an unsent version. */
    async countPending(workspaceId: string, channelId: string): Promise<number> {
      const { count } = await selectPending(rows, { workspaceId, channelId })
        .select((card) => card.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
  }
}

/** Drops a channel's unsent messages. */
export async function dropUnsent(rows: Rows, target: ChannelKey): Promise<void> {
  await rows
    .updateTable('watch_card')
    .set(({ ref }) => ({ shown_version: ref('version'), recheck_at: null }))
    .where((row) => row.and(channelKeyColumns(target)))
    .where(HAS_UNSENT)
    .execute()
}

/** Records the outcome of a message that was sent. */
function createOutcomeStore({ rows, relaxed, takeLock, withLock }: Database, time: DatabaseTime) {
  const updateCard = async (
    { contents }: PendingMessage,
    values: UpdateObject<Schema, 'watch_card'>,
  ): Promise<void> => void (await updateRows(rows, 'watch_card', { id: contents.card.id }, values))
  return {
    /** Records that Slack shows this version. `posted` is undefined for an edit. */
    async markSent(
      { contents: { card }, directUserId, target }: PendingMessage,
      posted: PostedMessage | undefined,
      version: number,
    ) {
      const sentColumns = {
        shown_version: version,
        shown_at: time(),
        recheck_at: null,
        ...(posted && { ts: posted.ts }),
        // Only Slack knows the channel of a person's direct messages.
        ...(posted && directUserId !== undefined && { channel_id: posted.channelId }),
      }
      // Not synced to disk: if a power cut undoes this, Signalman later looks for the message in Slack and finds it.
      await relaxed((connection) =>
        connection.transaction().execute(async (transaction) => {
          // Without the lock, a concurrent `updateChannels` that doesn't see the card as shown yet could unschedule the update below.
          await takeLock(transaction, watchingLock(target.workspaceId))
          await updateRows(transaction, 'watch_card', { id: card.id }, sentColumns)
          // Escalation starts only once a card is known to be shown. Without this update, nobody would be paged.
          if (card.kind === 'card')
            await schedule(transaction, time, {
              workspaceId: target.workspaceId,
              kind: WATCH_WORK.update,
              key: target.environment,
            })
        }),
      )
    },

    /** Records when the first sending of a message begins. */
    markAttempted: (message: PendingMessage) =>
      updateCard(message, {
        attempted_at: message.moment.at.toISOString(),
        attempted_clock_ms: message.moment.clockMs,
      }),

    /** Slack didn't accept the message, so it certainly wasn't posted. */
    markRefused: (message: PendingMessage) =>
      message.ts === undefined
        ? updateCard(message, { attempted_at: null, attempted_clock_ms: null })
        : Promise.resolve(),

    /** Slack rejected this version. It counts as shown until the content changes. */
    markUnsendable: (message: PendingMessage) => updateCard(message, { shown_version: message.version }),

    /** The outcome of the post is unknown. Schedules another check after `ms`. */
    checkLater: (message: PendingMessage, ms: number) => updateCard(message, { recheck_at: time(ms) }),

    /** The message was deleted. It will be posted again. */
    markDeleted: (message: PendingMessage) =>
      updateCard(message, { ts: null, shown_version: 0, recheck_at: null }),

    /** A look-up found no message: what it should say is decided again before it is sent. */
    decideAgain: ({ target }: PendingMessage) =>
      withLock(watchingLock(target.workspaceId), async (transaction) => {
        await updateChannels(transaction, time, target)
      }),
  }
}

/** The next message to send to a channel. */
export type PendingMessage = Awaited<ReturnType<typeof toPendingMessage>>

/** How long the outcome of a post can stay unknown; see `find-lost-post.ts`. */
const MAX_UNSETTLED_MS = 300_000
const MIN_WAIT_MS = 1000

const HAS_UNSENT = sql<boolean>`shown_version < version`

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
    ts is null)`
  const row = await selectPending(rows, channel)
    .selectAll()
    .where(sql<boolean>`not ${isUnsettled}`)
    .orderBy(sql`case when ts is null then 0 else 1 end`)
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

async function toPendingMessage(rows: Rows, time: DatabaseTime, row: WatchCardRow, at: Date) {
  const target = toWatchChannel(row)
  const watches = await readChannelWatches(rows, target)
  const key = postKey(row.id)
  const attempt = selectRows(rows, 'post_attempt', { workspace_id: row.workspace_id, key })
  const { silences, ...contents } = await readCardWithIncidents(rows, time, row)
  return {
    target,
    contents,
    silences,
    /** The version that the message shows. */
    version: row.version,
    key,
    /** The message to edit; undefined to post a new one. */
    ts: row.ts ?? undefined,
    /** It may have been posted: Slack's answer was lost, or the process died. */
    isUnsettled: row.ts === null && (await attempt.executeTakeFirst()) !== undefined,
    /** For a page in direct messages that have no channel yet. */
    directUserId: /^[UW]/.test(row.channel_id) ? row.channel_id : undefined,
    moment: toMoment(await readPoll(rows, target), at),
    /** The channel's watches, oldest first. */
    watches,
    /** The channel's watches are paused, so this is a retry. */
    isPaused: watches.some(({ paused }) => paused),
    /** Waits for consent to post in a channel that is shared with another organization. */
    needsConsent: watches.some(({ paused }) => paused?.reason === 'shared-outside'),
  }
}
