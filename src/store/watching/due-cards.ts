import type { Kysely } from 'kysely'
import { FLAPPING_QUIET_MS } from '../../domain/watching/flapping.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { schedule, unschedule } from '../work/schedule.ts'
import { WATCH_WORK } from './watch-work.ts'

/** Schedules the next reminder of a channel's cards, or the end of flapping. */
export async function scheduleCardsDue(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
): Promise<void> {
  const work = { workspaceId, kind: WATCH_WORK.due, key: channelId }
  const next = await nextCardDue(rows, workspaceId, channelId)
  if (next) await schedule(rows, time, work, next)
  else await unschedule(rows, work)
}

export async function nextCardDue(
  rows: Kysely<Schema>,
  workspaceId: string,
  channelId: string,
): Promise<Date | undefined> {
  const open = rows
    .selectFrom('watch_card')
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('closed_at', 'is', null)
  const { remind } = await open
    .select((row) => row.fn.min('remind_at').as('remind'))
    .executeTakeFirstOrThrow()
  const { flipped } = await open
    .where('kind', '=', 'flapping')
    .select((row) => row.fn.min('changed_at').as('flipped'))
    .executeTakeFirstOrThrow()
  const times = [
    ...(remind ? [new Date(remind).getTime()] : []),
    ...(flipped ? [new Date(flipped).getTime() + FLAPPING_QUIET_MS] : []),
  ]
  return times.length > 0 ? new Date(Math.min(...times)) : undefined
}
