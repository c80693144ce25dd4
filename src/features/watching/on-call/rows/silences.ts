import {
  type Database,
  type DatabaseTime,
  type ReadCache,
  type Rows,
  readTime,
  rowsIn,
  schedule,
  updateIn,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { isDirect } from '@signalman/slack'
import type { Environment } from '../../../../domain/environment.ts'
import type { Span } from '../../../../domain/outages/outage.ts'
import { toWallTime } from '../../../../domain/zoned-time.ts'
import { SILENCE } from '../../rows/columns.ts'
import { showMaintenance } from '../../rows/notices.ts'
import { firstOf, type ScopeOf, scopeColumns, watchOf, watchPlaceOf } from '../../rows/row.ts'
import { openSilences, silenceFrom } from '../../rows/silences.ts'
import { statesOf } from '../../rows/subject-rows.ts'
import { updateChannels } from '../../rows/update-channels.ts'
import { turnOf, WATCH_WORK } from '../../rows/watch-work.ts'
import { mayConcern } from '../../rules/may-concern.ts'
import type { Planned } from '../../rules/planned.ts'
import {
  holdsIn,
  MOST_SILENCES,
  type NewSilence,
  type Silence,
  type SilenceKind,
  type SilenceTerms,
} from '../../rules/silence.ts'
import { dueAt, nextStart, stateAt, windowAt } from '../../rules/silence-windows.ts'
import { channelIn, WatchingFull, type WatchPlace } from '../../rules/watch.ts'

interface Which {
  /** Those that hold in this channel or thread. */
  readonly channelId?: string | undefined
  readonly environment?: Environment | undefined
  readonly kind?: SilenceKind | undefined
}

/** The rows of `watch_silence`. */
export const watchSilences = (
  database: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'get' | 'invalidateAfter'>,
) => ({ ...silenceReads(database, cache), ...silenceChanges(database, time, cache) })

const silenceReads = ({ rows }: Database, cache: Pick<ReadCache, 'get'>) => ({
  /** Whether maintenance is planned or under way: from memory, because every listing asks. */
  hasMaintenance: (workspaceId: string): Promise<boolean> =>
    cache.get(workspaceId, 'maintenance', async () => {
      const found = openSilences(rows, workspaceId).where('kind', '=', 'maintenance')
      return (await found.limit(1).executeTakeFirst()) !== undefined
    }),

  /** Those that are not over: of the workspace, or that hold in one channel. What changes next comes first. */
  async list(workspaceId: string, { channelId, environment, kind }: Which = {}): Promise<Silence[]> {
    let query = openSilences(rows, workspaceId)
    if (environment) query = query.where('environment', '=', environment)
    if (kind) query = query.where('kind', '=', kind)
    if (channelId !== undefined)
      query = query.where('channel_id', 'in', ['', channelId, channelIn(channelId)])
    const found = (await query.orderBy('from_at').orderBy('id').execute()).map(silenceFrom)
    return found.sort((one, other) => changesAt(one) - changesAt(other))
  },

  /** The window of a silence that is not over. */
  find: (workspaceId: string, planId: string) => findOpen(rows, workspaceId, planId),

  /** Whether there was a silence of this ID, over or not. */
  isKnown: async (workspaceId: string, planId: string): Promise<boolean> =>
    (await latest(rows, workspaceId, planId)) !== undefined,

  /** A window by its own ID, also if it is over. */
  window: (workspaceId: string, id: string) => findWindow(rows, workspaceId, id),

  /**
   * Maintenance in that time that covers a channel: it doesn't count against uptime there. In a direct message, and without a channel,
   * what covers the whole workspace.
   */
  async planned(scope: ScopeOf & { channelId?: string | undefined }, { from, to }: Span): Promise<Planned[]> {
    const { channelId } = scope
    const isInChannel = channelId !== undefined && !isDirect(channelId)
    const found = await rowsIn(rows, 'watch_silence', {
      ...scopeColumns(scope),
      kind: 'maintenance' as const,
    })
      .where('channel_id', 'in', ['', ...(isInChannel ? [channelIn(channelId)] : [])])
      .where('from_at', '<', to.toISOString())
      .where('to_at', '>', from.toISOString())
      .execute()
    return found.map(silenceFrom).flatMap(({ about, from, to }) => (to ? [{ about, from, to }] : []))
  },
})

const changesAt = ({ state, from, to }: Silence): number =>
  state === 'running' ? (to?.getTime() ?? Number.POSITIVE_INFINITY) : from.getTime()

function silenceChanges({ inTurn }: Database, time: DatabaseTime, cache: Pick<ReadCache, 'invalidateAfter'>) {
  /** In the turn of the workspace; whoever reads afterwards sees it. */
  const changing = <T>(workspaceId: string, work: (transaction: Rows) => Promise<T>): Promise<T> =>
    cache.invalidateAfter(workspaceId, inTurn(turnOf(workspaceId), work))

  return {
    /**
     * Adds a silence. Silences add up: one that lasts longer goes on. Returns an existing one with this ID, also if it is over, and
     * changes nothing then. A mute begins at once, whatever the clock says. Throws WatchingFull.
     */
    add: (silence: NewSilence): Promise<Silence> =>
      changing(silence.workspaceId, async (transaction) => {
        const { workspaceId, planId, kind } = silence
        const known = await latest(transaction, workspaceId, planId)
        if (known) return known
        const { length } = await openSilences(transaction, workspaceId).limit(MOST_SILENCES).execute()
        if (length >= MOST_SILENCES) throw new WatchingFull('silences', MOST_SILENCES)
        const added: Silence = {
          ...silence,
          ...windowAt(silence.from, silence.forMs),
          id: newId(),
          first: toWallTime(silence.from, silence.timeZone),
          state: kind === 'mute' ? 'running' : 'planned',
        }
        await insert(transaction, added)
        if (kind === 'mute') await updatePlaces(transaction, time, added)
        await scheduleNext(transaction, time, added)
        return added
      }),

    /** Changes the window that is planned or under way, and those after it. False if it is over. */
    change: (workspaceId: string, planId: string, terms: SilenceTerms) =>
      changing(workspaceId, async (transaction) => {
        const before = await findOpen(transaction, workspaceId, planId)
        if (before) await change(transaction, time, before, terms)
        return before !== undefined
      }),

    /** Ends a window now, or calls it off; with `isPlan`, no other window of a recurring silence follows. False if it was over. */
    end: (workspaceId: string, id: string, { isPlan, now }: { isPlan: boolean; now: Date }) =>
      changing(workspaceId, async (transaction) => {
        const found = await findWindow(transaction, workspaceId, id)
        if (!found || found.state === 'over') return false
        const ended = isPlan ? { ...found, every: undefined } : found
        // What is under way has begun, even if the clock was set back since.
        const least = found.state === 'running' ? found.from.getTime() + 1 : 0
        const to = Math.max(least, Math.min(now.getTime(), found.to?.getTime() ?? Number.POSITIVE_INFINITY))
        const next = await close(transaction, time, ended, { to: new Date(to), now })
        if (next) await scheduleNext(transaction, time, next)
        return true
      }),

    /** Does what is due about a silence: announces it, begins it, ends it. Returns in how many ms there is more to do. */
    step: (workspaceId: string, planId: string) =>
      changing(workspaceId, async (transaction) => {
        const now = await readTime(transaction, time)
        const found = await findOpen(transaction, workspaceId, planId)
        if (!found) return undefined
        const next = await advance(transaction, time, found, now)
        const at = next && dueAt(next)
        return at && Math.max(0, at.getTime() - now.getTime())
      }),
  }
}

/** What has begun stays begun. */
async function change(rows: Rows, time: DatabaseTime, before: Silence, terms: SilenceTerms): Promise<void> {
  // What begins as it did is counted from the first window as before: else a 31st would not come back.
  const isSame = terms.from.getTime() === before.from.getTime() && terms.every === before.every
  const after: Silence = {
    ...before,
    ...terms,
    ...windowAt(terms.from, terms.forMs),
    every: terms.every,
    first: isSame ? before.first : toWallTime(terms.from, terms.timeZone),
  }
  await updateIn(rows, 'watch_silence', { id: before.id }, rowOf(after))
  await showInChannels(rows, time, after)
  await schedule(rows, time, workOf(before))
}

/** Brings a window to the state that it has by now; returns the current one after that, which may be the next of its plan. */
async function advance(
  rows: Rows,
  time: DatabaseTime,
  window: Silence,
  now: Date,
): Promise<Silence | undefined> {
  const state = stateAt(window, now)
  if (state === window.state) return window
  if (state === 'over') return close(rows, time, window, { to: window.to ?? now, now })
  await updateIn(rows, 'watch_silence', { id: window.id }, { state })
  await showInChannels(rows, time, { ...window, state })
  return { ...window, state }
}

/** Ends a window, and makes the next of its plan. One that ends before it began doesn't count for anything. */
async function close(
  rows: Rows,
  time: DatabaseTime,
  window: Silence,
  { to, now }: { to: Date; now: Date },
): Promise<Silence | undefined> {
  const over = { ...window, to, state: 'over' as const }
  await updateIn(rows, 'watch_silence', { id: window.id }, rowOf(over))
  await showInChannels(rows, time, over)
  // Windows that would be over by now are skipped: they have silenced nothing.
  const since = now.getTime() - (window.forMs ?? 0)
  const from = nextStart(window, new Date(Math.max(window.from.getTime(), since)))
  if (!from) return undefined
  const next: Silence = { ...window, ...windowAt(from, window.forMs), id: newId(), state: 'planned' }
  await insert(rows, next)
  return next
}

/** Posts, edits, or closes the card of maintenance in each channel that it concerns. What is silenced no longer is posted. */
async function showInChannels(rows: Rows, time: DatabaseTime, silence: Silence): Promise<void> {
  if (silence.kind === 'maintenance') {
    const { id, state } = silence
    const shown = await channelsShowing(rows, silence)
    const isOver = state === 'over'
    for (const place of await concerned(rows, silence)) {
      shown.delete(place.channelId)
      if (state !== 'planned') await showMaintenance(rows, time, place, { id, isOver })
    }
    // The channel doesn't watch any more, or the maintenance covers something else now.
    for (const place of shown.values()) await showMaintenance(rows, time, place, { id, isOver: true })
  }
  await updatePlaces(rows, time, silence)
}

/** Asks what each channel where it holds should show. */
async function updatePlaces(rows: Rows, time: DatabaseTime, silence: Silence): Promise<void> {
  const { channelId } = silence
  if (channelId === undefined) return void (await updateChannels(rows, time, silence))
  const query = rowsIn(rows, 'watch', scopeColumns(silence)).clearSelect().select('channel_id').distinct()
  const watching = (await query.execute()).map((row) => row.channel_id)
  const places = watching.filter((place) => holdsIn(silence, place))
  await updateChannels(rows, time, silence, { channelIds: [...new Set([channelId, ...places])] })
}

/** Where a card about a window is open. */
async function channelsShowing(rows: Rows, window: Silence) {
  const open = { ...scopeColumns(window), maintenance_id: window.id, closed_at: null }
  const found = await rowsIn(rows, 'watch_card', open).execute()
  return new Map(found.map((row) => [row.channel_id, watchPlaceOf(row)]))
}

/** The channels, and threads in them, that watch anything it covers. */
async function concerned(rows: Rows, silence: Silence): Promise<WatchPlace[]> {
  const query = rowsIn(rows, 'watch', scopeColumns(silence)).orderBy('channel_id')
  const watches = (await query.execute()).map(watchOf).filter((watch) => holdsIn(silence, watch.channelId))
  const states = [...(await statesOf(rows, silence)).values()]
  const present = new Map(states.map(({ check }) => [check.uuid.toLowerCase(), check.name]))
  const matching = watches.filter(({ filter }) => mayConcern(filter, silence.about, present))
  return [...new Map(matching.map((watch) => [watch.channelId, watch])).values()]
}

const workOf = ({ workspaceId, planId }: Pick<Silence, 'workspaceId' | 'planId'>) => ({
  workspaceId,
  kind: WATCH_WORK.silence,
  key: planId,
})

/** Maintenance is announced at once if that is due. A mute without an end has nothing due. */
async function scheduleNext(rows: Rows, time: DatabaseTime, silence: Silence): Promise<void> {
  const at = dueAt(silence)
  if (at) await schedule(rows, time, workOf(silence), silence.kind === 'mute' ? at : undefined)
}

const findOpen = (rows: Rows, workspaceId: string, planId: string) =>
  firstOf(openSilences(rows, workspaceId).where('plan_id', '=', planId), silenceFrom)

const findWindow = (rows: Rows, workspaceId: string, id: string) =>
  firstOf(rowsIn(rows, 'watch_silence', { workspace_id: workspaceId, id }), silenceFrom)

const latest = (rows: Rows, workspaceId: string, planId: string) =>
  firstOf(
    rowsIn(rows, 'watch_silence', { workspace_id: workspaceId, plan_id: planId }).orderBy('from_at', 'desc'),
    silenceFrom,
  )

const rowOf = (silence: Silence) => SILENCE.row({ ...silence, channelId: silence.channelId ?? '' })

async function insert(rows: Rows, silence: Silence): Promise<void> {
  await rows.insertInto('watch_silence').values(rowOf(silence)).execute()
}
