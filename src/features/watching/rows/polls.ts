import {
  type Database,
  type DatabaseTime,
  deleteRows,
  type Rows,
  readTime,
  selectRows,
} from '@signalman/durable'
import { newId } from '@signalman/runtime'
import { closeUnseen, type Incident } from '../../../domain/outages/incident.ts'
import type { PollFailure, Span } from '../../../domain/outages/outage.ts'
import {
  decidePoll,
  endObserved,
  type PollChanges,
  type PollResult,
  type PollState,
} from '../rules/decide-poll.ts'
import type { WatchScope } from '../rules/watch.ts'
import { updateChannels } from './channels.ts'
import { OBSERVED, POLL, POLL_STATE, SCOPE } from './columns.ts'
import { readOpenIncidents, saveIncidents } from './incidents.ts'
import { readPoll, readWatches } from './readers.ts'
import { schedulePolling } from './work.ts'

/** As many as one poll looks up. */
const MAX_FORMER = 20

/** The lease under which a poll is saved: the work item and the process that leased it. */
export interface LeaseHolder {
  readonly workId: string
  readonly owner: string
}

/** An environment that is polled, and what is known about it. Only the process that polls it changes that. */
export interface PolledScope {
  readonly scope: WatchScope
  readonly state: PollState
  /** The open incidents, by UUID. */
  readonly known: ReadonlyMap<string, Incident>
}

/** Starts polling an environment, unless it is already polled. */
export async function startPolling(
  rows: Rows,
  time: DatabaseTime,
  { workspaceId, environment }: WatchScope,
): Promise<void> {
  await rows
    .insertInto('watch_poll')
    .values(POLL.toRow({ workspaceId, environment, polls: 0, failedPolls: 0 }))
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment']).doNothing())
    .execute()
  await schedulePolling(rows, time, { workspaceId, environment })
}

/** Stops polling an environment without watches, and closes its incidents. */
export async function stopUnwatchedPolling(rows: Rows, scope: WatchScope, now: Date): Promise<void> {
  const poll = await readPoll(rows, scope)
  if (!poll || (await readWatches(rows, scope)).length > 0) return
  await saveObserved(rows, scope, endObserved(poll))
  await deleteRows(rows, 'watch_poll', SCOPE.toRow(scope))
  const open = await readOpenIncidents(rows, scope)
  await saveIncidents(
    rows,
    scope,
    open.map((incident) => closeUnseen(incident, now)),
  )
}

async function saveObserved(
  rows: Rows,
  { workspaceId, environment }: WatchScope,
  span: Span | undefined,
): Promise<void> {
  if (!span) return
  await rows
    .insertInto('watch_observed')
    .values(OBSERVED.toRow({ workspaceId, environment, ...span }))
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

/** Saves what a poll changes, if nobody has saved another one since it was read, and the lease is still held. */
async function saveChanges(
  rows: Rows,
  { scope, state: before }: PolledScope,
  { state, observed, incidents }: PollChanges,
  lease: LeaseHolder,
): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('watch_poll')
    .set(POLL_STATE.toRow(state))
    .where((poll) => {
      // Also since when, because polling that was ended and begun again counts from the start.
      const since = before.seenSince?.toISOString() ?? null
      const counts = { polls: before.polls, failed_polls: before.failedPolls }
      return poll.and([
        poll.and({ ...SCOPE.toRow(scope), ...counts }),
        poll('seen_since', 'is not distinct from', since),
      ])
    })
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('work')
          .select('id')
          .where((work) => work.and({ id: lease.workId, owner: lease.owner, state: 'running' })),
      ),
    )
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await saveObserved(rows, scope, observed)
  await saveIncidents(rows, scope, incidents)
  return true
}

export function createPollStore({ rows, relaxed, withLock }: Database, time: DatabaseTime) {
  return {
    /** Undefined if nothing is watched there. */
    async find(scope: WatchScope): Promise<PolledScope | undefined> {
      const state = await readPoll(rows, scope)
      if (!state) return undefined
      const open = await readOpenIncidents(rows, scope)
      return { scope, state, known: new Map(open.map((incident) => [incident.check.uuid, incident])) }
    },

    /** The checks that were down last and weren't deleted. */
    async listFormer(scope: WatchScope): Promise<string[]> {
      const found = await selectRows(rows, 'incident', SCOPE.toRow(scope))
        .where('uuid', '<>', '')
        .where('ending', '<>', 'deleted')
        .orderBy('opened_at', 'desc')
        .limit(MAX_FORMER)
        .execute()
      return found.map(({ uuid }) => uuid)
    },

    /**
     * Decides what a poll changes, and saves it. Returns whether the channels were decided again: false also if another process has taken
     * over the poll, or nothing is watched anymore.
     */
    async save(
      polled: PolledScope,
      lease: LeaseHolder,
      outcome: PollResult | PollFailure,
      { intervalMs, account }: { readonly intervalMs: number; readonly account?: string | undefined },
    ): Promise<boolean> {
      const { scope, state, known } = polled
      const when = { at: await readTime(rows, time), intervalMs, account, name: scope.environment }
      const changes = decidePoll(state, known, outcome, when, newId)
      if (!changes.isNews && !changes.observed)
        return relaxed(async (connection) => {
          await saveChanges(connection, polled, changes, lease)
          return false
        })
      return withLock(scope.workspaceId, async (transaction) => {
        if (!(await saveChanges(transaction, polled, changes, lease)) || !changes.isNews) return false
        await updateChannels(transaction, time, scope)
        return true
      })
    },
  }
}
