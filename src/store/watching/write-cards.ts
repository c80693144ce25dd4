import type { Kysely } from 'kysely'
import type { CardChange } from '../../domain/watching/tell.ts'
import type { Watch } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { writeCards } from './card-rows.ts'
import type { ScopeOf } from './channel-view.ts'
import { scheduleCardsDue } from './due-cards.ts'
import { scheduleDelivery } from './watch-work.ts'

/** Writes cards and schedules their delivery to Slack. */
export async function saveAndQueueCards(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: ScopeOf & { channelId: string; enterpriseId?: string | undefined },
  changes: readonly CardChange[],
): Promise<void> {
  if (changes.length === 0) return
  await writeCards(rows, place, changes)
  await scheduleDelivery(rows, time, place.workspaceId, place.channelId)
  await scheduleCardsDue(rows, time, place.workspaceId, place.channelId)
}

export function placeOf(
  watches: readonly Watch[],
  channelId: string,
): { channelId: string; enterpriseId?: string | undefined } {
  const enterpriseId = watches.find((watch) => watch.channelId === channelId)?.enterpriseId
  return { channelId, ...(enterpriseId !== undefined && { enterpriseId }) }
}
