import { type Database, type Rows, rowsIn } from '@signalman/durable'
import { jsonArrayFrom as postgresList } from 'kysely/helpers/postgres'
import { jsonArrayFrom as sqliteList } from 'kysely/helpers/sqlite'
import type { Environment } from '../../../domain/environment.ts'
import type { Outage, PollStatus, Span, WatchedStatus } from '../../../domain/outages/outage.ts'
import { EVERY_CHECK, type WatchPlace } from '../rules/watch.ts'
import { OUTAGES, SILENCE, WATCH } from './columns.ts'
import { pagesById } from './pages.ts'
import { observedIn, pollOf } from './poll-rows.ts'
import { channelColumns, outageOf, type ScopeOf, scopeColumns, watchOf } from './row.ts'
import { silenceFrom } from './silences.ts'

/** A stretch of time in one environment of a workspace, of one check or of all. */
interface HistoryQuery extends ScopeOf, Span {
  readonly uuid?: string | undefined
  /** Only UNHEALTHY unless given. */
  readonly statuses?: readonly WatchedStatus[] | undefined
}

/** Outages read in one statement: a storm may come to many thousands. */
const PAGE = 500

/** Reads what polling has seen, without waiting for writes. Writes nothing. */
export function watchHistory({ reading }: Database) {
  return {
    downSince: readDownSince(reading),
    upSince: readUpSince(reading),

    /** Outages that lasted into that time, by start; also those of the baseline. At most this many: those that began last. */
    async outages({ limit, ...query }: HistoryQuery & { limit: number }): Promise<Outage[]> {
      const found: Outage[] = []
      for (let last: Outage | undefined; found.length < limit; last = found.at(-1)) {
        const many = Math.min(PAGE, limit - found.length)
        const page = await pageOf(outagesIn(reading, query), 'desc', last, many)
        found.push(...page)
        if (page.length < many) break
      }
      return found.reverse()
    },

    /** A page of the same, by start: the first, or those after `after`. The page after the last is empty. */
    outagePage: (query: HistoryQuery, after: Outage | undefined) =>
      pageOf(outagesIn(reading, query), 'asc', after),

    /** Those of the outages that a message of the channel has listed. */
    reportedIn: readReportedIn(reading),

    /** The intervals of polling that reach into that time, oldest first, not cut to it. */
    observed: (query: ScopeOf & Span) => observedIn(reading, query, query),

    /** The state of the polling; undefined when nothing is watched there. */
    polling: (workspaceId: string, environment: Environment): Promise<PollStatus | undefined> =>
      pollOf(reading, { workspaceId, environment }),
  }
}

/** Since when checks are down and who is on it, by their UUIDs: of those that were seen to go down. */
const readDownSince =
  (reading: Rows) =>
  async (scope: ScopeOf, uuids: readonly string[]): Promise<Map<string, { at: Date; onIt?: string }>> => {
    const found = await reading
      .selectFrom('watch_outage')
      .selectAll()
      .where((row) =>
        row.and({ ...scopeColumns(scope), status: 'UNHEALTHY', is_baseline: 0, ended_at: null }),
      )
      .where('uuid', 'in', uuids)
      .execute()
    return new Map(
      found.map((row) => {
        const { startedAt: at, onIt } = outageOf(row)
        return [row.uuid, { at, ...(onIt && { onIt: onIt.name || onIt.by }) }]
      }),
    )
  }

/** When the last of all checks came up; undefined where nobody watched all of them by then, or something is down. */
const readUpSince =
  (reading: Rows) =>
  async (scope: ScopeOf): Promise<Date | undefined> => {
    const every = { ...scopeColumns(scope), filter: JSON.stringify(EVERY_CHECK), paused_at: null }
    const outages = rowsIn(reading, 'watch_outage', { ...scopeColumns(scope), status: 'UNHEALTHY' })
    const { last, open, watched } = await outages
      .clearSelect()
      .select(({ fn }) => [
        fn.max('ended_at').as('last'),
        fn.count<number>('id').filterWhere('ended_at', 'is', null).as('open'),
        rowsIn(reading, 'watch', every)
          .clearSelect()
          .select((watch) => watch.fn.min('made_at').as('made_at'))
          .as('watched'),
      ])
      .executeTakeFirstOrThrow()
    return last && watched && watched <= last && Number(open) === 0 ? new Date(last) : undefined
  }

const readReportedIn =
  (reading: Rows) =>
  async (place: WatchPlace, outageIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const alerts = rowsIn(reading, 'watch_alert', channelColumns(place)).where('card_id', 'is not', null)
    const found = new Set<string>()
    const byId = (ids: readonly string[]) => alerts.where('outage_id', 'in', ids).execute()
    for await (const page of pagesById(outageIds, byId)) for (const row of page) found.add(row.outage_id)
    return found
  }

/** Those of a query that follow one, by start. */
async function pageOf(
  query: ReturnType<typeof outagesIn>,
  order: 'asc' | 'desc',
  after: Outage | undefined,
  limit = PAGE,
): Promise<Outage[]> {
  let rest = query.orderBy('started_at', order).orderBy('id', order).limit(limit)
  if (after) {
    const began = after.startedAt.toISOString()
    const [beyond, from] = order === 'asc' ? (['>', '>='] as const) : (['<', '<='] as const)
    rest = rest
      .where('started_at', from, began)
      .where((row) => row.or([row('started_at', beyond, began), row('id', beyond, after.id)]))
  }
  return (await rest.execute()).map(outageOf)
}

const outagesIn = (rows: Rows, { from, to, uuid, statuses = ['UNHEALTHY'], ...scope }: HistoryQuery) =>
  rowsIn(rows, 'watch_outage', scopeColumns(scope), { uuid })
    .where('status', 'in', statuses)
    .where('started_at', '<', to.toISOString())
    .where((row) => row.or([row('ended_at', 'is', null), row('ended_at', '>', from.toISOString())]))

/** One check, and the channel in which it is asked about. */
interface AboutCheckQuery extends ScopeOf {
  readonly uuid: string
  readonly channelId: string | undefined
  /** The most outages to read. */
  readonly latest: number
}

/**
 * All that is stored about one check, in one statement: one round trip, as of one moment. Its last outages, newest first, as far as
 * polling knows; every watch of the environment, by channel, oldest first; the silences that hold in the channel, by their beginning.
 * Writes nothing.
 */
export function readAboutCheck({ reading, kind }: Database) {
  const list: typeof sqliteList = kind === 'postgres' ? postgresList : sqliteList
  return async ({ workspaceId, environment, uuid, channelId, latest }: AboutCheckQuery) => {
    const found = await reading
      .selectNoFrom((one) => {
        const of = { workspace_id: workspaceId, environment }
        const watches = one
          .selectFrom('watch')
          // Rows that are read as JSON, where SQLite must be told each name.
          .select(WATCH.names)
          .where((row) => row.and(of))
        const outages = one
          .selectFrom('watch_outage')
          .select(OUTAGES.names)
          .where((row) => row.and({ ...of, uuid }))
        const silences = one
          .selectFrom('watch_silence')
          .select(SILENCE.names)
          .where((row) => row.and(of))
          .where('state', '<>', 'over')
          .where('channel_id', 'in', ['', channelId ?? ''])
        return [
          list(watches.orderBy('channel_id').orderBy('made_at').orderBy('id')).as('watches'),
          list(outages.orderBy('started_at', 'desc').limit(latest)).as('latest'),
          list(silences.orderBy('from_at').orderBy('id')).as('silences'),
        ]
      })
      .executeTakeFirstOrThrow()
    return {
      watches: listOf(found.watches).map(watchOf),
      latest: listOf(found.latest).map(outageOf),
      silences: listOf(found.silences).map(silenceFrom),
    }
  }
}

/** PostgreSQL's client has read the JSON already; SQLite gives it as a text. */
const listOf = <T>(found: readonly T[]): readonly T[] =>
  typeof found === 'string' ? (JSON.parse(found) as T[]) : found
