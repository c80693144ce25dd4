import type { Database, Schema } from '@signalman/durable'
import type { Kysely } from 'kysely'
import { jsonArrayFrom as postgresList } from 'kysely/helpers/postgres'
import { jsonArrayFrom as sqliteList } from 'kysely/helpers/sqlite'
import type { Environment } from '../../../domain/environment.ts'
import type {
  CheckTransition,
  ObservedInterval,
  Outage,
  PollStatus,
  WatchedStatus,
} from '../../../domain/outages/outage.ts'
import { EVERY_CHECK, type Mute, type Watch } from '../rules/watch.ts'
import { MUTE, OUTAGES, TRANSITIONS, WATCH } from './columns.ts'
import { lookedAt } from './poll-rows.ts'
import { muteFrom, outageOf, pollStatusOf, scopeColumns, transitionOf, watchOf } from './row.ts'

/** A stretch of time in one environment of a workspace, of one check or of all. */
interface HistoryQuery {
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
  /** Since when checks are down and who is on it, by their UUIDs: of those that were seen to go down. */
  downSince(
    scope: Pick<HistoryQuery, 'workspaceId' | 'environment'>,
    uuids: readonly string[],
  ): Promise<Map<string, { at: Date; onIt?: string }>>
  /** When the last of all checks came up; undefined where nobody watched all of them by then, or something is down. */
  upSince(scope: Pick<HistoryQuery, 'workspaceId' | 'environment'>): Promise<Date | undefined>
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
  ): Promise<readonly ObservedInterval[]>
  /** The state of the polling; undefined when nothing is watched there. */
  polling(workspaceId: string, environment: Environment): Promise<PollStatus | undefined>
}

/** Outages read in one statement: a storm may come to many thousands. */
const PAGE = 500

/** Reads what polling has seen, without waiting for writes. Writes nothing. */
export function watchHistory({ reading }: Database): WatchHistory {
  return {
    downSince: readDownSince(reading),
    upSince: readUpSince(reading),

    async transitions({ workspaceId, environment, from, to, uuid, limit }) {
      let query = reading
        .selectFrom('watch_transition')
        .selectAll()
        .where((row) => row.and(scopeColumns({ workspaceId, environment })))
        .where('at', '>=', from.toISOString())
        .where('at', '<', to.toISOString())
      if (uuid !== undefined) query = query.where('uuid', '=', uuid)
      const found = await query.orderBy('at', 'desc').limit(limit).execute()
      return found.map(transitionOf).reverse()
    },

    async outages({ limit, ...query }) {
      const found: Outage[] = []
      for (let last: Outage | undefined; found.length < limit; last = found.at(-1)) {
        const many = Math.min(PAGE, limit - found.length)
        const page = await pageOf(outagesIn(reading, query), 'desc', last, many)
        found.push(...page)
        if (page.length < many) break
      }
      return found.reverse()
    },

    outagePage: (query, after) => pageOf(outagesIn(reading, query), 'asc', after),

    async openPage({ workspaceId, environment }, after) {
      const open = reading
        .selectFrom('watch_outage')
        .innerJoin('watch_state', 'watch_state.outage_id', 'watch_outage.id')
        .selectAll('watch_outage')
        .where('watch_state.workspace_id', '=', workspaceId)
        .where('watch_state.environment', '=', environment)
      return pageOf(open, 'asc', after)
    },

    observed: async (query) => (await lookedAt(reading, query, query)).observed,

    async polling(workspaceId, environment) {
      const row = await reading
        .selectFrom('watch_poll')
        .selectAll()
        .where((row) => row.and(scopeColumns({ workspaceId, environment })))
        .executeTakeFirst()
      return row && pollStatusOf(row)
    },
  }
}

const readDownSince =
  (reading: Kysely<Schema>): WatchHistory['downSince'] =>
  async ({ workspaceId, environment }, uuids) => {
    const found = await reading
      .selectFrom('watch_state')
      .innerJoin('watch_outage', 'watch_outage.id', 'watch_state.outage_id')
      .select(['watch_outage.id', 'watch_outage.uuid', 'watch_outage.started_at'])
      .where('watch_state.workspace_id', '=', workspaceId)
      .where('watch_state.environment', '=', environment)
      .where('watch_state.uuid', 'in', uuids)
      .where('watch_outage.status', '=', 'UNHEALTHY')
      .where('watch_outage.is_baseline', '=', 0)
      .execute()
    if (found.length === 0) return new Map()
    const taken = await reading
      .selectFrom('watch_card')
      .innerJoin('watch_card_outage', 'watch_card_outage.card_id', 'watch_card.id')
      .select(['watch_card_outage.outage_id', 'watch_card.acknowledged_name'])
      .where(
        'watch_card_outage.outage_id',
        'in',
        found.map(({ id }) => id),
      )
      .where('watch_card.acknowledged_name', 'is not', null)
      .where('watch_card.closed_at', 'is', null)
      .execute()
    const names = new Map(taken.map((one) => [one.outage_id, one.acknowledged_name]))
    return new Map(
      found.map(({ id, uuid, started_at }) => {
        const onIt = names.get(id)
        return [uuid, { at: new Date(started_at), ...(onIt && { onIt }) }]
      }),
    )
  }

const readUpSince =
  (reading: Kysely<Schema>): WatchHistory['upSince'] =>
  async (scope) => {
    const [watches, outages] = await Promise.all([
      reading
        .selectFrom('watch')
        .select(['filter', 'made_at'])
        .where((row) => row.and(scopeColumns(scope)))
        .where('filter', '=', JSON.stringify(EVERY_CHECK))
        .where('paused_at', 'is', null)
        .execute(),
      reading
        .selectFrom('watch_outage')
        .select((row) => [
          row.fn.max('ended_at').as('last'),
          row.fn.count<number>('id').filterWhere('ended_at', 'is', null).as('open'),
        ])
        .where((row) => row.and(scopeColumns(scope)))
        .where('status', '=', 'UNHEALTHY')
        .executeTakeFirst(),
    ])
    const { last, open } = outages ?? {}
    if (!last || Number(open) > 0 || !watches.some(({ made_at }) => made_at <= last)) return undefined
    return new Date(last)
  }

/** Those of a query that follow one, by start; its table is `watch_outage`, with whatever it is joined with. */
async function pageOf(
  query: OutageQuery,
  order: 'asc' | 'desc',
  after: Outage | undefined,
  limit = PAGE,
): Promise<Outage[]> {
  let rest = query.orderBy('watch_outage.started_at', order).orderBy('watch_outage.id', order).limit(limit)
  if (after) {
    const began = after.startedAt.toISOString()
    const [beyond, from] = order === 'asc' ? (['>', '>='] as const) : (['<', '<='] as const)
    rest = rest
      .where('watch_outage.started_at', from, began)
      .where((row) =>
        row.or([row('watch_outage.started_at', beyond, began), row('watch_outage.id', beyond, after.id)]),
      )
  }
  return (await rest.execute()).map(outageOf)
}

type OutageQuery = ReturnType<typeof outagesIn>

function outagesIn(
  rows: Kysely<Schema>,
  { workspaceId, environment, from, to, uuid, statuses = ['UNHEALTHY'] }: Omit<HistoryQuery, 'limit'>,
) {
  const all = rows
    .selectFrom('watch_outage')
    .selectAll()
    .where((row) => row.and(scopeColumns({ workspaceId, environment })))
    .where('status', 'in', statuses)
    .where('started_at', '<', to.toISOString())
    .where((row) => row.or([row('ended_at', 'is', null), row('ended_at', '>', from.toISOString())]))
  return uuid === undefined ? all : all.where('uuid', '=', uuid)
}

/** One check, and the channel in which it is asked about. */
interface AboutCheckQuery {
  readonly workspaceId: string
  readonly environment: Environment
  readonly uuid: string
  readonly channelId: string | undefined
  /** The most changes to read. */
  readonly latest: number
}

/** All that is stored about one check. */
interface AboutCheck {
  /** Every watch of the environment, by channel, oldest first. */
  readonly watches: Watch[]
  /** Every mute of the channel in the environment, also one that is over but not deleted yet. */
  readonly mutes: Mute[]
  /** The last changes of the check, newest first. */
  readonly latest: CheckTransition[]
  /** The check's present outage, as far as polling knows. */
  readonly outage: Outage | undefined
}

export type ReadAboutCheck = (query: AboutCheckQuery) => Promise<AboutCheck>

/** Reads all of it in one statement: one round trip, as of one moment. Writes nothing. */
export function readAboutCheck({ reading, kind }: Database): ReadAboutCheck {
  const list: typeof sqliteList = kind === 'postgres' ? postgresList : sqliteList
  return async ({ workspaceId, environment, uuid, channelId, latest }) => {
    const found = await reading
      .selectNoFrom((one) => {
        const of = { workspace_id: workspaceId, environment }
        const watches = one
          .selectFrom('watch')
          // Rows that are read as JSON, where SQLite must be told each name.
          .select(WATCH.names)
          .where((row) => row.and(of))
        const mutes = one
          .selectFrom('watch_mute')
          .select(MUTE.names)
          // Without a channel there are no mutes.
          .where((row) => row.and({ ...of, channel_id: channelId ?? '' }))
        const changes = one
          .selectFrom('watch_transition')
          .select(TRANSITIONS.names)
          .where((row) => row.and({ ...of, uuid }))
        const outages = one
          .selectFrom('watch_outage')
          .select(OUTAGES.names)
          .where((row) => row.and({ ...of, uuid, status: 'UNHEALTHY' }))
          .where('ended_at', 'is', null)
        return [
          list(watches.orderBy('channel_id').orderBy('made_at').orderBy('id')).as('watches'),
          list(mutes).as('mutes'),
          list(changes.orderBy('at', 'desc').limit(latest)).as('latest'),
          list(outages.orderBy('started_at', 'desc').limit(1)).as('outages'),
        ]
      })
      .executeTakeFirstOrThrow()
    const [outage] = listOf(found.outages)
    return {
      watches: listOf(found.watches).map(watchOf),
      mutes: listOf(found.mutes).map(muteFrom),
      latest: listOf(found.latest).map(transitionOf),
      outage: outage && outageOf(outage),
    }
  }
}

/** PostgreSQL's client has read the JSON already; SQLite gives it as a text. */
const listOf = <T>(found: readonly T[]): readonly T[] =>
  typeof found === 'string' ? (JSON.parse(found) as T[]) : found
