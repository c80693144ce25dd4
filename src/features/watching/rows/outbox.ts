import { createHash } from 'node:crypto'
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
import { toUnseen } from '../../../domain/outages/incident.ts'
import { wasDownBefore } from '../rules/channel/cards.ts'
import { applyNote } from '../rules/channel/heard.ts'
import type { Post } from '../rules/channel/state.ts'
import { createFindWatches } from '../rules/matching.ts'
import type { ShownPost } from '../rules/shown-post.ts'
import { inForce } from '../rules/silence.ts'
import type { Responder, WatchChannel, WatchScope } from '../rules/watch.ts'
import { tellOwners } from './channel-access.ts'
import { MIN_WAIT_MS, updateChannels } from './channels.ts'
import { CHANNEL_INCIDENT, INCIDENT_STATE, POST, type PostRow } from './columns.ts'
import { readNoData, saveKnown, savePaged, toChannelIncident, toIncident } from './incidents.ts'
import { getUnsettledMs, readChannel, readOpenSilences, readWatches } from './readers.ts'
import { scheduleTelling, scheduleUpdate, WATCH_WORK } from './work.ts'

/** How soon after a message was sent the cards that show the next page are decided again. */
const DECIDE_AFTER_MS = 1000
/** Identifies a message. Finds it again if Slack didn't confirm the post. */
const postKey = (id: string): string => `watch post ${id}`

export type PendingPost = Omit<Awaited<ReturnType<typeof toPendingPost>>, keyof ShownPost | 'target'> &
  ShownPost & { readonly target: WatchChannel & { readonly threadTs?: string | undefined } }

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
        // What may have been posted is settled first.
        .orderBy(sql`case when attempted_at is null then 1 else 0 end`)
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

    /** The card that a message of a channel is or, of a note, links to. */
    async findCard(workspaceId: string, { channelId, ts }: PostedMessage): Promise<PendingPost | undefined> {
      const place = { workspace_id: workspaceId, channel_id: channelId }
      const readAt = (ts: string) => selectRows(rows, 'watch_post', { ...place, ts }).executeTakeFirst()
      const row = await readAt(ts)
      const [cardTs] = row ? await readCards(rows, { channelId }, POST.parse(row)) : []
      const card = cardTs === undefined ? row : await readAt(cardTs)
      return card?.kind === 'card' ? toPendingPost(rows, card, await readTime(rows, time)) : undefined
    },

    /**
     * Begins to send a message, and reads it again. Undefined if a note or reply isn't needed anymore: every change of what it's about has
     * written it anew or deleted it, and what time or a failed attempt changes is decided first. From now on, the channel counts as told,
     * and a page is one to these people.
     */
    begin: (
      { post, target }: PendingPost,
      mentions: readonly Responder[] = [],
    ): Promise<PendingPost | undefined> =>
      withLock(target.workspaceId, async (transaction) => {
        const at = await readTime(transaction, time)
        if ((post.about || post.attemptedAt) && (await isUpdateDue(transaction, target, at)))
          await updateChannels(transaction, time, target)
        const row = await selectRows(transaction, 'watch_post', { id: post.id }).executeTakeFirst()
        if (!row) return undefined
        const values = { attempted_at: at.toISOString(), responders: keepMentioned(row, mentions) }
        await updateRows(transaction, 'watch_post', { id: post.id }, values)
        return toPendingPost(transaction, { ...row, ...values }, at)
      }),

    /** Nobody in the channel would hear of a page: others get it. */
    handOver: (pending: PendingPost): Promise<void> =>
      withLock(pending.target.workspaceId, async (transaction) => {
        await saveSent(transaction, pending, undefined)
        await scheduleTelling(transaction, time, pending.target.workspaceId, pending.post.id)
      }),

    /** Tells the owners of the channel's watches, once, that Slack can't notify somebody whom they page. */
    async tellStale({ target, at }: PendingPost, responder: Responder): Promise<void> {
      const { workspaceId, channelId, environment } = target
      const stale = [workspaceId, channelId, environment, responder.id ?? responder.name]
      const id = createHash('sha256').update(JSON.stringify(stale)).digest('base64url').slice(0, 22)
      if (await selectRows(rows, 'watch_post', { id }).executeTakeFirst()) return
      await withLock(workspaceId, (transaction) =>
        tellOwners(transaction, time, target, at, { id, responders: [responder] }),
      )
    },

    /**
     * Records that Slack shows this version, and with the first one what a note or reply does to what it names. Also of one that Slack rejected,
     * or that has nothing to say: it counts as shown until the content changes. Not synced to disk for others: after a power cut, the message
     * is found in Slack, or rejected again.
     */
    markShown: (pending: PendingPost, posted?: PostedMessage, version = pending.version): Promise<void> =>
      pending.post.about && pending.ts === undefined
        ? withLock(pending.target.workspaceId, (transaction) =>
            saveSent(transaction, pending, posted, version),
          )
        : relaxed((connection) => saveShown(connection, pending, posted, { shown_version: version })),

    /** Slack didn't accept the message, or it was deleted. What it tells is decided again. */
    markRefused: async (pending: PendingPost): Promise<void> => {
      if (pending.ts !== undefined) return
      await update(pending, { attempted_at: null })
      await scheduleUpdate(rows, time, pending.target)
    },
    /** Nothing is sent for `ms`: the outcome of the post is unknown, or whom it mentions. */
    checkLater: (pending: PendingPost, ms: number) => update(pending, { recheck_at: time(ms) }),
    /** The card, or that of the reply, was deleted, and will be posted again. A note isn't, so that it's told only once. */
    markDeleted: async ({ post: { id, cardId, kind }, at, version }: PendingPost): Promise<void> => {
      if (kind === 'note') {
        const over = { closed_at: at.toISOString(), shown_version: version }
        return void (await updateRows(rows, 'watch_post', { id }, over))
      }
      const deleted = { ts: null, shown_version: 0, recheck_at: null, waiting_since: time() }
      await updateRows(rows, 'watch_post', { id: cardId ?? id }, deleted)
      if (cardId) await updateRows(rows, 'watch_post', { id }, { attempted_at: null })
    },
  }

  async function saveShown(
    connection: Rows,
    { post }: PendingPost,
    posted: PostedMessage | undefined,
    values: UpdateObject<Schema, 'watch_post'>,
  ): Promise<void> {
    const shown = { ...values, recheck_at: null, ...(posted && { ts: posted.ts }) }
    await updateRows(connection, 'watch_post', { id: post.id }, shown)
  }

  /** A note or reply was sent: now what it names is told, and what the cards show is decided again. */
  async function saveSent(
    transaction: Rows,
    pending: PendingPost,
    posted: PostedMessage | undefined,
    version = pending.version,
  ): Promise<void> {
    const { post, target } = pending
    const at = post.attemptedAt ?? pending.at
    const row = await selectRows(transaction, 'watch_post', { id: post.id }).executeTakeFirst()
    if (!row || row.shown_version >= version) return
    const closed_at = isFollowed(post, posted?.ts ?? row.ts) ? row.closed_at : at.toISOString()
    await saveShown(transaction, pending, posted, { shown_version: version, closed_at })
    if (row.shown_version > 0) return
    const { workspaceId, channelId } = target
    const named = await selectRows(transaction, 'incident_line', {
      workspace_id: workspaceId,
      channel_id: channelId,
    })
      .where('incident_id', 'in', Object.keys(post.about ?? {}))
      .execute()
    await saveKnown(
      transaction,
      target,
      named.map((row) => applyNote(toChannelIncident(row), post, at, { isDirect: !posted })),
    )
    if (post.responders) await savePaged(transaction, Object.keys(post.about ?? {}), at)
    // Not at once, so that the pages of many channels cause one decision.
    const soon = new Date((await readTime(transaction, time)).getTime() + DECIDE_AFTER_MS)
    if (!(await isUpdateDue(transaction, target, soon))) await scheduleUpdate(transaction, time, target, soon)
  }
}

/** Whom a page mentions, unless they were erased since. If that is nobody, it goes to others in their place. */
function keepMentioned(row: PostRow, mentions: readonly Responder[]): string | null {
  if (!row.responders || mentions.length === 0) return row.responders
  const mentioned = new Set(mentions.map(({ id, name }) => id ?? name))
  return JSON.stringify(POST.parse(row).responders?.filter(({ id, name }) => mentioned.has(id ?? name)))
}

/** A note that is in the channel is edited until what it names is over. */
const isFollowed = ({ kind }: Pick<Post, 'kind'>, ts: string | null): boolean =>
  kind === 'note' && ts !== null

/** Whether something about an environment has to be decided again because of the time. */
async function isUpdateDue(
  rows: Rows,
  { workspaceId, environment: key }: WatchScope,
  at: Date,
): Promise<boolean> {
  const due = await selectRows(rows, 'work', { workspace_id: workspaceId, kind: WATCH_WORK.update, key })
    .where((work) => work.or([work('state', '=', 'running'), work('due_at', '<=', at.toISOString())]))
    .where('state', 'in', ['waiting', 'running'])
    .executeTakeFirst()
  return due !== undefined
}

/** The incidents that a message shows, and the watches that each was down before. What nobody watches anymore isn't listed. */
async function readShown(
  rows: Rows,
  { channelId }: WatchChannel,
  { id, about }: Pick<Post, 'id' | 'about'>,
  isSent: boolean,
) {
  const found = await rows
    .selectFrom('incident')
    .leftJoin('incident_line as line', (join) =>
      join.onRef('line.incident_id', '=', 'incident.id').on('line.channel_id', '=', channelId),
    )
    .select(INCIDENT_STATE.names.map((name) => `incident.${name}` as const))
    .select('line.already_down')
    .where((row) => (about ? row('incident.id', 'in', Object.keys(about)) : row('line.card_id', '=', id)))
    .execute()
  // What the channel doesn't watch anymore leaves the messages that it has read.
  const watched = found.filter((row) => !isSent || row.already_down !== null)
  return watched.map((row) => ({
    incident: toIncident(row),
    alreadyDown: row.already_down === null ? [] : CHANNEL_INCIDENT.columns.alreadyDown.read(row.already_down),
  }))
}

const MAX_CARDS = 3

async function readCards(
  rows: Rows,
  { channelId }: Pick<WatchChannel, 'channelId'>,
  { kind, about }: Pick<Post, 'kind' | 'about'>,
) {
  if (kind !== 'note') return []
  const found = await rows
    .selectFrom('incident_line as line')
    .innerJoin('watch_post as card', 'card.id', 'line.card_id')
    .select('card.ts')
    .distinct()
    .where('line.channel_id', '=', channelId)
    .where('line.incident_id', 'in', Object.keys(about ?? {}))
    .where('card.ts', 'is not', null)
    .limit(MAX_CARDS)
    .execute()
  return found.flatMap(({ ts }) => ts ?? [])
}

async function toPendingPost(rows: Rows, row: PostRow, at: Date) {
  const { ts, workspaceId, environment, channelId, ...post } = POST.parse(row)
  const card =
    post.cardId === undefined
      ? undefined
      : await selectRows(rows, 'watch_post', { id: post.cardId }).executeTakeFirst()
  const threadTs = card?.ts ?? undefined
  const target = { workspaceId, environment, channelId, threadTs }
  const key = postKey(post.id)
  const shown = await readShown(rows, target, post, ts !== undefined)
  const incidents = shown.map(({ incident }) => incident)
  const silences = await readOpenSilences(rows, target, at)
  const watches = (await readWatches(rows, target)).filter((watch) => watch.channelId === channelId)
  const findWatches = createFindWatches(watches)
  return {
    post,
    target,
    at,
    key,
    version: row.version,
    /** The message to edit; undefined to post a new one. */
    ts,
    cards: await readCards(rows, target, post),
    /** Oldest first. */
    incidents: incidents.toSorted((left, right) => left.openedAt.getTime() - right.openedAt.getTime()),
    /** Those in force. */
    silences: inForce(silences, channelId, at),
    watches,
    paused: (await readChannel(rows, target.workspaceId, channelId)).paused,
    alreadyDown: new Set(
      shown.flatMap((one) => (wasDownBefore(one, one.incident, findWatches) ? [one.incident.id] : [])),
    ),
    unseen: toUnseen(await readNoData(rows, target)),
  }
}
