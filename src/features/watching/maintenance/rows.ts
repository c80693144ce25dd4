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
import type { Span } from '../../../domain/outages/outage.ts'
import { wallTimeOf } from '../../../domain/zoned-time.ts'
import { MAINTENANCE } from '../rows/columns.ts'
import { open, windowOf } from '../rows/in-force.ts'
import { showMaintenance } from '../rows/notices.ts'
import { firstOf, type ScopeOf, scopeColumns, watchOf, watchPlaceOf } from '../rows/row.ts'
import { statesOf } from '../rows/subject-rows.ts'
import { updateChannels } from '../rows/update-channels.ts'
import { turnOf, WATCH_WORK } from '../rows/watch-work.ts'
import { channelIn, WatchingFull, type WatchPlace } from '../rules/watch.ts'
import {
  dueAt,
  type MaintenancePlan,
  type MaintenanceWindow,
  mayConcern,
  nextStart,
  type Planned,
  stateAt,
  windowAt,
} from './rules.ts'

export type NewMaintenance = Omit<MaintenanceWindow, 'id' | 'to' | 'first' | 'state'>

export const MOST_PLANS = 500

/** The rows of `watch_maintenance`. */
export const watchMaintenance = (
  database: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'get' | 'invalidateAfter'>,
) => ({ ...maintenanceReads(database, cache), ...maintenanceChanges(database, time, cache) })

const maintenanceReads = ({ rows }: Database, cache: Pick<ReadCache, 'get'>) => ({
  /** Whether anything is planned or under way: from memory, for every listing asks. */
  isAny: (workspaceId: string): Promise<boolean> =>
    cache.get(workspaceId, 'maintenance', async () => {
      return (await open(rows, workspaceId).limit(1).executeTakeFirst()) !== undefined
    }),

  /** What is planned or under way, by its beginning: of the workspace, or what one channel is told of. */
  async list(
    workspaceId: string,
    { channelId }: { channelId?: string | undefined } = {},
  ): Promise<MaintenanceWindow[]> {
    let query = open(rows, workspaceId)
    if (channelId !== undefined) query = query.where('channel_id', 'in', ['', channelId])
    return (await query.orderBy('from_at').orderBy('id').execute()).map(windowOf)
  },

  /** The window of a plan that is not over. */
  find: (workspaceId: string, planId: string) => findOpen(rows, workspaceId, planId),

  /** By its own id, also when it is over. */
  window: (workspaceId: string, id: string) => findWindow(rows, workspaceId, id),

  /**
   * Windows of that time that cover a channel: they don't count against uptime there. In a direct message, and without a channel, those
   * of the whole workspace.
   */
  async planned(scope: ScopeOf & { channelId?: string | undefined }, { from, to }: Span): Promise<Planned[]> {
    const { channelId } = scope
    const isInChannel = channelId !== undefined && !isDirect(channelId)
    const found = await rowsIn(rows, 'watch_maintenance', scopeColumns(scope))
      .where('channel_id', 'in', ['', ...(isInChannel ? [channelIn(channelId)] : [])])
      .where('from_at', '<', to.toISOString())
      .where('to_at', '>', from.toISOString())
      .execute()
    return found.map(windowOf).map(({ about, from, to }) => ({ about, from, to }))
  },
})

function maintenanceChanges(
  { inTurn }: Database,
  time: DatabaseTime,
  cache: Pick<ReadCache, 'invalidateAfter'>,
) {
  /** In the turn of the workspace; whoever reads afterwards sees it. */
  const changing = <T>(workspaceId: string, work: (transaction: Rows) => Promise<T>): Promise<T> =>
    cache.invalidateAfter(workspaceId, inTurn(turnOf(workspaceId), work))

  return {
    /** Plans it. Changes nothing when there is a plan with this id. Always true. Throws WatchingFull. */
    add: (maintenance: NewMaintenance) =>
      changing(maintenance.workspaceId, async (transaction) => {
        const { workspaceId, planId } = maintenance
        const known = rowsIn(transaction, 'watch_maintenance', { workspace_id: workspaceId, plan_id: planId })
        if (await known.limit(1).executeTakeFirst()) return true
        const { length } = await open(transaction, workspaceId).limit(MOST_PLANS).execute()
        if (length >= MOST_PLANS) throw new WatchingFull('plans of maintenance', MOST_PLANS)
        await insert(transaction, {
          ...maintenance,
          ...windowAt(maintenance.from, maintenance.forMs),
          id: newId(),
          first: wallTimeOf(maintenance.from, maintenance.timeZone),
          state: 'planned',
        })
        await schedule(transaction, time, workOf(workspaceId, planId))
        return true
      }),

    /** Changes the window that is planned or under way, and those after it. False when there is none any more. */
    change: (workspaceId: string, planId: string, plan: MaintenancePlan) =>
      changing(workspaceId, async (transaction) => {
        const before = await findOpen(transaction, workspaceId, planId)
        if (before) await change(transaction, time, before, plan)
        return before !== undefined
      }),

    /** Ends a window now, or calls it off; with `isPlan`, of a recurring one no other follows. False when it was over. */
    end: (workspaceId: string, id: string, { isPlan, now }: { isPlan: boolean; now: Date }) =>
      changing(workspaceId, async (transaction) => {
        const found = await findWindow(transaction, workspaceId, id)
        if (!found || found.state === 'over') return false
        const ended = isPlan ? { ...found, every: undefined } : found
        // What is under way has begun, though the clock was set back since.
        const least = found.state === 'running' ? found.from.getTime() + 1 : 0
        const to = Math.max(least, Math.min(now.getTime(), found.to.getTime()))
        await close(transaction, time, ended, { to: new Date(to), now })
        await schedule(transaction, time, workOf(workspaceId, found.planId))
        return true
      }),

    /** Does what is due about a plan: tells channels of its beginning and its end. Returns in how many ms there is more to do. */
    step: (workspaceId: string, planId: string) =>
      changing(workspaceId, async (transaction) => {
        const now = await readTime(transaction, time)
        const window = await findOpen(transaction, workspaceId, planId)
        if (!window) return undefined
        const next = await advance(transaction, time, window, now)
        const at = next && dueAt(next)
        return at && Math.max(0, at.getTime() - now.getTime())
      }),
  }
}

/** What has begun stays begun. */
async function change(
  rows: Rows,
  time: DatabaseTime,
  before: MaintenanceWindow,
  plan: MaintenancePlan,
): Promise<void> {
  // What begins as it did is counted from the first as before: else a 31st would not come back.
  const isSame = plan.from.getTime() === before.from.getTime() && plan.every === before.every
  const after = {
    ...before,
    ...plan,
    ...windowAt(plan.from, plan.forMs),
    every: plan.every,
    first: isSame ? before.first : wallTimeOf(plan.from, plan.timeZone),
  }
  await updateIn(rows, 'watch_maintenance', { id: before.id }, rowOf(after))
  await tellChannels(rows, time, after)
  // What it is not about any more is reported.
  await updateChannels(rows, time, before)
  await schedule(rows, time, workOf(before.workspaceId, before.planId))
}

/** Brings a window to what time has made of it; returns what is current then, which may be the next of its plan. */
async function advance(
  rows: Rows,
  time: DatabaseTime,
  window: MaintenanceWindow,
  now: Date,
): Promise<MaintenanceWindow | undefined> {
  const state = stateAt(window, now)
  if (state === window.state) return window
  if (state === 'over') return close(rows, time, window, { to: window.to, now })
  await updateIn(rows, 'watch_maintenance', { id: window.id }, { state })
  await tellChannels(rows, time, { ...window, state })
  return { ...window, state }
}

/** Ends a window, and makes the next of its plan. One that ends before it began never was: it counts for nothing. */
async function close(
  rows: Rows,
  time: DatabaseTime,
  window: MaintenanceWindow,
  { to, now }: { to: Date; now: Date },
): Promise<MaintenanceWindow | undefined> {
  const over = { ...window, to, state: 'over' as const }
  await updateIn(rows, 'watch_maintenance', { id: window.id }, rowOf(over))
  await tellChannels(rows, time, over)
  // Those that would be over by now have silenced nothing: nobody made them.
  const from = nextStart(window, new Date(Math.max(window.from.getTime(), now.getTime() - window.forMs)))
  if (!from) return undefined
  const next: MaintenanceWindow = {
    ...window,
    ...windowAt(from, window.forMs),
    id: newId(),
    state: 'planned',
  }
  await insert(rows, next)
  return next
}

/** Opens, edits or closes the card of a window in each channel that it concerns; at its end, tells what is still down. */
async function tellChannels(rows: Rows, time: DatabaseTime, window: MaintenanceWindow): Promise<void> {
  const { id, state } = window
  const told = await channelsTold(rows, window)
  const isOver = state === 'over'
  for (const place of await concerned(rows, window)) {
    told.delete(place.channelId)
    if (state !== 'planned') await showMaintenance(rows, time, place, { id, isOver })
  }
  // The channel does not watch any more, or the plan is about something else now.
  for (const place of told.values()) await showMaintenance(rows, time, place, { id, isOver: true })
  await updateChannels(rows, time, window)
}

/** Where a card tells of a window and is not closed. */
async function channelsTold(rows: Rows, window: MaintenanceWindow) {
  const open = { ...scopeColumns(window), maintenance_id: window.id, closed_at: null }
  const found = await rowsIn(rows, 'watch_card', open).execute()
  return new Map(found.map((row) => [row.channel_id, watchPlaceOf(row)]))
}

/** The channels, and threads in them, that watch anything which a window is about. */
async function concerned(rows: Rows, window: MaintenanceWindow): Promise<WatchPlace[]> {
  const query = rowsIn(rows, 'watch', scopeColumns(window)).orderBy('channel_id')
  const watches = (await query.execute()).map(watchOf)
  const isHere = ({ channelId }: Pick<WatchPlace, 'channelId'>): boolean =>
    window.channelId === undefined || window.channelId === channelIn(channelId)
  const states = [...(await statesOf(rows, window)).values()]
  const present = new Map(states.map(({ check }) => [check.uuid.toLowerCase(), check.name]))
  const telling = watches.filter((watch) => isHere(watch) && mayConcern(watch.filter, window.about, present))
  return [...new Map(telling.map((watch) => [watch.channelId, watch])).values()]
}

const workOf = (workspaceId: string, planId: string) => ({
  workspaceId,
  kind: WATCH_WORK.maintenance,
  key: planId,
})

const findOpen = (rows: Rows, workspaceId: string, planId: string) =>
  firstOf(open(rows, workspaceId).where('plan_id', '=', planId), windowOf)

const findWindow = (rows: Rows, workspaceId: string, id: string) =>
  firstOf(rowsIn(rows, 'watch_maintenance', { workspace_id: workspaceId, id }), windowOf)

const rowOf = (window: MaintenanceWindow) => MAINTENANCE.row({ ...window, channelId: window.channelId ?? '' })

async function insert(rows: Rows, window: MaintenanceWindow): Promise<void> {
  await rows.insertInto('watch_maintenance').values(rowOf(window)).execute()
}
