import type { Kysely } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import type { CheckTransition, ObservedInterval, Outage, PollStatus } from '../../domain/watching/outage.ts'
import type { WatchedStatus } from '../../domain/watching/watch.ts'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { outageOf, pollStatusOf, transitionOf } from './row.ts'

/** A stretch of time in one environment of a workspace, of one check or of all. */
export interface HistoryQuery {
  readonly workspaceId: string
  readonly environment: Environment
  readonly from: Date
  readonly to: Date
  readonly uuid?: string | undefined
  /** Only UNHEALTHY unless given. */
  readonly statuses?: readonly WatchedStatus[] | undefined
  /** At most this many rows: the latest. */
  readonly limit: number
}

export interface WatchHistory {
  /** The changes in that time, oldest first. Recorded from the first watch on, and kept for 90 days. */
  transitions(query: HistoryQuery): Promise<CheckTransition[]>
  /** Outages that lasted into that time, by start; also those of the baseline. */
  outages(query: HistoryQuery): Promise<Outage[]>
  /** A page of the same, by start: the first, or those after `after`. The page after the last is empty. */
  outagePage(query: Omit<HistoryQuery, 'limit'>, after: Outage | undefined): Promise<Outage[]>
  /** A page of the outages that go on as far as polling knows, longest first: the first, or those after `after`. */
  openPage(scope: Pick<HistoryQuery, 'workspaceId' | 'environment'>, after?: Outage): Promise<Outage[]>
  /** The intervals of polling that reach into that time, oldest first, not cut to it. */
  observed(
    query: Pick<HistoryQuery, 'workspaceId' | 'environment' | 'from' | 'to'>,
  ): Promise<ObservedInterval[]>
  /** The state of the polling; undefined when nothing is watched there. */
  polling(workspaceId: string, environment: Environment): Promise<PollStatus | undefined>
}

/** Outages read in one statement: a storm may come to many thousands. */
const PAGE = 500

/** Reads what polling has seen, without waiting for writes. Writes nothing. */
export function watchHistory({ reading }: Database): WatchHistory {
  return {
    async transitions({ workspaceId, environment, from, to, uuid, limit }) {
      let query = reading
        .selectFrom('watch_transition')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('environment', '=', environment)
        .where('at', '>=', from.toISOString())
        .where('at', '<', to.toISOString())
      if (uuid !== undefined) query = query.where('uuid', '=', uuid)
      const found = await query.orderBy('at', 'desc').limit(limit).execute()
      return found.map(transitionOf).reverse()
    },

    async outages({ limit, ...query }) {
      const found = await outagesIn(reading, query).orderBy('started_at', 'desc').limit(limit).execute()
      return found.map(outageOf).reverse()
    },

    async outagePage(query, after) {
      let rest = outagesIn(reading, query).orderBy('started_at').orderBy('id').limit(PAGE)
      if (after) {
        const began = after.startedAt.toISOString()
        rest = rest
          .where('started_at', '>=', began)
          .where((row) => row.or([row('started_at', '>', began), row('id', '>', after.id)]))
      }
      return (await rest.execute()).map(outageOf)
    },

    async openPage({ workspaceId, environment }, after) {
      let rest = reading
        .selectFrom('watch_state')
        .innerJoin('watch_outage', 'watch_outage.id', 'watch_state.outage_id')
        .selectAll('watch_outage')
        .where('watch_state.workspace_id', '=', workspaceId)
        .where('watch_state.environment', '=', environment)
        .orderBy('watch_outage.started_at')
        .orderBy('watch_outage.id')
        .limit(PAGE)
      if (after) {
        const began = after.startedAt.toISOString()
        rest = rest
          .where('watch_outage.started_at', '>=', began)
          .where((row) =>
            row.or([row('watch_outage.started_at', '>', began), row('watch_outage.id', '>', after.id)]),
          )
      }
      return (await rest.execute()).map(outageOf)
    },

    async observed({ workspaceId, environment, from, to }) {
      const found = await reading
        .selectFrom('watch_observed')
        .select(['from_at', 'to_at'])
        .where('workspace_id', '=', workspaceId)
        .where('environment', '=', environment)
        .where('from_at', '<', to.toISOString())
        .where('to_at', '>', from.toISOString())
        .orderBy('from_at')
        .execute()
      return found.map((row) => ({ from: new Date(row.from_at), to: new Date(row.to_at) }))
    },

    async polling(workspaceId, environment) {
      const row = await reading
        .selectFrom('watch_poll')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('environment', '=', environment)
        .executeTakeFirst()
      return row && pollStatusOf(row)
    },
  }
}

function outagesIn(
  rows: Kysely<Schema>,
  { workspaceId, environment, from, to, uuid, statuses = ['UNHEALTHY'] }: Omit<HistoryQuery, 'limit'>,
) {
  const all = rows
    .selectFrom('watch_outage')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('status', 'in', statuses)
    .where('started_at', '<', to.toISOString())
    .where((row) => row.or([row('ended_at', 'is', null), row('ended_at', '>', from.toISOString())]))
  return uuid === undefined ? all : all.where('uuid', '=', uuid)
}
