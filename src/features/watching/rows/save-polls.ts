import { type Database, type DatabaseTime, type Rows, updateRows } from '@signalman/durable'
import { MINUTE_MS, newId } from '@signalman/runtime'
import { type RawBuilder, sql } from 'kysely'
import { type IncidentChange, observeBad, openIncident } from '../../../domain/outages/observe.ts'
import { isBlindAfter, type PollFailure } from '../../../domain/outages/outage.ts'
import { newLine } from '../rules/incident.ts'
import { prepareWatch } from '../rules/matching.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { OBSERVED, SCOPE, type WatchPollRow } from './columns.ts'
import { readBlindness, saveIncidentChanges, saveLines } from './incidents.ts'
import { type LeaseHolder, readPoll, readWatches, scopeKey } from './poll-rows.ts'
import { scopeColumns, type WatchScope } from './row.ts'
import { readNow, updateChannels } from './update-channels.ts'

/** The result of a successful poll. */
export interface SuccessfulPoll {
  /** The number of the poll. A poll that changed nothing is followed by one with the same number. */
  readonly poll: number
  readonly at: Date
  /** `at` on the watch clock. */
  readonly clockMs: number
  readonly intervalMs: number
  /** How many checks there are. */
  readonly total: number
  readonly isFull: boolean
  /** How many checks match each watch; only after a full listing. */
  readonly matched?: ReadonlyMap<string, number> | undefined
  /** Current names of the checks that watches and silences refer to, by UUID in lower case; only after a full listing. */
  readonly names?: ReadonlyMap<string, string> | undefined
}

/** A successful poll to save. If nothing changed, it can be saved later, together with others. */
export interface PollToSave {
  readonly scope: WatchScope
  readonly leaseHolder: LeaseHolder
  readonly result: SuccessfulPoll
  /** The time of the first poll in the current run of unsaved, unchanged polls. */
  readonly since?: Date | undefined
}

type ScopeRow = Pick<WatchPollRow, 'workspace_id' | 'environment'>

/**
 * Saves the results of polls, or only their times if `isUnchanged`. Returns for each poll whether it was saved: false if another
 * process has saved a poll of the same scope, or if the lease is lost. The SQL checks this, because the process may have
 * stalled since it last checked.
 */
export async function saveSuccessfulPolls(
  rows: Rows,
  kind: Database['kind'],
  polls: readonly PollToSave[],
  { isUnchanged = false } = {},
): Promise<boolean[]> {
  if (polls.length === 0) return []
  const { rows: updated } = await updatePolls(kind, polls, isUnchanged).execute(rows)
  const keys = new Set(updated.map(rowScopeKey))
  const saved = polls.filter(({ scope }) => keys.has(scopeKey(scope)))
  if (saved.length > 0) await extendObserved(rows, kind, saved)
  return polls.map(({ scope }) => keys.has(scopeKey(scope)))
}

const rowScopeKey = (row: ScopeRow): string => scopeKey(SCOPE.parse(row))

/** If two polls are further apart than this many intervals, the time between them counts as not observed. */
const MAX_MISSED_INTERVALS = 3

/** With a short interval, polls may be late because the machine is busy. */
const MIN_GAP_MS = MINUTE_MS
/** The longest time between two polls in which the checks count as observed. */
const getMaxGapMs = (intervalMs: number): number => Math.max(MIN_GAP_MS, MAX_MISSED_INTERVALS * intervalMs)

/** The previous poll, if there was a gap after it. */
export function findGapStart(
  previousAt: Date | undefined,
  { at, intervalMs }: Pick<SuccessfulPoll, 'at' | 'intervalMs'>,
): Date | undefined {
  return previousAt && at.getTime() - previousAt.getTime() > getMaxGapMs(intervalMs) ? previousAt : undefined
}

/**
 * Appends an unchanged poll to the unsaved run before it. Undefined if there is a gap between them, or the clock was set
 * back.
 */
export function extendUnsavedRun(next: PollToSave, previous: PollToSave | undefined): PollToSave | undefined {
  if (!previous) return { ...next, since: next.result.at }
  const gapMs = next.result.at.getTime() - previous.result.at.getTime()
  return gapMs < 0 || gapMs > getMaxGapMs(next.result.intervalMs)
    ? undefined
    : { ...next, since: previous.since }
}

/**
 * Builds a table expression with the results, so that one prepared statement can save any number of polls. Sorted by workspace,
 * so that concurrent updates don't deadlock. A single result uses `json_to_record`: PostgreSQL estimates 100 rows for
 * `json_to_recordset`, and would scan the whole table.
 */
function createResultsTable(kind: Database['kind'], polls: readonly PollToSave[]): RawBuilder<unknown> {
  const all = polls
    .map(({ scope, leaseHolder, since, result: { poll, at, clockMs, intervalMs, total, isFull } }) => ({
      workspace: scope.workspaceId,
      environment: scope.environment,
      work: leaseHolder.workId,
      owner: leaseHolder.owner,
      poll,
      at: at.toISOString(),
      clock: clockMs,
      due: new Date(at.getTime() + intervalMs).toISOString(),
      // An observed interval that ends before this isn't extended, because there is a gap.
      oldest: new Date((since ?? at).getTime() - getMaxGapMs(intervalMs)).toISOString(),
      total,
      listed: isFull ? at.toISOString() : null,
    }))
    .sort((left, right) => (left.workspace < right.workspace ? -1 : 1))
  const [first, ...others] = all
  const columns = Object.entries(first ?? {}).map(([name, value]) =>
    kind === 'postgres'
      ? sql`${sql.ref(name)} ${sql.raw(typeof value === 'number' ? 'bigint' : 'text')}`
      : sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`,
  )
  const json = JSON.stringify(all)
  if (kind === 'sqlite') return sql`(select ${sql.join(columns)} from json_each(${json})) as result`
  return others.length === 0
    ? sql`json_to_record(${JSON.stringify(first)}::json) as result(${sql.join(columns)})`
    : sql`json_to_recordset(${json}::json) as result(${sql.join(columns)})`
}

const updatePolls = (
  kind: Database['kind'],
  polls: readonly PollToSave[],
  isUnchanged: boolean,
): RawBuilder<ScopeRow> =>
  sql<ScopeRow>`update watch_poll
    set due_at = result.due, last_ok_at = result.at, ${SET_WATCH_CLOCK}${isUnchanged ? sql`` : SET_RESULT}
    from ${createResultsTable(kind, polls)}
    where watch_poll.workspace_id = result.workspace and watch_poll.environment = result.environment
      and watch_poll.polls = result.poll - 1${isUnchanged ? sql` and failing_since is null` : sql``}
      and exists (select 1 from work
        where work.id = result.work and work.owner = result.owner and work.state = 'running')
    returning watch_poll.workspace_id, watch_poll.environment`

/** Never sets the watch clock back: `updateChannels` may have advanced it further since the poll began. */
const SET_WATCH_CLOCK = sql`clock_saved_at = case when clock_ms > result.clock then clock_saved_at else result.at end,
      clock_ms = case when clock_ms > result.clock then clock_ms else result.clock end`

const SET_RESULT = sql`, is_undecided = 0, polls = result.poll, total = result.total,
      full_at = coalesce(result.listed, full_at), failing_since = null, failed_polls = 0`

/** Extends each scope's last observed interval, or starts a new one after a gap. A clock that was set back never shortens it. */
async function extendObserved(
  rows: Rows,
  kind: Database['kind'],
  polls: readonly PollToSave[],
): Promise<void> {
  const { rows: extended } = await sql<ScopeRow>`update watch_observed
    set to_at = case when to_at > result.at then to_at else result.at end
    from ${createResultsTable(kind, polls)}
    where watch_observed.workspace_id = result.workspace and watch_observed.environment = result.environment
      and watch_observed.to_at >= result.oldest
      and watch_observed.from_at = (select max(latest.from_at) from watch_observed as latest
        where latest.workspace_id = result.workspace and latest.environment = result.environment
          and latest.from_at <= result.at)
    returning watch_observed.workspace_id, watch_observed.environment`.execute(rows)
  const keys = new Set(extended.map(rowScopeKey))
  const notExtended = polls.filter(({ scope }) => !keys.has(scopeKey(scope)))
  if (notExtended.length === 0) return
  await rows
    .insertInto('watch_observed')
    .values(
      notExtended.map(({ scope, since, result: { at } }) =>
        OBSERVED.toRow({ ...scope, from: since ?? at, to: at }),
      ),
    )
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment', 'from_at']).doNothing())
    .execute()
}

/** Part of a poll's result, small enough for one transaction. */
export interface PollBatch {
  /** The version of the incidents when they were read or last written, and the version to set. */
  readonly statesVersion: string | null
  readonly nextStatesVersion: string | null
  readonly poll: number
  readonly now: Moment
  readonly changes: readonly IncidentChange[]
}

/** Saves a batch of changed incidents. The caller updates channels after the last batch. */
export async function savePollBatch(rows: Rows, scope: WatchScope, batch: PollBatch): Promise<void> {
  const { now, changes, statesVersion, nextStatesVersion } = batch
  await saveIncidentChanges(rows, scope, changes, now)
  await adoptBaseline(rows, scope, changes)
  // Invalidates the cached incidents of other processes.
  if (nextStatesVersion !== statesVersion)
    await updateRows(rows, 'watch_poll', scopeColumns(scope), {
      states_version: nextStatesVersion,
      is_undecided: 1,
    })
}

/** What is down at the environment's first poll was down before the watches: the channels adopt it. */
async function adoptBaseline(
  rows: Rows,
  scope: WatchScope,
  changes: readonly IncidentChange[],
): Promise<void> {
  const baseline = changes.flatMap(({ incident, isNew }) => (isNew && incident.isBaseline ? [incident] : []))
  if (baseline.length === 0) return
  const lines = new Map<string, ReturnType<typeof newLine>>()
  for (const watch of await readWatches(rows, scope)) {
    const { matches } = prepareWatch(watch)
    for (const incident of baseline)
      if (matches(incident.check))
        lines.set(`${watch.channelId} ${incident.id}`, {
          ...newLine(incident, watch.channelId),
          adoptedFall: incident.falls,
        })
  }
  await saveLines(rows, scope, [...lines.values()])
}

export interface FailedPoll {
  readonly failure: PollFailure
  readonly at: Date
  /** If undefined, the due time doesn't change. */
  readonly retryMs: number | undefined
}

/** Saves the failure. Once polls have failed often and long enough, not seeing the checks is an incident. */
export async function savePollFailure(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  { failure, at, retryMs }: FailedPoll,
): Promise<void> {
  const poll = await readPoll(rows, scope)
  if (!poll) return
  // A stored time in the future means that the clock was set back.
  const failingSince = poll.failingSince && poll.failingSince < at ? poll.failingSince : at
  const failedPolls = poll.failedPolls + 1
  await updateRows(rows, 'watch_poll', scopeColumns(scope), {
    ...(retryMs !== undefined && { due_at: new Date(at.getTime() + retryMs).toISOString() }),
    failing_since: failingSince.toISOString(),
    failed_polls: failedPolls,
  })
  if (!isBlindAfter(failure, failedPolls, at.getTime() - failingSince.getTime())) return
  const known = await readBlindness(rows, scope)
  if (known?.isDown && known.failure === failure) return
  // The watch clock has stood still since the first failed poll.
  const now = { ...(await readNow(rows, time, scope)), at: failingSince }
  const check = { uuid: '', name: scope.environment }
  const moment = { ...now, poll: poll.polls }
  const same = known && { incident: known, isNew: false, events: [] }
  const change = known ? (observeBad(known, check, moment) ?? same) : openIncident(check, moment, newId())
  if (!change) return
  await saveIncidentChanges(rows, scope, [{ ...change, incident: { ...change.incident, failure } }], now)
  // The incidents that processes have cached are no longer all.
  await updateRows(rows, 'watch_poll', scopeColumns(scope), { states_version: newId() })
  await updateChannels(rows, time, scope)
}
