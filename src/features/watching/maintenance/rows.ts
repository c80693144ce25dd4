import { type Database, type DatabaseTime, readTime, type Schema, schedule } from '@signalman/durable'
import { newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import type { Environment } from '../../../domain/environment.ts'
import { wallTimeOf } from '../../../domain/zoned-time.ts'
import { MAINTENANCE } from '../rows/columns.ts'
import { reconcileChannel } from '../rows/reconcile-channel.ts'
import { scopeColumns } from '../rows/row.ts'
import { turnOf, WATCH_WORK } from '../rows/watch-work.ts'
import { WatchingFull } from '../rules/watch.ts'
import { open, windowOf } from './in-force.ts'
import {
  dueAt,
  isInForce,
  type MaintenancePlan,
  type MaintenanceWindow,
  nextStart,
  type Planned,
  stateAt,
  windowAt,
} from './rules.ts'
import { concerned, tellChannels } from './tell-channels.ts'

export type NewMaintenance = Pick<
  MaintenanceWindow,
  'workspaceId' | 'enterpriseId' | 'environment' | 'channelId' | 'ownerId' | 'ownerName' | 'madeAt' | 'planId'
> &
  MaintenancePlan

export interface WatchMaintenance {
  /** What is planned or under way, by its beginning: of the workspace, or what one channel is told of. */
  list(workspaceId: string, where?: { channelId?: string | undefined }): Promise<MaintenanceWindow[]>
  /** The window of a plan that is not over. */
  find(workspaceId: string, planId: string): Promise<MaintenanceWindow | undefined>
  /** By its own id, also when it is over. */
  window(workspaceId: string, id: string): Promise<MaintenanceWindow | undefined>
  /** Plans it. Changes nothing when there is a plan with this id. Throws WatchingFull. */
  add(maintenance: NewMaintenance): Promise<void>
  /** Changes the window that is planned or under way, and those after it. False when there is none any more. */
  change(workspaceId: string, planId: string, plan: MaintenancePlan): Promise<boolean>
  /** Ends a window now, or calls it off; with `isPlan`, of a recurring one no other follows. False when it was over. */
  end(workspaceId: string, id: string, how: { isPlan: boolean; now: Date }): Promise<boolean>
  /** Does what is due about a plan: tells channels of its beginning and its end. Returns in how many ms there is more to do. */
  step(workspaceId: string, planId: string): Promise<number | undefined>
  /** Windows of that time that have begun, of whichever channel: what a check was down in one counts in no sum, wherever that is read. */
  planned(
    scope: { workspaceId: string; environment: Environment },
    span: { from: Date; to: Date },
  ): Promise<Planned[]>
}

export const MOST_PLANS = 500

/** The rows of `watch_maintenance`. */
export function watchMaintenance({ rows, inTurn }: Database, time: DatabaseTime): WatchMaintenance {
  return {
    async list(workspaceId, { channelId } = {}) {
      let query = open(rows, workspaceId)
      if (channelId !== undefined) query = query.where('channel_id', 'in', ['', channelId])
      return (await query.orderBy('from_at').orderBy('id').execute()).map(windowOf)
    },

    find: (workspaceId, planId) => findOpen(rows, workspaceId, planId),

    window: (workspaceId, id) => findWindow(rows, workspaceId, id),

    add: (maintenance) =>
      inTurn(turnOf(maintenance.workspaceId), async (transaction) => {
        const { workspaceId, planId } = maintenance
        const known = await transaction
          .selectFrom('watch_maintenance')
          .select('id')
          .where((row) => row.and({ workspace_id: workspaceId, plan_id: planId }))
          .limit(1)
          .executeTakeFirst()
        if (known) return
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
      }),

    change: (workspaceId, planId, plan) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const before = await findOpen(transaction, workspaceId, planId)
        if (before) await change(transaction, time, before, plan)
        return before !== undefined
      }),

    end: (workspaceId, id, { isPlan, now }) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const found = await findWindow(transaction, workspaceId, id)
        if (!found || found.state === 'over') return false
        const ended = isPlan ? { ...found, every: undefined } : found
        // What is under way has begun, though the clock was set back since.
        const least = found.state === 'running' ? found.from.getTime() + 1 : 0
        const to = Math.max(least, Math.min(now.getTime(), found.to.getTime()))
        await close(transaction, time, ended, new Date(to))
        await schedule(transaction, time, workOf(workspaceId, found.planId))
        return true
      }),

    step: (workspaceId, planId) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const now = await readTime(transaction, time)
        const window = await findOpen(transaction, workspaceId, planId)
        if (!window) return undefined
        const next = await advance(transaction, time, window, now)
        const at = next && dueAt(next)
        return at && Math.max(0, at.getTime() - now.getTime())
      }),

    async planned({ workspaceId, environment }, { from, to }) {
      const found = await rows
        .selectFrom('watch_maintenance')
        .selectAll()
        .where((row) => row.and(scopeColumns({ workspaceId, environment })))
        .where('from_at', '<', to.toISOString())
        .where('to_at', '>', from.toISOString())
        .execute()
      return found.map(windowOf).map(({ about, from, to }) => ({ about, from, to }))
    },
  }
}

/** What has begun stays begun. */
async function change(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  before: MaintenanceWindow,
  plan: MaintenancePlan,
): Promise<void> {
  const after = {
    ...before,
    ...plan,
    ...windowAt(plan.from, plan.forMs),
    every: plan.every,
    first: wallTimeOf(plan.from, plan.timeZone),
  }
  await rows.updateTable('watch_maintenance').set(rowOf(after)).where('id', '=', before.id).execute()
  await tellChannels(rows, time, after)
  // What it is not about any more is told, where it was silenced.
  const unmuted = isInForce(before, await readTime(rows, time)) && {
    unmuted: { subjects: [before.about], reason: 'maintenance-over' as const },
  }
  for (const place of await concerned(rows, before))
    await reconcileChannel(rows, time, place, { redraw: before.about, ...unmuted })
  await schedule(rows, time, workOf(before.workspaceId, before.planId))
}

/** Brings a window to what time has made of it; returns what is current then, which may be the next of its plan. */
async function advance(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  window: MaintenanceWindow,
  now: Date,
): Promise<MaintenanceWindow | undefined> {
  const state = stateAt(window, now)
  if (state === window.state) return window
  if (state === 'over') return close(rows, time, window, window.to)
  await rows.updateTable('watch_maintenance').set({ state }).where('id', '=', window.id).execute()
  await tellChannels(rows, time, { ...window, state })
  return { ...window, state }
}

/** Ends a window, and makes the next of its plan. One that ends before it began never was: it counts for nothing. */
async function close(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  window: MaintenanceWindow,
  to: Date,
): Promise<MaintenanceWindow | undefined> {
  const over = { ...window, to, state: 'over' as const }
  await rows.updateTable('watch_maintenance').set(rowOf(over)).where('id', '=', window.id).execute()
  await tellChannels(rows, time, over)
  const from = nextStart(window, window.from)
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

const workOf = (workspaceId: string, planId: string) => ({
  workspaceId,
  kind: WATCH_WORK.maintenance,
  key: planId,
})

async function findOpen(
  rows: Kysely<Schema>,
  workspaceId: string,
  planId: string,
): Promise<MaintenanceWindow | undefined> {
  const row = await open(rows, workspaceId).where('plan_id', '=', planId).executeTakeFirst()
  return row && windowOf(row)
}

async function findWindow(
  rows: Kysely<Schema>,
  workspaceId: string,
  id: string,
): Promise<MaintenanceWindow | undefined> {
  const row = await rows
    .selectFrom('watch_maintenance')
    .selectAll()
    .where((one) => one.and({ workspace_id: workspaceId, id }))
    .executeTakeFirst()
  return row && windowOf(row)
}

const rowOf = (window: MaintenanceWindow) => MAINTENANCE.row({ ...window, channelId: window.channelId ?? '' })

async function insert(rows: Kysely<Schema>, window: MaintenanceWindow): Promise<void> {
  await rows.insertInto('watch_maintenance').values(rowOf(window)).execute()
}
