import { type Rows, updateIn } from '@signalman/durable'
import type { SubjectChange } from '../../../domain/outages/observe.ts'
import { readyWatch } from '../rules/subjects.ts'
import type { Moment } from '../rules/watch-clock.ts'
import { watchesIn } from './poll-rows.ts'
import { type ScopeOf, scopeColumns } from './row.ts'
import { writeSubjects } from './subject-rows.ts'

/** A part of a poll's result, small enough for one transaction. */
export interface PollPart {
  /** The version of the states when they were read, or that the part before has set; and the version to set now. */
  readonly statesVersion: string | null
  readonly nextStatesVersion: string | null
  readonly poll: number
  readonly now: Moment
  readonly changes: readonly SubjectChange[]
}

/** Writes subjects and outages. Channels hear about them when all parts are written. */
export async function recordPart(rows: Rows, scope: ScopeOf, part: PollPart): Promise<void> {
  const { now, changes, statesVersion, nextStatesVersion } = part
  await writeSubjects(rows, scope, changes, now)
  await addToBaselines(rows, scope, changes)
  // A process that keeps older states reads them again.
  if (nextStatesVersion !== statesVersion)
    await updateIn(rows, 'watch_poll', scopeColumns(scope), {
      states_mark: nextStatesVersion,
      is_undecided: 1,
    })
}

/**
 * What is down when an environment is looked at for the first time isn't news to its watches: but a watch that is made again right
 * after it ended knows what its channel has listed.
 */
async function addToBaselines(rows: Rows, scope: ScopeOf, changes: readonly SubjectChange[]): Promise<void> {
  const found = changes.flatMap(({ opened }) => (opened?.isBaseline ? [opened] : []))
  if (found.length === 0) return
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
  const known = new Set(listed.map(({ channel_id, uuid }) => `${channel_id} ${uuid}`))
  for (const watch of await watchesIn(rows, scope)) {
    const { fits } = readyWatch(watch)
    const ids = found.flatMap(({ id, check }) =>
      fits(check) && !known.has(`${watch.channelId} ${check.uuid}`) ? [id] : [],
    )
    if (ids.length === 0) continue
    const baseline = JSON.stringify([...watch.baseline, ...ids])
    await updateIn(rows, 'watch', { id: watch.id }, { baseline })
  }
}
