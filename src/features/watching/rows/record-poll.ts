import { chunksOf, type DatabaseTime, type Rows, rowsIn, updateIn } from '@signalman/durable'
import { inTurns, newId } from '@signalman/runtime'
import type { SubjectChange, SubjectState } from '../../../domain/outages/observe.ts'
import { OF_OUTAGES, REOPEN_MS } from '../rules/card.ts'
import { FLAPPING_WINDOW_MS } from '../rules/flapping.ts'
import { type ChannelView, reconcile } from '../rules/reconcile.ts'
import { readyWatch } from '../rules/subjects.ts'
import type { WatchPlace } from '../rules/watch.ts'
import { watchesIn } from './poll-rows.ts'
import { type ScopeOf, scopeColumns } from './row.ts'
import { saveAndQueueCards } from './save-cards.ts'
import { outagesById, writeSubjects } from './subject-rows.ts'
import { mutesIn, type Told, toldCard, toldOutages } from './told-cards.ts'

/** A part of a poll's result, small enough for one transaction. */
export interface PollPart {
  /** The version of the states when they were read, or that the part before has set; and the version to set now. */
  readonly statesVersion: string | null
  readonly nextStatesVersion: string | null
  readonly poll: number
  readonly at: Date
  readonly changes: readonly SubjectChange[]
  /** Subjects that became bad a few polls ago: their channels may still have to be told. */
  readonly candidates: readonly SubjectState[]
}

/** Writes subjects, outages and their cards, and schedules the delivery of the cards. */
export async function recordPart(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  part: PollPart,
): Promise<void> {
  const { poll, at, changes, candidates } = part
  const over = changes.flatMap(({ outage }) => (outage?.ended ? [outage] : []))
  const outageIds = [...candidates.map(({ outageId }) => outageId), ...over.map(({ id }) => id)]
  const uuids = [...candidates, ...over].map(({ check }) => check.uuid)
  // Read before anything is written: an outage that ends now is still open on its cards.
  const views = outageIds.length === 0 ? [] : await channelViews(rows, time, scope, { at, uuids, outageIds })
  await writeSubjects(rows, scope, changes)
  // A process that keeps older states reads them again.
  if (part.nextStatesVersion !== part.statesVersion)
    await updateIn(rows, 'watch_poll', scopeColumns(scope), { states_mark: part.nextStatesVersion })
  const outages = await outagesById(rows, outageIds)
  const news = {
    poll,
    at,
    candidates: candidates.flatMap((state) => {
      const outage = outages.get(state.outageId)
      return outage ? [{ outage, state }] : []
    }),
    ended: over.flatMap(({ id }) => outages.get(id) ?? []),
  }
  for (const view of views)
    await saveAndQueueCards(rows, time, view.place, await inTurns(reconcile(view, news, newId)))
}

/** Values in one statement. */
const AT_ONCE = 500

/** The changes in a scope: the views hold only what these need. */
interface Concerned {
  readonly at: Date
  readonly uuids: readonly string[]
  /** Ids of outages that may have to be told, or have ended. */
  readonly outageIds: readonly string[]
}

/** Every channel of an environment that may get news, with what it was told before. */
async function channelViews(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  { at, uuids, outageIds }: Concerned,
): Promise<(ChannelView & { place: WatchPlace })[]> {
  const since = (ms: number): string => new Date(at.getTime() - ms).toISOString()
  const recent = await rowsIn(rows, 'watch_card', scopeColumns(scope))
    .where('kind', 'in', OF_OUTAGES)
    .where((row) => row.or([row('closed_at', 'is', null), row('closed_at', '>=', since(REOPEN_MS))]))
    .execute()
  const told: Told[] = []
  for (const some of chunksOf(uuids, AT_ONCE))
    told.push(
      ...(await toldOutages(rows, (all) =>
        all
          .where('watch_outage.workspace_id', '=', scope.workspaceId)
          .where('watch_outage.environment', '=', scope.environment)
          .where('uuid', 'in', some)
          .where((row) =>
            row.or([row('ended_at', 'is', null), row('ended_at', '>=', since(FLAPPING_WINDOW_MS))]),
          ),
      )),
    )
  const going = await goingOn(rows, outageIds)
  const mutesOf = await mutesIn(rows, time, scope)
  const cards = Map.groupBy(recent, (row) => row.channel_id)
  const ofCards = Map.groupBy(told, ({ cardId }) => cardId)
  const ofChannels = Map.groupBy(told, ({ channelId }) => channelId)
  const byChannel = Map.groupBy(await watchesIn(rows, scope), ({ channelId }) => channelId)
  return [...byChannel].map(([channelId, own]) => ({
    place: { ...scope, channelId, enterpriseId: own[0]?.enterpriseId },
    watches: own.map(readyWatch),
    mutes: mutesOf(channelId),
    told: new Set(ofChannels.get(channelId)?.map(({ outage }) => outage.id)),
    cards: (cards.get(channelId) ?? []).map((row) => toldCard(row, ofCards.get(row.id), going.get(row.id))),
  }))
}

/** For every card of one of these outages, how many of its outages go on. They are counted, not read: a storm has many. */
async function goingOn(rows: Rows, outageIds: readonly string[]): Promise<Map<string, number>> {
  const open = new Map<string, number>()
  for (const some of chunksOf(outageIds, AT_ONCE)) {
    const concerned = rows.selectFrom('watch_card_outage').select('card_id').where('outage_id', 'in', some)
    const counts = await rows
      .selectFrom('watch_card_outage')
      .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
      .select(['card_id', (row) => row.fn.countAll().as('many')])
      .where('ended_at', 'is', null)
      .where('card_id', 'in', concerned)
      .groupBy('card_id')
      .execute()
    for (const { card_id, many } of counts) open.set(card_id, Number(many))
  }
  return open
}
