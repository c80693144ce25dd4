import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  type Schema,
  selectRows,
  updateRows,
} from '@signalman/durable'
import type { PostedMessage } from '@signalman/slack'
import { sql, type UpdateObject } from 'kysely'
import { type Incident, isNoData, toUnseen } from '../../../domain/outages/incident.ts'
import { listNamedLines, restoreLine } from '../rules/decide-channel.ts'
import { listNamed, type ShownPost } from '../rules/shown-post.ts'
import { inForce } from '../rules/silence.ts'
import type { WatchChannel } from '../rules/watch.ts'
import { POST, type PostRow, SCOPE } from './columns.ts'
import { readIncidents, readOpenIncidents, saveLines, toLine } from './incidents.ts'
import { readOpenSilences, readWatches } from './readers.ts'
import { dropUnsent } from './watches.ts'
import { scheduleTelling, watchingLock } from './work.ts'

/** How long the outcome of a post can stay unknown; see `post-once.ts`. */
const MAX_UNSETTLED_MS = 300_000
const MIN_WAIT_MS = 1000
/** Identifies a message. Finds it again if Slack didn't confirm the post. */
const postKey = (id: string): string => `watch post ${id}`

/** A message to send, with everything that it shows. */
export type PendingPost = Omit<Awaited<ReturnType<typeof toPendingPost>>, keyof ShownPost | 'target'> &
  ShownPost & { readonly target: WatchChannel & { readonly threadTs?: string | undefined } }

/** Reads rows of `watch_post` as messages to send, and records what happened to them. */
export function createOutbox({ rows, relaxed, withLock }: Database, time: DatabaseTime) {
  const update = async ({ post }: PendingPost, values: UpdateObject<Schema, 'watch_post'>): Promise<void> =>
    void (await updateRows(rows, 'watch_post', { id: post.id }, values))
  return {
    /**
     * Finds the next message of a channel: new ones (oldest first), then edits. Returns `waitMs` if nothing can be sent yet, or undefined
     * if nothing is pending.
     */
    async findNext(
      workspaceId: string,
      channelId: string,
    ): Promise<PendingPost | { waitMs: number } | undefined> {
      const at = await readTime(rows, time)
      const pending = await selectRows(rows, 'watch_post', {
        workspace_id: workspaceId,
        channel_id: channelId,
      })
        .where(sql<boolean>`shown_version < version`)
        .orderBy(sql`case when ts is null then 0 else 1 end`)
        .orderBy('opened_at')
        // What somebody changed comes before its effect, and a card before its notes.
        .orderBy(sql`case kind when 'said' then 0 when 'card' then 1 else 2 end`)
        .orderBy('id')
        .execute()
      const isUnposted = (id: string | null): boolean =>
        pending.some((row) => row.id === id && row.ts === null)
      // A reply waits for its card.
      const next = pending.find((row) => getUnsettledMs(row, at) === 0 && !isUnposted(row.card_id))
      if (next) return toPendingPost(rows, next, at)
      const waits = pending.map((row) => getUnsettledMs(row, at))
      return waits.length === 0 ? undefined : { waitMs: Math.max(MIN_WAIT_MS, Math.min(...waits)) }
    },

    /** A message, whether it was sent or not. */
    async find(workspaceId: string, id: string): Promise<PendingPost | undefined> {
      const row = await selectRows(rows, 'watch_post', { id, workspace_id: workspaceId }).executeTakeFirst()
      return row && toPendingPost(rows, row, await readTime(rows, time))
    },

    /** Nobody in the channel would hear of a page: others get it. */
    handOver: ({ post, version, target }: PendingPost): Promise<void> =>
      rows.transaction().execute(async (transaction) => {
        await updateRows(transaction, 'watch_post', { id: post.id }, { shown_version: version })
        await scheduleTelling(transaction, time, target.workspaceId, post.id)
      }),

    async countPending(workspaceId: string, channelId: string): Promise<number> {
      const { count } = await selectRows(rows, 'watch_post', {
        workspace_id: workspaceId,
        channel_id: channelId,
      })
        .where(sql<boolean>`shown_version < version`)
        .clearSelect()
        .select((post) => post.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** Drops a channel's unsent messages. */
    dropUnsent: (workspaceId: string, channelId: string) => dropUnsent(rows, { workspaceId, channelId }),

    /** Records that Slack shows this version. Not synced to disk: after a power cut, the message is found in Slack. */
    markSent: ({ post }: PendingPost, posted: PostedMessage | undefined, version: number): Promise<void> =>
      relaxed(async (connection) => {
        await updateRows(
          connection,
          'watch_post',
          { id: post.id },
          { shown_version: version, recheck_at: null, ...(posted && { ts: posted.ts }) },
        )
      }),

    /**
     * Returns what a note or reply is still about; a card shows all of its incidents. What it's no longer about wasn't told, so its lines
     * are again as they were before.
     */
    async restoreUnnamed(pending: PendingPost): Promise<readonly Incident[]> {
      const { post, target } = pending
      if (!post.incidentIds) return pending.incidents
      const named = listNamed(pending)
      const ids = new Set(named.map(({ id }) => id))
      const unnamed = post.incidentIds.filter((id) => !ids.has(id))
      if (unnamed.length > 0)
        await withLock(watchingLock(target.workspaceId), async (transaction) => {
          const lines = await selectRows(transaction, 'incident_line', { channel_id: target.channelId })
            .where('incident_id', 'in', unnamed)
            .execute()
          const restored = lines.flatMap((row) => restoreLine(toLine(row), post) ?? [])
          await saveLines(transaction, target, restored)
        })
      return named
    },

    /** Records when the first sending of a message begins. */
    markAttempted: (pending: PendingPost) => update(pending, { attempted_at: pending.at.toISOString() }),
    /** Slack didn't accept the message, so it certainly wasn't posted. */
    markRefused: (pending: PendingPost) =>
      pending.ts === undefined ? update(pending, { attempted_at: null }) : Promise.resolve(),
    /** The message isn't needed anymore, or Slack rejected this version. It counts as shown until the content changes. */
    markDropped: (pending: PendingPost) => update(pending, { shown_version: pending.version }),
    /** The outcome of the post is unknown. Schedules another check after `ms`. */
    checkLater: (pending: PendingPost, ms: number) => update(pending, { recheck_at: time(ms) }),
    /** The card, or that of the reply, was deleted. It will be posted again. */
    markDeleted: async ({ post: { id, cardId = id } }: PendingPost): Promise<void> =>
      void (await updateRows(
        rows,
        'watch_post',
        { id: cardId },
        { ts: null, shown_version: 0, recheck_at: null },
      )),
  }
}

/** How long it's too early to tell whether a message was posted. A time too far away means that the clock was set back. */
function getUnsettledMs({ ts, recheck_at }: PostRow, at: Date): number {
  const ms = ts === null && recheck_at !== null ? Date.parse(recheck_at) - at.getTime() : 0
  return ms > MAX_UNSETTLED_MS ? 0 : Math.max(0, ms)
}

async function toPendingPost(rows: Rows, row: PostRow, at: Date) {
  const { ts, workspaceId, enterpriseId, environment, channelId, ...post } = POST.parse(row)
  const card =
    post.cardId === undefined
      ? undefined
      : await selectRows(rows, 'watch_post', { id: post.cardId }).executeTakeFirst()
  const threadTs = card?.ts ?? undefined
  const target = { workspaceId, enterpriseId, environment, channelId, threadTs }
  const key = postKey(post.id)
  const lines = await selectRows(rows, 'incident_line', { workspace_id: workspaceId, channel_id: channelId })
    .where((line) =>
      post.incidentIds ? line('incident_id', 'in', post.incidentIds) : line('card_id', '=', post.id),
    )
    .execute()
  const named = listNamedLines(lines.map(toLine), post)
  const incidents = await readIncidents(
    rows,
    named.map(({ incidentId }) => incidentId),
  )
  const alreadyDown = new Set(lines.flatMap((line) => (line.is_already_down === 1 ? [line.incident_id] : [])))
  const silences = await readOpenSilences(rows, target, at)
  const watches = (await readWatches(rows, target)).filter((watch) => watch.channelId === channelId)
  const open = await readOpenIncidents(rows, SCOPE.parse(row))
  return {
    post,
    target,
    at,
    key,
    version: row.version,
    /** The message to edit; undefined to post a new one. */
    ts,
    isUnsent: row.shown_version < row.version,
    /** Oldest first. */
    incidents: incidents.toSorted((left, right) => left.openedAt.getTime() - right.openedAt.getTime()),
    /** Those in force. */
    silences: inForce(silences, channelId, at),
    watches,
    alreadyDown,
    unseen: toUnseen(open.find(isNoData)),
    downNow: new Set(open.flatMap(({ check, isDown }) => (isDown ? [check.uuid] : []))),
  }
}
