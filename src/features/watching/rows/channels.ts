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
import { newId } from '@signalman/runtime'
import { prepareWatch } from '../rules/matching.ts'
import { appliesIn, findNextChange, isRunning, subjectMatcher } from '../rules/silence.ts'
import { type Changes, type ChannelState, type PageNow, type Post, step } from '../rules/step.ts'
import type { Watch, WatchChannel, WatchScope } from '../rules/watch.ts'
import { POST, type PostRow, SCOPE } from './columns.ts'
import { readIncidents, readOpenIncidents, saveLines, toLine } from './incidents.ts'
import { readOpenSilences, readPoll, readWatches } from './readers.ts'
import { scheduleDelivery, WATCH_WORK } from './work.ts'

/** Prevents a busy loop if the clock has stopped. */
const MIN_WAIT_MS = 1000

/** Decides what each channel of an environment shows, and saves it. Call it while holding `watchingLock`. */
export async function updateChannels(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  pageNow?: PageNow,
): Promise<Changes> {
  const now = await readTime(rows, time)
  const watches = await readWatches(rows, scope)
  const silences = await readOpenSilences(rows, scope, now)
  const posts = (await readOpenPosts(rows, scope)).map(toPost)
  const lines = await readLines(
    rows,
    posts.map(({ id }) => id),
  )
  const open = await readOpenIncidents(rows, scope)
  const openIds = new Set(open.map(({ id }) => id))
  const closed = await readIncidents(
    rows,
    lines.flatMap(({ incidentId }) => (openIds.has(incidentId) ? [] : [incidentId])),
  )
  const byChannel = Map.groupBy(watches, ({ channelId }) => channelId)
  const channels = new Set([...byChannel.keys(), ...posts.map(({ channelId }) => channelId)])
  const running = silences
    .filter((silence) => isRunning(silence, now))
    .map((silence) => ({ silence, covers: subjectMatcher(silence.subject) }))
  const changes = step(
    {
      channels: [...channels].sort().map((channelId): ChannelState => {
        const own = byChannel.get(channelId) ?? []
        const here = running.filter(({ silence }) => appliesIn(silence, channelId))
        return {
          channelId,
          watches: own.map(prepareWatch),
          isPaused: own.some(({ paused }) => paused !== undefined),
          isSilenced: (check) => here.some(({ covers }) => covers(check)),
        }
      }),
      incidents: [...open, ...closed],
      lines,
      posts,
      seenSince: (await readPoll(rows, scope))?.seenSince,
      pageNow,
    },
    now,
    newId,
  )
  await saveChanges(rows, time, scope, changes, watches)
  const times = [changes.wakeAt, ...silences.map((silence) => findNextChange(silence, now))]
  await scheduleUpdate(rows, time, scope, { now, times })
  return changes
}

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

async function readLines(rows: Rows, cardIds: readonly string[]) {
  const found: ReturnType<typeof toLine>[] = []
  for (const batch of splitChunks(cardIds, 500))
    found.push(
      ...(await rows.selectFrom('incident_line').selectAll().where('card_id', 'in', batch).execute()).map(
        toLine,
      ),
    )
  return found
}

async function saveChanges(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  { posts, lines, deletedLines }: Changes,
  watches: readonly Watch[],
): Promise<void> {
  const channels = new Map<string, WatchChannel>(watches.map((watch) => [watch.channelId, watch]))
  for (const { isNew, ...post } of posts) {
    const channel = channels.get(post.channelId) ?? { ...scope, channelId: post.channelId }
    const { workspaceId, enterpriseId, environment } = channel
    const row = POST.toRow({ workspaceId, enterpriseId, environment, ...post })
    const { content, closed_at, next_page, version } = row
    if (isNew) await rows.insertInto('watch_post').values(row).execute()
    else await updateRows(rows, 'watch_post', { id: post.id }, { content, closed_at, next_page, version })
  }
  await saveLines(rows, scope, lines)
  for (const { incidentId, channelId } of deletedLines)
    await rows
      .deleteFrom('incident_line')
      .where((line) => line.and({ incident_id: incidentId, channel_id: channelId }))
      .execute()
  const paused = new Set(watches.flatMap((watch) => (watch.paused ? [watch.channelId] : [])))
  // A paused channel has its own retry schedule.
  for (const channelId of new Set(posts.map((post) => post.channelId)))
    if (!paused.has(channelId)) await scheduleDelivery(rows, time, { ...scope, channelId })
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
