import type { Kysely } from 'kysely'
import type { SubjectChange, SubjectState } from '../../domain/watching/observe.ts'
import type { Outage } from '../../domain/watching/outage.ts'
import { tell } from '../../domain/watching/tell.ts'
import type { Watch } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { channelViews, type ScopeOf } from './channel-view.ts'
import { newWatchingId } from './row.ts'
import { outagesById, setStatesVersion, writeSubjects } from './subject-rows.ts'
import { placeOf, saveAndQueueCards } from './write-cards.ts'

/** A part of a poll's result, small enough for one transaction. */
export interface PollPart {
  /** The version of the states when they were read, or that the part before has set; and the version to set now. */
  readonly statesVersion: string | null
  readonly nextStatesVersion: string
  readonly poll: number
  readonly at: Date
  readonly changes: readonly SubjectChange[]
  /** Subjects that became bad a few polls ago: their channels may still have to be told. */
  readonly candidates: readonly SubjectState[]
}

/** Writes subjects, outages, transitions and their cards, and schedules the delivery of the cards. */
export async function recordPart(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  scope: ScopeOf,
  watches: readonly Watch[],
  part: PollPart,
): Promise<void> {
  const { poll, at, changes, candidates } = part
  const over = changes.flatMap(({ outage }) => (outage?.ended ? [outage] : []))
  const newOutages = new Map(changes.flatMap(({ opened: one }) => (one ? [[one.id, one] as const] : [])))
  const ids = [...candidates.map(({ outageId }) => outageId), ...over.map(({ id }) => id)]
  const known = await outagesById(
    rows,
    ids.filter((id) => !newOutages.has(id)),
  )
  const find = (id: string): Outage | undefined => newOutages.get(id) ?? known.get(id)
  const uuids = [...candidates, ...over].map(({ check }) => check.uuid)
  // Read before anything is written: an outage that ends now is still open on its cards.
  const views =
    ids.length === 0 ? [] : await channelViews(rows, scope, watches, { at, uuids, outageIds: ids })
  await writeSubjects(rows, scope, changes)
  await setStatesVersion(rows, scope, part.nextStatesVersion)
  const news = {
    poll,
    at,
    candidates: candidates.flatMap((state) => {
      const outage = find(state.outageId)
      return outage ? [{ outage: { ...outage, check: state.check }, state }] : []
    }),
    ended: over.flatMap(({ id, check, ended }) => {
      const outage = find(id)
      return outage && ended ? [{ ...outage, check, endedAt: ended.at, ending: ended.ending }] : []
    }),
  }
  for (const view of views) {
    const place = { ...scope, ...placeOf(watches, view.place.channelId) }
    await saveAndQueueCards(rows, time, place, tell(view, news, newWatchingId))
  }
}
