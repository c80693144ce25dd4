import { type Database, type DatabaseTime, type Rows, updateIn } from '@signalman/durable'
import { type RawBuilder, sql } from 'kysely'
import { isBlind, type PollFailure, type WatchedStatus } from '../../../domain/outages/outage.ts'
import type { Meanwhile } from '../rules/card.ts'
import { OBSERVED, SCOPE, type WatchPollRow } from './columns.ts'
import { showBlindness } from './notices.ts'
import { type Holder, pollOf, scopeName } from './poll-rows.ts'
import { type ScopeOf, scopeColumns } from './row.ts'
import { updateChannels } from './update-channels.ts'

/** How a successful poll ended. */
export interface PollEnd {
  /** Its number; one in which nothing has changed leaves that to the next. */
  readonly poll: number
  readonly at: Date
  /** On the watch clock. */
  readonly seen: number
  readonly intervalMs: number
  readonly statuses: readonly WatchedStatus[]
  /** How many checks there are. */
  readonly total: number
  readonly isFull: boolean
  /** How many checks match each watch; set after a full listing. */
  readonly matched?: ReadonlyMap<string, number> | undefined
  /** What checks are called that something names by their UUIDs, in lower case; set after a full listing. */
  readonly names?: ReadonlyMap<string, string> | undefined
  readonly meanwhile: Meanwhile
}

/** A poll that changed nothing, written later. */
export interface UnchangedPoll {
  readonly scope: ScopeOf
  readonly by: Holder
  readonly end: PollEnd
  /** The first of the polls that ended alike and of which nothing is written; none of them missed more than a few turns. */
  readonly since?: Date | undefined
}

type EndedScope = Pick<WatchPollRow, 'workspace_id' | 'environment'>

/**
 * Writes the ends of polls: all of one poll, or when each was looked at last where nothing else has changed (`isUnchanged`). Returns for
 * each whether it was written: false when another process has written a poll of its scope, or the lease is lost. The statement itself
 * checks this, because the process may have stood still since an earlier check.
 */
export async function endPolls(
  rows: Rows,
  kind: Database['kind'],
  ends: readonly UnchangedPoll[],
  isUnchanged = false,
): Promise<boolean[]> {
  if (ends.length === 0) return []
  const { rows: written } = await advance(kind, ends, isUnchanged).execute(rows)
  const names = new Set(written.map(nameOf))
  const own = ends.filter(({ scope }) => names.has(scopeName(scope)))
  if (own.length > 0) await observed(rows, kind, own)
  return ends.map(({ scope }) => names.has(scopeName(scope)))
}

const nameOf = (row: EndedScope): string => scopeName(SCOPE.of(row))

/** Polls that failed for longer than this leave a gap in what was observed. */
const MOST_MISSED = 3

/**
 * Joins a poll that changed nothing to the one before it, which is not written either. Undefined when there is a gap between them, or
 * the clock was set back.
 */
export function joinUnchanged(
  next: UnchangedPoll,
  former: UnchangedPoll | undefined,
): UnchangedPoll | undefined {
  if (!former) return { ...next, since: next.end.at }
  const gapMs = next.end.at.getTime() - former.end.at.getTime()
  return gapMs < 0 || gapMs > MOST_MISSED * next.end.intervalMs ? undefined : { ...next, since: former.since }
}

/**
 * The ends as a table, so that one prepared statement takes any number of them; sorted, so that two processes do not wait for each other.
 * Of a set PostgreSQL expects 100 rows, whatever it is given: for one poll it read all times of all workspaces.
 */
function ended(kind: Database['kind'], ends: readonly UnchangedPoll[]): RawBuilder<unknown> {
  const all = ends
    .map(({ scope, by, since, end: { poll, at, seen, intervalMs, statuses, total, isFull } }) => ({
      workspace: scope.workspaceId,
      environment: scope.environment,
      work: by.workId,
      owner: by.owner,
      poll,
      at: at.toISOString(),
      seen,
      due: new Date(at.getTime() + intervalMs).toISOString(),
      oldest: new Date((since ?? at).getTime() - MOST_MISSED * intervalMs).toISOString(),
      statuses: JSON.stringify(statuses),
      total,
      listed: isFull ? at.toISOString() : null,
    }))
    .sort((left, right) => (left.workspace < right.workspace ? -1 : 1))
  const [one, ...others] = all
  const columns = Object.entries(one ?? {}).map(([name, value]) =>
    kind === 'postgres'
      ? sql`${sql.ref(name)} ${sql.raw(typeof value === 'number' ? 'bigint' : 'text')}`
      : sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`,
  )
  const json = JSON.stringify(all)
  if (kind === 'sqlite') return sql`(select ${sql.join(columns)} from json_each(${json})) as ended`
  return others.length === 0
    ? sql`json_to_record(${JSON.stringify(one)}::json) as ended(${sql.join(columns)})`
    : sql`json_to_recordset(${json}::json) as ended(${sql.join(columns)})`
}

const advance = (
  kind: Database['kind'],
  ends: readonly UnchangedPoll[],
  isUnchanged: boolean,
): RawBuilder<EndedScope> =>
  sql<EndedScope>`update watch_poll
    set due_at = ended.due, last_ok_at = ended.at, ${SEEN}${isUnchanged ? sql`` : ENDED}
    from ${ended(kind, ends)}
    where watch_poll.workspace_id = ended.workspace and watch_poll.environment = ended.environment
      and watch_poll.polls = ended.poll - 1${isUnchanged ? sql` and failing_since is null` : sql``}
      and exists (select 1 from work
        where work.id = ended.work and work.owner = ended.owner and work.state = 'running')
    returning watch_poll.workspace_id, watch_poll.environment`

/** Something may have been decided since the poll began: the watch clock never runs backward. */
const SEEN = sql`seen_at = case when seen_ms > ended.seen then seen_at else ended.at end,
      seen_ms = case when seen_ms > ended.seen then seen_ms else ended.seen end`

const ENDED = sql`, is_undecided = 0, polls = ended.poll, statuses = ended.statuses, total = ended.total,
      full_at = coalesce(ended.listed, full_at), failing_since = null, failure = null, is_blind = 0`

/** Extends the last interval of each scope that has begun, or begins a new one after a gap. A clock set back takes nothing from it. */
async function observed(rows: Rows, kind: Database['kind'], ends: readonly UnchangedPoll[]): Promise<void> {
  const { rows: longer } = await sql<EndedScope>`update watch_observed
    set to_at = case when to_at > ended.at then to_at else ended.at end
    from ${ended(kind, ends)}
    where watch_observed.workspace_id = ended.workspace and watch_observed.environment = ended.environment
      and watch_observed.to_at >= ended.oldest
      and watch_observed.from_at = (select max(latest.from_at) from watch_observed as latest
        where latest.workspace_id = ended.workspace and latest.environment = ended.environment
          and latest.from_at <= ended.at)
    returning watch_observed.workspace_id, watch_observed.environment`.execute(rows)
  const names = new Set(longer.map(nameOf))
  const begun = ends.filter(({ scope }) => !names.has(scopeName(scope)))
  if (begun.length === 0) return
  await rows
    .insertInto('watch_observed')
    .values(
      begun.map(({ scope, since, end: { at } }) => OBSERVED.row({ ...scope, from: since ?? at, to: at })),
    )
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment', 'from_at']).doNothing())
    .execute()
}

/** A poll that failed. */
export interface FailedPoll {
  readonly failure: PollFailure
  readonly at: Date
  /** Undefined leaves it due when it was. */
  readonly retryMs: number | undefined
}

/** Writes the failure. Once it counts as blindness, each channel gets a card that says so; cards that are open say a new reason. */
export async function recordFailure(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  { failure, at, retryMs }: FailedPoll,
): Promise<void> {
  const poll = await pollOf(rows, scope)
  if (!poll) return
  // Not later than now: the clock may have been set back since.
  const failingSince = poll.failingSince && poll.failingSince < at ? poll.failingSince : at
  const isTold = isBlind(failure, at.getTime() - failingSince.getTime())
  await updateIn(rows, 'watch_poll', scopeColumns(scope), {
    ...(retryMs !== undefined && { due_at: new Date(at.getTime() + retryMs).toISOString() }),
    failing_since: failingSince.toISOString(),
    failure,
    ...(isTold && { is_blind: 1 }),
  })
  // While nothing can be seen, only another reason for it is news.
  if (poll.isBlind ? poll.failure === failure : !isTold) return
  await showBlindness(rows, time, scope)
  // Nobody is called or reminded from now on.
  await updateChannels(rows, time, scope)
}
