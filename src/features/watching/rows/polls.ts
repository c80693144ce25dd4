import {
  type Database,
  type DatabaseTime,
  deleteRows,
  hasLease,
  type Rows,
  readTime,
  selectRows,
  updateRows,
} from '@signalman/durable'
import type { Schema } from '@signalman/durable/schema'
import { MINUTE_MS, newId } from '@signalman/runtime'
import type { ExpressionBuilder } from 'kysely'
import { ENVIRONMENTS, type Environment } from '../../../domain/environment.ts'
import {
  closeIncident,
  type Incident,
  isNoData,
  observe,
  observeBad,
  openIncident,
  type Sighting,
  toUnseen,
} from '../../../domain/outages/incident.ts'
import { isNoDataAfter, type PollFailure, type Span } from '../../../domain/outages/outage.ts'
import type { WatchScope } from '../rules/watch.ts'
import { updateChannels } from './channels.ts'
import { OBSERVED, POLL, SCOPE } from './columns.ts'
import { readOpenIncidents, saveIncidents, toIncident } from './incidents.ts'
import { readPoll, readWatches } from './readers.ts'
import { getPollGroup, schedulePolling, watchingLock } from './work.ts'

/** What a poll found, without what the database knows. */
export type PollResult = Omit<Sighting, 'at' | 'seenSince' | 'isFirst'>

/** The lease under which a poll is saved: the work item and the process that leased it. */
export interface LeaseHolder {
  readonly workId: string
  readonly owner: string
}

/** If two polls are further apart, the time between them counts as not observed. */
const getMaxGapMs = (intervalMs: number): number => Math.max(MINUTE_MS, 3 * intervalMs)

/** Starts polling an environment, unless it is already polled. */
export async function startPolling(rows: Rows, time: DatabaseTime, scope: WatchScope): Promise<void> {
  const { workspaceId, environment } = scope
  const pollGroup = getPollGroup(scope)
  const dueAt = await readTime(rows, time)
  await rows
    .insertInto('watch_poll')
    .values(POLL.toRow({ workspaceId, environment, pollGroup, dueAt, polls: 0, failedPolls: 0 }))
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment']).doNothing())
    .execute()
  await schedulePolling(rows, time, pollGroup)
}

/** What the answer that saved the first watch read counts as the first poll: what goes down after it is told. */
export async function saveFirstPoll(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  result: PollResult,
): Promise<void> {
  if ((await readPoll(rows, scope))?.polls !== 0) return
  const at = await readTime(rows, time)
  await saveIncidents(rows, scope, observe(new Map(), { ...result, at, seenSince: at, isFirst: true }, newId))
  await updateRows(rows, 'watch_poll', SCOPE.toRow(scope), {
    ...{ polls: 1, last_ok_at: at.toISOString(), seen_since: at.toISOString() },
    seen_until: time(MINUTE_MS),
  })
}

/** Stops polling an environment without watches, and closes its incidents. */
export async function stopUnwatchedPolling(rows: Rows, scope: WatchScope, now: Date): Promise<void> {
  const poll = await readPoll(rows, scope)
  if (!poll || (await readWatches(rows, scope)).length > 0) return
  await endObserved(rows, scope, poll)
  await deleteRows(rows, 'watch_poll', SCOPE.toRow(scope))
  const open = await readOpenIncidents(rows, scope)
  await saveIncidents(
    rows,
    scope,
    open.map((incident) => closeIncident(incident, now, incident.isDown ? 'unseen' : 'recovered')),
  )
}

/** Keeps the observed time before a gap. */
async function endObserved(
  rows: Rows,
  { workspaceId, environment }: WatchScope,
  { seenSince, lastOkAt }: { seenSince?: Date | undefined; lastOkAt?: Date | undefined },
): Promise<void> {
  if (!seenSince || !lastOkAt || lastOkAt <= seenSince) return
  await rows
    .insertInto('watch_observed')
    .values(OBSERVED.toRow({ workspaceId, environment, from: seenSince, to: lastOkAt }))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The observed periods that overlap a span, oldest first. The last poll counts until the next one is due. */
export async function readObserved(rows: Rows, scope: WatchScope, { from, to }: Span): Promise<Span[]> {
  const past = await selectRows(rows, 'watch_observed', SCOPE.toRow(scope))
    .where('from_at', '<', to.toISOString())
    .where('to_at', '>', from.toISOString())
    .orderBy('from_at')
    .execute()
  const { seenSince, lastOkAt } = (await readPoll(rows, scope)) ?? {}
  return [...past.map(OBSERVED.parse), ...(seenSince && lastOkAt ? [{ from: seenSince, to: lastOkAt }] : [])]
}

export const nameScope = ({ workspaceId, environment }: WatchScope): string => `${workspaceId} ${environment}`

/** An environment to poll, and what is known about it. Only the process that polls its group changes that. */
export interface DuePoll {
  readonly scope: WatchScope
  readonly poll: NonNullable<Awaited<ReturnType<typeof readPoll>>>
  /** The open incidents, by UUID. */
  readonly known: ReadonlyMap<string, Incident>
  readonly at: Date
}

async function withOpenIncidents(rows: Rows, polls: readonly DuePoll['poll'][], at: Date) {
  const workspaceIds = [...new Set(polls.map(({ workspaceId }) => workspaceId))]
  const open = await selectRows(rows, 'incident', { closed_at: null })
    .where('workspace_id', 'in', workspaceIds)
    .execute()
  const byScope = Map.groupBy(open, (row) => nameScope(SCOPE.parse(row)))
  return polls.map((poll): DuePoll => {
    const { workspaceId, environment } = poll
    const known = (byScope.get(nameScope(poll)) ?? []).map(toIncident)
    return {
      ...{ scope: { workspaceId, environment }, poll, at },
      known: new Map(known.map((incident) => [incident.check.uuid, incident])),
    }
  })
}

/**
 * A poll that changed nothing but the time of the last one (`seen`), since when polls have had no gap (`gap`), or how often polls have
 * failed (`failed`).
 */
export type QuietPoll = Pick<DuePoll, 'scope'> & { readonly outcome: (typeof QUIET_OUTCOMES)[number] }
const QUIET_OUTCOMES = ['seen', 'gap', 'failed'] as const

/** Whether a failed poll changes nothing else: the checks count as seen for now, or as not seen for the same reason already. */
export function isQuietFailure({ poll, known, at }: DuePoll, failure: PollFailure, ms: number): boolean {
  const lastedMs = poll.failingSince ? at.getTime() + ms - poll.failingSince.getTime() : 0
  return (
    toUnseen(known.get(''))?.failure === failure || !isNoDataAfter(failure, poll.failedPolls + 1, lastedMs)
  )
}

/** Whether a poll changes nothing that has to be decided. After a gap, everything that is down has. */
export function judgeQuiet(
  { poll, known, at }: DuePoll,
  result: PollResult,
  ms: number,
): 'seen' | 'gap' | undefined {
  const now = new Date(at.getTime() + ms)
  const { seenUntil, seenSince } = poll
  if (!seenUntil || !seenSince || now > seenUntil)
    return known.size === 0 && result.bad.size === 0 ? 'gap' : undefined
  const changed = observe(known, { ...result, at: now, seenSince, isFirst: false }, newId)
  return changed.length === 0 ? 'seen' : undefined
}

/** Reads and saves the data of polling. */
export function createPollStore({ rows, relaxed, withLock }: Database, time: DatabaseTime) {
  const saveGroup = async (
    connection: Rows,
    { lease, environment, outcome, workspaceIds, dueInMs }: QuietGroup,
  ) => {
    const isOwn = ({ and, eb, exists, selectFrom }: ExpressionBuilder<Schema, 'watch_poll'>) =>
      and([
        eb('environment', '=', environment),
        eb('workspace_id', 'in', workspaceIds),
        exists(
          selectFrom('work')
            .select('id')
            .where((work) => work.and({ id: lease.workId, owner: lease.owner, state: 'running' })),
        ),
      ])
    const update = (db: Rows) =>
      db
        .updateTable('watch_poll')
        .set(({ eb, fn }) =>
          outcome === 'failed'
            ? {
                failing_since: fn.coalesce('failing_since', time()),
                ...{ failed_polls: eb('failed_polls', '+', 1), due_at: time(dueInMs) },
              }
            : {
                ...{ polls: eb('polls', '+', 1), last_ok_at: time(), due_at: time(dueInMs) },
                ...{ failing_since: null, failed_polls: 0, seen_until: time(getMaxGapMs(dueInMs)) },
                ...(outcome === 'gap' && { seen_since: time() }),
              },
        )
        .where(isOwn)
        .execute()
    if (outcome !== 'gap') await update(connection)
    else
      await connection.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('watch_observed')
          .columns(['workspace_id', 'environment', 'from_at', 'to_at'])
          .expression(({ selectFrom }) =>
            selectFrom('watch_poll')
              .select(['workspace_id', 'environment', 'seen_since', 'last_ok_at'])
              .$narrowType<{ seen_since: string; last_ok_at: string }>()
              .whereRef('last_ok_at', '>', 'seen_since')
              .where(isOwn),
          )
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        await update(transaction)
      })
  }
  /** Returns false, without writing, if another process has taken over the poll, or nothing is watched anymore. */
  const writeIfLeased = (
    scope: WatchScope,
    { workId, owner }: LeaseHolder,
    write: (rows: Rows, poll: NonNullable<Awaited<ReturnType<typeof readPoll>>>, at: Date) => Promise<void>,
  ): Promise<boolean> =>
    withLock(watchingLock(scope.workspaceId), async (transaction) => {
      const poll = await readPoll(transaction, scope)
      if (!poll || !(await hasLease(transaction, workId, owner))) return false
      await write(transaction, poll, await readTime(transaction, time))
      return true
    })
  return {
    /**
     * The environments of a group that are due, at most `limit`, longest first, without those `except`. One that is due later than
     * `maxWaitMs` is due, too: the clock was set back. `isEmpty`: it has none at all.
     */
    async listDue(
      group: number,
      { limit, except, maxWaitMs }: { limit: number; except: ReadonlySet<string>; maxWaitMs: number },
    ): Promise<{ due: DuePoll[]; isEmpty: boolean }> {
      const due = await selectRows(rows, 'watch_poll', { poll_group: group })
        .select(time().as('at'))
        .where((poll) => poll.or([poll('due_at', '<=', time()), poll('due_at', '>', time(maxWaitMs))]))
        .orderBy('due_at')
        .limit(limit + except.size)
        .execute()
      const isNew = (row: (typeof due)[number]) => !except.has(nameScope(SCOPE.parse(row)))
      const found = due.filter(isNew).slice(0, limit)
      const [first] = found
      if (first)
        return {
          due: await withOpenIncidents(rows, found.map(POLL.parse), new Date(first.at)),
          isEmpty: false,
        }
      const any = await selectRows(rows, 'watch_poll', { poll_group: group }).limit(1).executeTakeFirst()
      return { due: [], isEmpty: any === undefined }
    },

    /** Saves quiet polls together (in one statement for each environment and outcome), if this process still has the group. */
    async saveQuiet(lease: LeaseHolder, quiet: readonly QuietPoll[], dueInMs: number): Promise<void> {
      for (const environment of ENVIRONMENTS)
        for (const outcome of QUIET_OUTCOMES) {
          const group = quiet.filter(
            (poll) => poll.outcome === outcome && poll.scope.environment === environment,
          )
          const workspaceIds = group.map(({ scope }) => scope.workspaceId)
          if (group.length > 0)
            await relaxed((connection) =>
              saveGroup(connection, { lease, environment, outcome, workspaceIds, dueInMs }),
            )
        }
    },

    /** Saves a successful poll. */
    saveResult: (scope: WatchScope, lease: LeaseHolder, result: PollResult, intervalMs: number) =>
      writeIfLeased(scope, lease, async (transaction, poll, at) => {
        const isGap = !poll.seenUntil || at > poll.seenUntil
        if (isGap) await endObserved(transaction, scope, poll)
        const seenSince = isGap ? at : (poll.seenSince ?? at)
        const open = await readOpenIncidents(transaction, scope)
        const known = new Map(open.map((incident) => [incident.check.uuid, incident]))
        const changed = observe(known, { ...result, at, seenSince, isFirst: poll.polls === 0 }, newId)
        await updateRows(transaction, 'watch_poll', SCOPE.toRow(scope), {
          ...{ polls: poll.polls + 1, last_ok_at: at.toISOString(), seen_since: seenSince.toISOString() },
          ...{ failing_since: null, failed_polls: 0, due_at: time(intervalMs) },
          seen_until: time(getMaxGapMs(intervalMs)),
        })
        // A watch from before the clock was set back: whatever goes down from now on is new to it.
        await transaction
          .updateTable('watch')
          .set({ made_at: at.toISOString() })
          .where(({ and, eb }) => and([and(SCOPE.toRow(scope)), eb('made_at', '>', at.toISOString())]))
          .execute()
        // After a gap, whatever waited begins to wait again.
        if (changed.length === 0 && !(isGap && open.length > 0)) return
        await saveIncidents(transaction, scope, changed)
        await updateChannels(transaction, time, scope)
      }),

    /** Saves a failed poll. Once polls have failed often and long enough, not seeing the checks is an incident. */
    saveFailure: (scope: WatchScope, lease: LeaseHolder, failure: PollFailure, retryMs: number) =>
      writeIfLeased(scope, lease, async (transaction, poll, at) => {
        const failingSince = poll.failingSince ?? at
        const failedPolls = poll.failedPolls + 1
        await updateRows(transaction, 'watch_poll', SCOPE.toRow(scope), {
          failing_since: failingSince.toISOString(),
          failed_polls: failedPolls,
          due_at: time(retryMs),
        })
        if (!isNoDataAfter(failure, failedPolls, at.getTime() - failingSince.getTime())) return
        const noData = (await readOpenIncidents(transaction, scope)).find(isNoData)
        if (toUnseen(noData)?.failure === failure) return
        const incident = observeNoData(noData, scope, failingSince)
        await saveIncidents(transaction, scope, [{ ...incident, failure }])
        await updateChannels(transaction, time, scope)
      }),
  }
}

interface QuietGroup {
  readonly lease: LeaseHolder
  readonly environment: Environment
  readonly outcome: QuietPoll['outcome']
  readonly workspaceIds: readonly string[]
  readonly dueInMs: number
}

function observeNoData(known: Incident | undefined, scope: WatchScope, at: Date): Incident {
  const check = { uuid: '', name: scope.environment }
  return known ? (observeBad(known, check, at) ?? known) : openIncident(check, at, newId())
}
