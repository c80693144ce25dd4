import { type Database, type Rows, selectRows } from '@signalman/durable'
import { jsonArrayFrom as postgresList } from 'kysely/helpers/postgres'
import { jsonArrayFrom as sqliteList } from 'kysely/helpers/sqlite'
import type { Environment } from '../../../domain/environment.ts'
import { measureDowntime } from '../../../domain/outages/observe.ts'
import type {
  Down,
  DownCheck,
  EarlierName,
  Outage,
  PollStatus,
  Span,
} from '../../../domain/outages/outage.ts'
import type { Incident, IncidentEvent } from '../rules/incident.ts'
import { ALL_CHECKS } from '../rules/watch.ts'
import { INCIDENTS, SILENCE, WATCH } from './columns.ts'
import { readEvents, readUnseen, toIncident } from './incidents.ts'
import { readObserved, readObservedSince, readPoll } from './poll-rows.ts'
import { scopeColumns, toWatch, type WatchScope } from './row.ts'
import { toSilence } from './silences.ts'

/** A period in one environment of a workspace, for one check or all. */
interface HistoryQuery extends WatchScope, Span {
  readonly uuid?: string | undefined
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
        const page = await readPage(reading, query, last, pageSize)
        found.push(...page)
        if (page.length < pageSize) break
      }
      return found.reverse()
    },

    /** Since when the environment's checks can't be seen. Undefined if they can. */
    findUnseen: (scope: WatchScope) => readUnseen(reading, scope),

    /** The observed intervals that overlap the period, oldest first. */
    listObserved: (query: WatchScope & Span) => readObserved(reading, query, query),

    /** The polling state; undefined if nothing is watched. */
    async findPollStatus(workspaceId: string, environment: Environment): Promise<PollStatus | undefined> {
      const poll = await readPoll(reading, { workspaceId, environment })
      if (!poll) return undefined
      return { ...poll, unseen: await readUnseen(reading, { workspaceId, environment }) }
    },
  }
}

/** When each check went down, or was first seen down, and who acknowledged it, by UUID. */
const createDownSinceReader =
  (reading: Rows) =>
  async (scope: WatchScope, uuids: readonly string[]): Promise<Map<string, DownCheck>> => {
    const found = await reading
      .selectFrom('incident')
      .selectAll()
      .where((row) => row.and({ ...scopeColumns(scope), is_down: 1, closed_at: null }))
      .where('uuid', 'in', uuids)
      .execute()
    const unseen = found.length > 0 ? await readUnseen(reading, scope) : undefined
    const observedSince = await readObservedSince(reading, scope)
    return new Map(
      found.map((row) => {
        const { fell, onIt, isBaseline, falls } = toIncident(row)
        const at = fell.gaps?.to ?? fell.at
        const hasUnknownStart = (isBaseline && falls === 1) || fell.unseenSince || fell.gaps
        const downCheck: DownCheck = {
          ...(!unseen && observedSince && at >= observedSince && { at }),
          ...(hasUnknownStart && { isAtLeast: true }),
          ...(onIt && { acknowledgedBy: onIt.name || onIt.by }),
        }
        return [row.uuid, downCheck]
      }),
    )
  }

/**
 * Returns when the last check went up, if nothing is down now. Undefined if a check is down, if the checks can't be seen now or
 * couldn't be seen since, or if no watch covered all checks at that time.
 */
const createAllUpSinceReader =
  (reading: Rows) =>
  async (scope: WatchScope): Promise<Date | undefined> => {
    const allChecksWatches = { ...scopeColumns(scope), filter: JSON.stringify(ALL_CHECKS), paused_at: null }
    const { last, down, watched } = await selectRows(reading, 'incident', scopeColumns(scope))
      .where('uuid', '<>', '')
      .clearSelect()
      .select(({ fn }) => [
        fn.max('up_at').as('last'),
        fn.count<number>('id').filterWhere('is_down', '=', 1).as('down'),
        selectRows(reading, 'watch', allChecksWatches)
          .clearSelect()
          .select((watch) => watch.fn.min('made_at').as('made_at'))
          .as('watched'),
      ])
      .executeTakeFirstOrThrow()
    if (!last || !watched || watched > last || Number(down) > 0) return undefined
    const observedSince = await readObservedSince(reading, scope)
    // A rise at the first poll after a gap may have been earlier.
    const isObserved = observedSince && new Date(last) > observedSince
    return isObserved && !(await readUnseen(reading, scope)) ? new Date(last) : undefined
  }

/** Reads the first page of outages, newest first, or the page that follows the outage `after`. */
async function readPage(
  rows: Rows,
  { from, to, uuid, ...scope }: HistoryQuery,
  after: Outage | undefined,
  limit: number,
): Promise<Outage[]> {
  let query = selectRows(rows, 'incident', scopeColumns(scope), { uuid })
    .where('uuid', '<>', '')
    .where('opened_at', '<', to.toISOString())
    .where((row) => row.or([row('up_at', 'is', null), row('up_at', '>', from.toISOString())]))
    .orderBy('opened_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (after) {
    const startedAt = after.startedAt.toISOString()
    query = query
      .where('opened_at', '<=', startedAt)
      .where((row) => row.or([row('opened_at', '<', startedAt), row('id', '<', after.id)]))
  }
  return readOutages(rows, (await query.execute()).map(toIncident))
}

/** Adds to incidents when they were down and how they were called, from their events. */
async function readOutages(rows: Rows, incidents: readonly Incident[]): Promise<Outage[]> {
  const ids = incidents.map(({ id }) => id)
  const events = await readEvents(rows, ids, ['down', 'up', 'over', 'renamed'])
  return incidents.map((incident) => toOutage(incident, events.get(incident.id) ?? []))
}

function toOutage(incident: Incident, events: readonly IncidentEvent[]): Outage {
  const { id, check, openedAt, up, closed, isDown, isBaseline, onIt } = incident
  const earlierNames = events.flatMap(({ kind, at, details }): EarlierName[] =>
    kind === 'renamed' && details?.before !== undefined ? [{ name: details.before, until: at }] : [],
  )
  return {
    id,
    check,
    startedAt: openedAt,
    endedAt: isDown ? undefined : up?.at,
    ending: closed?.ending,
    isBaseline,
    downtime: measureDowntime(incident),
    gaps: incident.fell.gaps,
    downs: listDowns(incident, events),
    onIt,
    earlierNames: earlierNames.length > 0 ? earlierNames : undefined,
  }
}

/** When the check was down. Events older than the retention period are gone, so the first may be missing. */
function listDowns({ openedAt, fell, up, isDown }: Incident, events: readonly IncidentEvent[]): Down[] {
  const downs: Down[] = []
  for (const { kind, at, details } of events) {
    const last = downs.at(-1)
    if (kind === 'down') downs.push({ from: at, isFromLate: details?.isLate })
    else if (last && !last.to && (kind === 'up' || kind === 'over'))
      downs[downs.length - 1] = { ...last, to: at, isToLate: details?.isLate }
    else if (downs.length === 0 && kind === 'up') downs.push({ from: openedAt, to: at })
  }
  if (downs.length === 0) return [{ from: isDown ? fell.at : openedAt, to: isDown ? undefined : up?.at }]
  return downs
}

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
        const incidents = db
          .selectFrom('incident')
          .select(INCIDENTS.names)
          .where((row) => row.and({ ...scope, uuid }))
        const silences = db
          .selectFrom('watch_silence')
          .select(SILENCE.names)
          .where((row) => row.and(scope))
          .where('state', '<>', 'over')
          .where('channel_id', 'in', ['', channelId ?? ''])
        return [
          jsonList(watches.orderBy('channel_id').orderBy('made_at').orderBy('id')).as('watches'),
          jsonList(incidents.orderBy('opened_at', 'desc').limit(outageLimit)).as('latest'),
          jsonList(silences.orderBy('from_at').orderBy('id')).as('silences'),
        ]
      })
      .executeTakeFirstOrThrow()
    return {
      watches: parseList(found.watches).map(toWatch),
      latest: await readOutages(reading, parseList(found.latest).map(toIncident)),
      silences: parseList(found.silences).map(toSilence),
      unseen: await readUnseen(reading, { workspaceId, environment }),
      observedSince: await readObservedSince(reading, { workspaceId, environment }),
    }
  }
}

/** PostgreSQL's client parses JSON itself; SQLite returns text. */
const parseList = <T>(found: readonly T[]): readonly T[] =>
  typeof found === 'string' ? (JSON.parse(found) as T[]) : found
