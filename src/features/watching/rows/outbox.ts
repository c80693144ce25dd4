import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  type Schema,
  schedule,
  updateIn,
} from '@signalman/durable'
import { sql, type UpdateObject } from 'kysely'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { getChannelId, placeKey } from '../rules/watch.ts'
import { readCardWithOutages } from './cards.ts'
import type { WatchCardRow } from './columns.ts'
import { type SlackMethod, saveMethodPause, takeTurn } from './pace.ts'
import { type ChannelKey, channelKeyColumns, channelWatches, toWatchPlace } from './row.ts'
import { readChannelSilences } from './silences.ts'
import { updateChannels } from './update-channels.ts'
import { redrawCards, WATCH_WORK, workspaceTurn } from './watch-work.ts'

/** The rows of `watch_card` as messages to send. */
export function watchOutbox(database: Database, time: DatabaseTime) {
  const { rows, relaxed, inTurn, kind } = database
  const inPaceTurn: Database['inTurn'] = (name, work) =>
    kind === 'sqlite' ? relaxed((own) => own.transaction().execute(work)) : inTurn(name, work)

  return {
    ...postOutcomes(database, time),

    /**
     * The next message for a channel: unposted cards first, oldest first, then edits, then details. Or how long to wait for
     * one; undefined if nothing is pending.
     */
    async next(
      workspaceId: string,
      channelId: string,
    ): Promise<PendingMessage | { waitMs: number } | undefined> {
      const at = await readTime(rows, time)
      const found = await nextRow(rows, at, { workspaceId, channelId })
      return !found || 'waitMs' in found ? found : await toPendingMessage(rows, time, found, at)
    },

    /** The milliseconds until the next message; undefined if nothing is pending. */
    async nextInMs(workspaceId: string, channelId: string): Promise<number | undefined> {
      const found = await nextRow(rows, await readTime(rows, time), { workspaceId, channelId })
      return found && ('waitMs' in found ? found.waitMs : 0)
    },

    /**
     * Combines what a channel missed into one card. With `isPaused`, everything that is down, to try whether the channel
     * accepts messages. False if nothing changed.
     */
    postCatchUp: (workspaceId: string, channelId: string, { isPaused }: { isPaused: boolean }) =>
      inTurn(workspaceTurn(workspaceId), async (transaction) => {
        const resume = { why: isPaused ? 'tried' : 'gap' } as const
        let hasChanged = false
        for (const environment of ENVIRONMENTS) {
          const asked = { channelIds: [channelId], resume }
          if (await updateChannels(transaction, time, { workspaceId, environment }, asked)) hasChanged = true
        }
        return hasChanged
      }),

    /** Sends these cards again with their current content. */
    redraw: (workspaceId: string, cardIds: readonly string[]) =>
      inTurn(workspaceTurn(workspaceId), (transaction) =>
        redrawCards(transaction, time, workspaceId, cardIds),
      ),

    /**
     * Takes a slot within Slack's rate limits for the channel and workspace. Returns the milliseconds to wait, or 0 to send
     * now. Not synced to disk: after a power cut, a message may be sent slightly early.
     */
    turn: ({ place: { workspaceId, channelId }, editTs }: PendingMessage) =>
      inPaceTurn(`pace of ${workspaceId}`, (transaction) =>
        takeTurn(transaction, time, {
          workspaceId,
          // Slack's limit for a channel includes its threads.
          channelId: getChannelId(channelId),
          method: editTs === undefined ? 'post' : 'edit',
        }),
      ),

    /** Slack asked for a pause of this method in this workspace. */
    pauseMethod: (workspaceId: string, method: SlackMethod, ms: number) =>
      saveMethodPause(rows, time, workspaceId, method, ms),

    /** Drops a channel's unsent messages. Returns how many cards that affects. */
    dropUnsent: (workspaceId: string, channelId: string) => dropUnsent(rows, { workspaceId, channelId }),

    /** How many cards of a channel are pending. */
    async countPending(workspaceId: string, channelId: string): Promise<number> {
      const { many } = await selectPending(rows, { workspaceId, channelId })
        .where(sql<boolean>`shown_version < version`)
        .select((card) => card.fn.countAll().as('many'))
        .executeTakeFirstOrThrow()
      return Number(many)
    },
  }
}

/** Drops a channel's unsent messages. Returns how many cards that affects. */
export async function dropUnsent(rows: Rows, place: ChannelKey): Promise<number> {
  const { numUpdatedRows } = await rows
    .updateTable('watch_card')
    .set(({ ref }) => ({ shown_version: ref('version'), details_version: ref('version'), look_at: null }))
    .where((row) => row.and(channelKeyColumns(place)))
    .where(IS_BEHIND)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Records the outcome of a message that was sent. */
function postOutcomes({ rows, relaxed, takeTurn: takeLock }: Database, time: DatabaseTime) {
  const set = async (
    { contents }: PendingMessage,
    values: UpdateObject<Schema, 'watch_card'>,
  ): Promise<void> => void (await updateIn(rows, 'watch_card', { id: contents.card.id }, values))
  return {
    /** Slack shows this version. `ts` is undefined for an edit. */
    async markSent(
      { contents: { card }, what, editTs, place }: PendingMessage,
      ts: string | undefined,
      version: number,
    ) {
      const shown =
        what === 'card'
          ? { shown_version: version, shown_at: time(), ...(ts !== undefined && { ts }) }
          : { details_version: version, ...(ts !== undefined && { details_ts: ts }) }
      // During an edit, the outcome of the reply in the thread may still be unknown.
      const known = editTs === undefined && { look_at: null }
      // If a power cut undoes this, the message is looked up and found.
      await relaxed((own) =>
        own.transaction().execute(async (transaction) => {
          // A decision that doesn't see the card as shown yet ends with unscheduling the update below.
          await takeLock(transaction, workspaceTurn(place.workspaceId))
          await updateIn(transaction, 'watch_card', { id: card.id }, { ...shown, ...known })
          // Escalation and reminders start when an outage is confirmed shown: without this, nobody would be paged.
          if (what === 'card' && card.kind === 'outage')
            await schedule(transaction, time, {
              workspaceId: place.workspaceId,
              kind: WATCH_WORK.due,
              key: placeKey(place),
            })
        }),
      )
    },

    /** Slack rejects this version, so it counts as shown until the content changes. */
    markUnsendable: (message: PendingMessage) =>
      set(message, {
        ...(message.what === 'card' && { shown_version: message.version }),
        // Without a posted card there is no thread.
        ...((message.what === 'details' || message.ts === undefined) && { details_version: message.version }),
      }),

    /** The outcome of the post is unknown: check again later. */
    checkLater: (untold: PendingMessage, ms: number) => set(untold, { look_at: time(ms) }),

    /** The message was deleted and will be posted again. Its thread is gone with it. */
    markDeleted: (untold: PendingMessage) =>
      set(untold, {
        ...(untold.what === 'card' && { ts: null, shown_version: 0 }),
        details_ts: null,
        look_at: null,
      }),
  }
}

/** The next message to send to a channel: a card, or the reply in a card's thread. */
export type PendingMessage = Awaited<ReturnType<typeof toPendingMessage>>

/** The longest that the outcome of a post stays unknown; see `find-lost-post.ts`. */
const MOST_UNSURE_MS = 300_000
/** The shortest wait. */
const LEAST_WAIT_MS = 1000

const IS_BEHIND = sql<boolean>`(shown_version < version or details_version < version)`

const selectPending = (rows: Rows, place: ChannelKey) =>
  rows
    .selectFrom('watch_card')
    .where((row) => row.and(channelKeyColumns(place)))
    .where(IS_BEHIND)

async function nextRow(
  rows: Rows,
  at: Date,
  channel: ChannelKey,
): Promise<WatchCardRow | { waitMs: number } | undefined> {
  const now = at.toISOString()
  const unsureUntil = new Date(at.getTime() + MOST_UNSURE_MS).toISOString()
  /** It is too early to know whether the message was posted. Edits of an existing message don't wait for this. */
  const isUnsure = sql<boolean>`(look_at is not null and look_at > ${now} and look_at <= ${unsureUntil} and
    (ts is null or shown_version >= version))`
  const row = await selectPending(rows, channel)
    .selectAll()
    .where(sql<boolean>`not ${isUnsure}`)
    .orderBy(sql`case when ts is null then 0 when shown_version < version then 1 else 2 end`)
    .orderBy('changed_at')
    .limit(1)
    .executeTakeFirst()
  if (row) return row
  const waiting = await selectPending(rows, channel)
    .select([sql<string | null>`min(case when ${isUnsure} then look_at end)`.as('look')])
    .executeTakeFirst()
  if (!waiting?.look) return undefined
  return { waitMs: Math.max(LEAST_WAIT_MS, Date.parse(waiting.look) - at.getTime()) }
}

async function toPendingMessage(rows: Rows, time: DatabaseTime, row: WatchCardRow, now: Date) {
  const place = toWatchPlace(row)
  const watches = await channelWatches(rows, place)
  const what: 'card' | 'details' = row.ts === null || row.shown_version < row.version ? 'card' : 'details'
  return {
    place,
    contents: await readCardWithOutages(rows, row),
    /** The version that the message shows. */
    version: row.version,
    what,
    /** The card's message; undefined until it is posted. */
    ts: row.ts ?? undefined,
    /** The message to edit; undefined to post a new one. */
    editTs: (what === 'card' ? row.ts : row.details_ts) ?? undefined,
    silences: await readChannelSilences(rows, time, place),
    /** The channel's watches, oldest first. */
    watches,
    now,
    /** The channel's watches are paused, so this is a retry. */
    isPaused: watches.some(({ paused }) => paused),
    /** Waits for consent to post in a channel that is shared with another organization. */
    needsConsent: watches.some(({ paused }) => paused?.why === 'shared-outside'),
  }
}
