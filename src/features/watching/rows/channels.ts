import {
  type DatabaseTime,
  deleteRows,
  type Rows,
  readTime,
  selectRows,
  splitChunks,
  unschedule,
  updateRows,
} from '@signalman/durable'
import { mapInSlices, newId, yieldWhenDue } from '@signalman/runtime'
import { sql } from 'kysely'
import type { Incident } from '../../../domain/outages/incident.ts'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { type ChannelIncident, isFollowing, type PageNow, type Post } from '../rules/channel/state.ts'
import { decidePermission } from '../rules/channel-access.ts'
import { type Changes, decideChannel } from '../rules/decide-channel.ts'
import { createFindWatches, rememberEach } from '../rules/matching.ts'
import { createSumSilenced, findNextChange, findSilenced, inForce, type Silence } from '../rules/silence.ts'
import type { WatchChannel, WatchScope } from '../rules/watch.ts'
import { POST, POST_STATE, type PostRow, SCOPE } from './columns.ts'
import { readIncidents, readOpenIncidents, saveKnown, toChannelIncident } from './incidents.ts'
import { readChannels, readEndedSilences, readOpenSilences, readPoll, readWatches } from './readers.ts'
import { scheduleDelivery, scheduleTelling, scheduleUpdate, WATCH_WORK } from './work.ts'

/** Prevents a busy loop if the clock has stopped. */
export const MIN_WAIT_MS = 1000

/** Decides what each channel of an environment shows, and saves it. Call it under the lock of the workspace. */
export async function updateChannels(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  { pageNow, savedId }: { readonly pageNow?: PageNow; readonly savedId?: string } = {},
): Promise<PostChange[]> {
  const now = await readTime(rows, time)
  const watches = await readWatches(rows, scope)
  const silences = await readOpenSilences(rows, scope, now)
  const open = await readOpenIncidents(rows, scope)
  const openIds = new Set(open.map(({ id }) => id))
  const poll = await readPoll(rows, scope)
  const seenUntil = poll?.seenUntil && poll.seenUntil >= now ? poll.seenUntil : undefined
  const seenSince = seenUntil && poll?.seenSince
  const posts = Map.groupBy(
    (await readOpenPosts(rows, scope)).map(POST_STATE.parse),
    ({ channelId }) => channelId,
  )
  const byChannel = Map.groupBy(watches, ({ channelId }) => channelId)
  const findAccess = await readChannels(rows, scope.workspaceId)
  const past = await readPastSilences(rows, scope, open, now)
  const times = silences.map((silence) => findNextChange(silence, now))
  const changed: PostChange[] = []
  // One channel at a time, so that a storm in many channels doesn't keep the process from everything else.
  for (const channelId of [...new Set([...byChannel.keys(), ...posts.keys()])].sort()) {
    const own = byChannel.get(channelId) ?? []
    const running = inForce(silences, channelId, now)
    const known = await readKnown(rows, posts.get(channelId) ?? [])
    const named = (posts.get(channelId) ?? []).flatMap(({ about = {} }) => Object.keys(about))
    const ids = new Set([...known.map(({ incidentId }) => incidentId), ...named])
    const closed = await readIncidents(rows, [...ids.difference(openIds)])
    const access = findAccess(channelId)
    const findWatches = createFindWatches(own)
    const findSilencedOnce = rememberEach((check: CheckFacts) => findSilenced(running, check))
    // The decision is one turn, so what grows with the product of outages and names is found in slices before it.
    await mapInSlices(open, (incident) => [findSilencedOnce(incident.check), findWatches(incident)])
    const changes = decideChannel(
      {
        ...{ channelId, findWatches, known, posts: posts.get(channelId) ?? [] },
        isPaused: access.paused !== undefined,
        isClosed: decidePermission(access) !== 'yes',
        findSilenced: findSilencedOnce,
        sumSilencedMs: createSumSilenced([...silences, ...past], channelId),
        pageNow: pageNow?.channelId === channelId ? pageNow : undefined,
        savedId,
      },
      { incidents: [...open, ...closed], seenSince, lastOkAt: poll?.lastOkAt },
      now,
      newId,
    )
    await yieldWhenDue()
    const channel = { ...scope, channelId }
    await saveChanges(rows, time, channel, changes, access.paused !== undefined)
    times.push(changes.wakeAt)
    // What wasn't sent by then is about what nobody sees.
    const isUnsent = [...(posts.get(channelId) ?? []), ...changes.posts].some((post) => !isFollowing(post))
    if (isUnsent && seenUntil) times.push(new Date(seenUntil.getTime() + 1))
    changed.push(...changes.posts)
  }
  await setTimer(rows, time, scope, { now, times })
  return changed
}

type PostChange = Changes['posts'][number]

/** Cards and notes that aren't over, and what wasn't sent; oldest first. */
const readOpenPosts = (rows: Rows, scope: WatchScope): Promise<PostRow[]> =>
  selectRows(rows, 'watch_post', { ...SCOPE.toRow(scope), closed_at: null })
    .orderBy('opened_at')
    .orderBy('id')
    .execute()

async function readKnown(rows: Rows, cards: readonly Post[]): Promise<ChannelIncident[]> {
  const found: ChannelIncident[] = []
  for (const batch of splitChunks(cards, 500)) {
    const ids = batch.map(({ id }) => id)
    const listed = await rows.selectFrom('incident_line').selectAll().where('card_id', 'in', ids).execute()
    found.push(...listed.map(toChannelIncident))
  }
  return found
}

/** The silences that are over, and may have been in force while something that is open was down. */
function readPastSilences(
  rows: Rows,
  scope: WatchScope,
  open: readonly Incident[],
  now: Date,
): Promise<Silence[]> | readonly Silence[] {
  if (open.length === 0) return []
  const fromMs = open.reduce((least, { openedAt }) => Math.min(least, openedAt.getTime()), now.getTime())
  return readEndedSilences(rows, scope, { from: new Date(fromMs), to: now })
}

async function saveChanges(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  changes: Changes,
  isPaused: boolean,
): Promise<void> {
  const { workspaceId, channelId } = channel
  const { posts, deletedPosts, known, forgotten } = changes
  for (const post of posts) await savePost(rows, time, channel, post)
  for (const { id } of deletedPosts) await deleteRows(rows, 'watch_post', { id })
  await saveKnown(rows, channel, known)
  for (const { incidentId } of forgotten)
    await deleteRows(rows, 'incident_line', { incident_id: incidentId, channel_id: channelId })
  for (const { id, isHandedOver } of posts)
    if (isHandedOver) await scheduleTelling(rows, time, workspaceId, id)
  // A paused channel has its own retry schedule.
  if (posts.length > 0 && !isPaused) await scheduleDelivery(rows, time, { workspaceId, channelId })
}

/** An edit waits from now on, unless one is pending already. */
export const waitingSince = (time: DatabaseTime) =>
  sql<string>`case when shown_version < version then waiting_since else ${time()} end`

async function savePost(
  rows: Rows,
  time: DatabaseTime,
  channel: WatchChannel,
  { isNew, isHandedOver, ...post }: PostChange,
): Promise<void> {
  const row = POST.toRow({ ...channel, ...post })
  if (isNew) return void (await rows.insertInto('watch_post').values(row).execute())
  const { content, closed_at, next_page, unlisted, version, about, shown_version } = row
  const changed = {
    content,
    closed_at,
    next_page,
    unlisted,
    version,
    about,
    waiting_since: waitingSince(time),
  }
  // How much of what is sent is shown is only for its delivery to say.
  const values = isHandedOver ? { ...changed, shown_version } : changed
  await updateRows(rows, 'watch_post', { id: post.id }, values)
}

async function setTimer(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  { now, times }: { now: Date; times: readonly (Date | undefined)[] },
): Promise<void> {
  const { workspaceId, environment: key } = scope
  const next = times.flatMap((at) => at?.getTime() ?? []).sort((left, right) => left - right)[0]
  if (next === undefined) await unschedule(rows, { workspaceId, kind: WATCH_WORK.update, key })
  else await scheduleUpdate(rows, time, scope, new Date(Math.max(next, now.getTime() + MIN_WAIT_MS)))
}
