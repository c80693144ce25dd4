import { type Database, type Rows, selectRows } from '@signalman/durable'
import { jsonArrayFrom as postgresList } from 'kysely/helpers/postgres'
import { jsonArrayFrom as sqliteList } from 'kysely/helpers/sqlite'
import type { Environment } from '../../../domain/environment.ts'
import type { DownCheck, Outage, PollStatus, Span, WatchedStatus } from '../../../domain/outages/outage.ts'
import { ALL_CHECKS, type WatchChannel } from '../rules/watch.ts'
import { OUTAGES, SILENCE, WATCH } from './columns.ts'
import { readPagesById } from './pages.ts'
import { readObserved, readPoll } from './poll-rows.ts'
import { channelColumns, scopeColumns, toOutage, toWatch, type WatchScope } from './row.ts'
import { toSilence } from './silences.ts'

/** A period in one environment of a workspace, for one check or all. */
interface HistoryQuery extends WatchScope, Span {
  readonly uuid?: string | undefined
  /** Defaults to UNHEALTHY. */
  readonly statuses?: readonly WatchedStatus[] | undefined
}

/** Outages per statement, because thousands of checks may go down at the same time. */
const OUTAGE_PAGE_SIZE = 500

/** Reads what polling recorded, without waiting for writes. */
export function createHistoryStore({ reading }: Database) {
  return {
    findDownSince: createDownSinceReader(reading),
    findAllUpSince: createAllUpSinceReader(reading),

    /**
     * Lists the outages that overlap the period, oldest first, including those that were already open when watching began. If there
     * are more than `limit`, lists only the most recent.
     */
    async listOutages({ limit, ...query }: HistoryQuery & { limit: number }): Promise<Outage[]> {
      const found: Outage[] = []
      for (let last: Outage | undefined; found.length < limit; last = found.at(-1)) {
        const pageSize = Math.min(OUTAGE_PAGE_SIZE, limit - found.length)
        const page = await readPage(selectOutages(reading, query), 'desc', last, pageSize)
        found.push(...page)
        if (page.length < pageSize) break
      }
      return found.reverse()
    },

    /**
     * Reads one page of the outages that overlap the period, oldest first: the first page, or the page that follows the outage
     * `after`. Returns an empty page at the end.
     */
    readOutagePage: (query: HistoryQuery, after: Outage | undefined) =>
      readPage(selectOutages(reading, query), 'asc', after),

    /** Which of these outages were on a card in the channel. */
    findReported: createReportedReader(reading),

    /** The observed intervals that overlap the period, oldest first. */
    listObserved: (query: WatchScope & Span) => readObserved(reading, query, query),

    /** The polling state; undefined if nothing is watched. */
    findPollStatus: (workspaceId: string, environment: Environment): Promise<PollStatus | undefined> =>
      readPoll(reading, { workspaceId, environment }),
  }
}

/** When each check went down and who acknowledged it, by UUID. Leaves out checks that were already down when watching began. */
const createDownSinceReader =
  (reading: Rows) =>
  async (scope: WatchScope, uuids: readonly string[]): Promise<Map<string, DownCheck>> => {
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
        const { startedAt: at, onIt } = toOutage(row)
        return [row.uuid, { at, ...(onIt && { acknowledgedBy: onIt.name || onIt.by }) }]
      }),
    )
  }

/**
 * Returns when the last outage ended, if nothing is down now. Undefined if a check is down, or if no watch covered all checks at
 * that time.
 */
const createAllUpSinceReader =
  (reading: Rows) =>
  async (scope: WatchScope): Promise<Date | undefined> => {
    const allChecksWatches = { ...scopeColumns(scope), filter: JSON.stringify(ALL_CHECKS), paused_at: null }
    const outages = selectRows(reading, 'watch_outage', { ...scopeColumns(scope), status: 'UNHEALTHY' })
    const { last, open, watched } = await outages
      .clearSelect()
      .select(({ fn }) => [
        fn.max('ended_at').as('last'),
        fn.count<number>('id').filterWhere('ended_at', 'is', null).as('open'),
        selectRows(reading, 'watch', allChecksWatches)
          .clearSelect()
          .select((watch) => watch.fn.min('made_at').as('made_at'))
          .as('watched'),
      ])
      .executeTakeFirstOrThrow()
    return last && watched && watched <= last && Number(open) === 0 ? new Date(last) : undefined
  }

const createReportedReader =
  (reading: Rows) =>
  async (channel: WatchChannel, outageIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const alerts = selectRows(reading, 'watch_alert', channelColumns(channel)).where(
      'card_id',
      'is not',
      null,
    )
    const found = new Set<string>()
    const byId = (ids: readonly string[]) => alerts.where('outage_id', 'in', ids).execute()
    for await (const page of readPagesById(outageIds, byId)) for (const row of page) found.add(row.outage_id)
    return found
  }

/** Reads the first page of outages in order of their start, or the page that follows the outage `after`. */
async function readPage(
  query: ReturnType<typeof selectOutages>,
  order: 'asc' | 'desc',
  after: Outage | undefined,
  limit = OUTAGE_PAGE_SIZE,
): Promise<Outage[]> {
  let pageQuery = query.orderBy('started_at', order).orderBy('id', order).limit(limit)
  if (after) {
    const startedAt = after.startedAt.toISOString()
    const [beyond, atOrBeyond] = order === 'asc' ? (['>', '>='] as const) : (['<', '<='] as const)
    pageQuery = pageQuery
      .where('started_at', atOrBeyond, startedAt)
      .where((row) => row.or([row('started_at', beyond, startedAt), row('id', beyond, after.id)]))
  }
  return (await pageQuery.execute()).map(toOutage)
}

const selectOutages = (rows: Rows, { from, to, uuid, statuses = ['UNHEALTHY'], ...scope }: HistoryQuery) =>
  selectRows(rows, 'watch_outage', scopeColumns(scope), { uuid })
    .where('status', 'in', statuses)
    .where('started_at', '<', to.toISOString())
    .where((row) => row.or([row('ended_at', 'is', null), row('ended_at', '>', from.toISOString())]))

/** A check, and the channel in which someone asked about it. */
interface CheckDetailsQuery extends WatchScope {
  readonly uuid: string
  readonly channelId: string | undefined
  /** How many outages to read at most, newest first. */
  readonly outageLimit: number
}

/**
 * Reads everything stored about one check: its latest outages (newest first), the environment's watches (by channel, oldest first),
 * and the silences that apply in the channel (by start). A single statement, so that the result is consistent.
 */
export function createCheckDetailsReader({ reading, kind }: Database) {
  const jsonList: typeof sqliteList = kind === 'postgres' ? postgresList : sqliteList
  return async ({ workspaceId, environment, uuid, channelId, outageLimit }: CheckDetailsQuery) => {
    const found = await reading
      .selectNoFrom((db) => {
        const scope = { workspace_id: workspaceId, environment }
        const watches = db
          .selectFrom('watch')
          // Lists each column, because SQLite's `jsonArrayFrom` doesn't support `selectAll`.
          .select(WATCH.names)
          .where((row) => row.and(scope))
        const outages = db
          .selectFrom('watch_outage')
          .select(OUTAGES.names)
          .where((row) => row.and({ ...scope, uuid }))
        const silences = db
          .selectFrom('watch_silence')
          .select(SILENCE.names)
          .where((row) => row.and(scope))
          .where('state', '<>', 'over')
          .where('channel_id', 'in', ['', channelId ?? ''])
        return [
          jsonList(watches.orderBy('channel_id').orderBy('made_at').orderBy('id')).as('watches'),
          jsonList(outages.orderBy('started_at', 'desc').limit(outageLimit)).as('latest'),
          jsonList(silences.orderBy('from_at').orderBy('id')).as('silences'),
        ]
      })
      .executeTakeFirstOrThrow()
    return {
      watches: parseList(found.watches).map(toWatch),
      latest: parseList(found.latest).map(toOutage),
      silences: parseList(found.silences).map(toSilence),
    }
  }
}

/** PostgreSQL's client parses JSON itself; SQLite returns text. */
const parseList = <T>(found: readonly T[]): readonly T[] =>
  typeof found === 'string' ? (JSON.parse(found) as T[]) : found
