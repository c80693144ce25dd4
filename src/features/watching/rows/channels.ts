import {
  type DatabaseTime,
  type Rows,
  readTime,
  schedule,
  selectRows,
  splitChunks,
  unschedule,
  updateRows,
} from '@signalman/durable'
import { newId, yieldWhenDue } from '@signalman/runtime'
import { type Changes, decideChannel, type PageNow, type Post } from '../rules/decide-channel.ts'
import { prepareWatch } from '../rules/matching.ts'
import { findNextChange, inForce } from '../rules/silence.ts'
import type { Watch, WatchScope } from '../rules/watch.ts'
import { POST, type PostRow, SCOPE } from './columns.ts'
import { readIncidents, readOpenIncidents, saveLines, toLine } from './incidents.ts'
import { readOpenSilences, readPoll, readWatches } from './readers.ts'
import { scheduleDelivery, scheduleTelling, WATCH_WORK } from './work.ts'

/** Prevents a busy loop if the clock has stopped. */
const MIN_WAIT_MS = 1000

/**
 * Decides what each channel of an environment shows, and saves it. Call it while holding `watchingLock`. `savedIn`: the channel of a watch
 * that was saved just now.
 */
export async function updateChannels(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  { pageNow, savedIn }: { readonly pageNow?: PageNow; readonly savedIn?: string } = {},
): Promise<PostChange[]> {
  const now = await readTime(rows, time)
  const watches = await readWatches(rows, scope)
  const silences = await readOpenSilences(rows, scope, now)
  const open = await readOpenIncidents(rows, scope)
  const openIds = new Set(open.map(({ id }) => id))
  const poll = await readPoll(rows, scope)
  const seenSince = poll?.seenUntil && poll.seenUntil >= now ? poll.seenSince : undefined
  const posts = Map.groupBy((await readOpenPosts(rows, scope)).map(toPost), ({ channelId }) => channelId)
  const byChannel = Map.groupBy(watches, ({ channelId }) => channelId)
  const times = silences.map((silence) => findNextChange(silence, now))
  const changed: PostChange[] = []
  // One channel at a time, so that a storm in many channels doesn't keep the process from everything else.
  for (const channelId of [...new Set([...byChannel.keys(), ...posts.keys()])].sort()) {
    const own = byChannel.get(channelId) ?? []
    const running = inForce(silences, channelId, now)
    const lines = await readLines(rows, posts.get(channelId) ?? [])
    const closedIds = lines.flatMap(({ incidentId }) => (openIds.has(incidentId) ? [] : [incidentId]))
    const closed = await readIncidents(rows, closedIds)
    const reasons = own.flatMap(({ paused }) => paused?.reason ?? [])
    await yieldWhenDue()
    const changes = decideChannel(
      {
        ...{ channelId, watches: own.map(prepareWatch), lines, posts: posts.get(channelId) ?? [] },
        isPaused: reasons.length > 0,
        isClosed: reasons.includes('shared-outside'),
        silencedUntil: (check) => running.find(({ covers }) => covers(check))?.until,
        pageNow: pageNow?.channelId === channelId ? pageNow : undefined,
        isSaving: savedIn === channelId,
      },
      { incidents: [...open, ...closed], seenSince },
      now,
      newId,
    )
    await yieldWhenDue()
    await saveChanges(rows, time, { ...scope, channelId }, changes, own[0])
    times.push(changes.wakeAt)
    changed.push(...changes.posts)
  }
  await scheduleUpdate(rows, time, scope, { now, times })
  return changed
}

type PostChange = Changes['posts'][number]

/** Messages that aren't over, or weren't sent yet; oldest first. */
const readOpenPosts = (rows: Rows, scope: WatchScope): Promise<PostRow[]> =>
  selectRows(rows, 'watch_post', { ...SCOPE.toRow(scope), kind: 'card' })
    .where((post) => post.or([post('closed_at', 'is', null), post('attempted_at', 'is', null)]))
    .orderBy('opened_at')
    .orderBy('id')
    .execute()

function toPost(row: PostRow): Post {
  const {
    workspaceId: _,
    environment: __,
    enterpriseId: ___,
    ts: ____,
    recheckAt: _____,
    ...post
  } = POST.parse(row)
  return post
}

async function readLines(rows: Rows, cards: readonly Post[]) {
  const found: ReturnType<typeof toLine>[] = []
  for (const batch of splitChunks(cards, 500))
    found.push(
      ...(
        await rows
          .selectFrom('incident_line')
          .selectAll()
          .where(
            'card_id',
            'in',
            batch.map(({ id }) => id),
          )
          .execute()
      ).map(toLine),
    )
  return found
}

async function saveChanges(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope & { readonly channelId: string },
  { posts, lines, deletedLines }: Changes,
  watch: Watch | undefined,
): Promise<void> {
  const { workspaceId, environment, channelId } = scope
  const { enterpriseId, paused } = watch ?? {}
  for (const { isNew, ...post } of posts) {
    const row = POST.toRow({ workspaceId, environment, enterpriseId, ...post })
    const { content, closed_at, next_page, unlisted, version } = row
    if (isNew) await rows.insertInto('watch_post').values(row).execute()
    else
      await updateRows(
        rows,
        'watch_post',
        { id: post.id },
        { content, closed_at, next_page, unlisted, version },
      )
  }
  await saveLines(rows, scope, lines)
  for (const { incidentId } of deletedLines)
    await rows
      .deleteFrom('incident_line')
      .where((line) => line.and({ incident_id: incidentId, channel_id: channelId }))
      .execute()
  if (posts.length === 0) return
  // A paused channel has its own retry schedule. Its pages go to the owners, and its replies to whoever is on it.
  if (!paused) return scheduleDelivery(rows, time, { workspaceId, channelId })
  for (const { id, isNew, kind, responders } of posts)
    if (isNew && (responders || kind === 'reply')) await scheduleTelling(rows, time, workspaceId, id)
}

/** Replaces the environment's timer. */
async function scheduleUpdate(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, environment: key }: WatchScope,
  { now, times }: { now: Date; times: readonly (Date | undefined)[] },
): Promise<void> {
  const work = { workspaceId, kind: WATCH_WORK.update, key }
  const next = times.flatMap((at) => at?.getTime() ?? []).sort((left, right) => left - right)[0]
  if (next === undefined) await unschedule(rows, work)
  else await schedule(rows, time, work, new Date(Math.max(next, now.getTime() + MIN_WAIT_MS)))
}
