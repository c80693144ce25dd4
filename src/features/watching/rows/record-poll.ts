import { type Rows, updateRows } from '@signalman/durable'
import type { SubjectChange } from '../../../domain/outages/observe.ts'
import { prepareWatch } from '../rules/matching.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { readWatches } from './poll-rows.ts'
import { scopeColumns, type WatchScope } from './row.ts'
import { writeSubjects } from './subject-rows.ts'

/** Part of a poll's result, small enough for one transaction. */
export interface PollPart {
  /** The states' version when they were read or last written, and the version to set. */
  readonly statesVersion: string | null
  readonly nextStatesVersion: string | null
  readonly poll: number
  readonly now: Moment
  readonly changes: readonly SubjectChange[]
}

/** Saves subjects and outages. Channels are updated after the last part. */
export async function recordPart(rows: Rows, scope: WatchScope, part: PollPart): Promise<void> {
  const { now, changes, statesVersion, nextStatesVersion } = part
  await writeSubjects(rows, scope, changes, now)
  await addToBaselines(rows, scope, changes)
  // Invalidates the cached states of other processes.
  if (nextStatesVersion !== statesVersion)
    await updateRows(rows, 'watch_poll', scopeColumns(scope), {
      states_mark: nextStatesVersion,
      is_undecided: 1,
    })
}

/**
 * Watches don't report checks that are already down when their environment is first polled, unless a card listed them before
 * the channel's watch was removed and added again.
 */
async function addToBaselines(
  rows: Rows,
  scope: WatchScope,
  changes: readonly SubjectChange[],
): Promise<void> {
  const baselineOutages = changes.flatMap(({ opened }) => (opened?.isBaseline ? [opened] : []))
  if (baselineOutages.length === 0) return
  const listed = await rows
    .selectFrom('watch_alert')
    .innerJoin('watch_outage', 'watch_outage.id', 'watch_alert.outage_id')
    .select(['watch_alert.channel_id', 'watch_alert.uuid'])
    .where('watch_alert.workspace_id', '=', scope.workspaceId)
    .where('watch_alert.environment', '=', scope.environment)
    .where('watch_outage.ending', '=', 'unseen')
    .where('watch_alert.left_why', '=', 'unwatched')
    .where('watch_alert.card_id', 'is not', null)
    .execute()
  const listedBefore = new Set(listed.map(({ channel_id, uuid }) => `${channel_id} ${uuid}`))
  for (const watch of await readWatches(rows, scope)) {
    const { matches } = prepareWatch(watch)
    const ids = baselineOutages.flatMap(({ id, check }) =>
      matches(check) && !listedBefore.has(`${watch.channelId} ${check.uuid}`) ? [id] : [],
    )
    if (ids.length === 0) continue
    const baseline = JSON.stringify([...watch.baseline, ...ids])
    await updateRows(rows, 'watch', { id: watch.id }, { baseline })
  }
}
