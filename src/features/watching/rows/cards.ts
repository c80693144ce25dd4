import { type Database, type DatabaseTime, type Rows, rowsIn } from '@signalman/durable'
import { inTurns } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type { CardState, CardWithOutages, ListedOutage } from '../rules/card.ts'
import { sortedInSlices } from '../rules/slices.ts'
import { placeName, type WatchPlace } from '../rules/watch.ts'
import { CARD, type WatchCardRow } from './columns.ts'
import { PAGE, pagesOf } from './pages.ts'
import { firstOf, outageOf, type ScopeOf, scopeColumns, watchPlaceOf } from './row.ts'
import { updateChannels } from './update-channels.ts'
import { redrawCards, turnOf } from './watch-work.ts'

/** The rows of `watch_card`, as commands read them. */
export function watchCards({ rows, inTurn }: Database, time: DatabaseTime) {
  return {
    find: (workspaceId: string, id: string): Promise<CardWithOutages | undefined> =>
      firstOf(rowsIn(rows, 'watch_card', { id, workspace_id: workspaceId }), (row) => withOutages(rows, row)),

    /** Cards of the workspace on which something is open, oldest first; at most `limit`. */
    async open(workspaceId: string, { limit }: { limit: number }): Promise<CardState[]> {
      const open = rowsIn(rows, 'watch_card', { workspace_id: workspaceId, closed_at: null })
      return (await open.orderBy('opened_at').limit(limit).execute()).map(CARD.of)
    },

    /** It is time to ask again what a channel should show. */
    step: (workspaceId: string, key: string) =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        const [channelId = '', environment] = key.split(' ')
        const scope = { workspaceId, environment: environment as Environment }
        await updateChannels(transaction, time, scope, { channelIds: [channelId] })
        return undefined
      }),
  }
}

function listedOn(
  { id, kind }: WatchCardRow,
  alert: { card_id: string | null; left_why: string | null },
): ListedOutage['listed'] {
  // Watched again but on no message yet, because it's silenced: what an older message says about it stays true.
  if (alert.card_id === null) return 'unwatched'
  if (kind !== 'reminder' && alert.card_id !== id) return 'moved'
  return alert.left_why === 'unwatched' ? 'unwatched' : 'here'
}

/** A card with the outages that it lists, as they are now. */
export async function withOutages(rows: Rows, row: WatchCardRow): Promise<CardWithOutages> {
  const outages: ListedOutage[] = []
  const query = rows
    .selectFrom('watch_card_outage')
    .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
    .leftJoin('watch_alert', (join) =>
      join
        .onRef('watch_alert.outage_id', '=', 'watch_card_outage.outage_id')
        .on('watch_alert.channel_id', '=', row.channel_id),
    )
    .selectAll('watch_outage')
    .select(['watch_alert.card_id', 'watch_alert.left_why', 'watch_alert.is_silenced'])
    .where('watch_card_outage.card_id', '=', row.id)
    .orderBy('watch_outage.id')
    .limit(PAGE)
  type Row = Awaited<ReturnType<typeof query.execute>>[number]
  const after = ({ id }: Row) => query.where('watch_outage.id', '>', id)
  for await (const page of pagesOf((last: Row | undefined) => (last ? after(last) : query).execute()))
    for (const one of page)
      outages.push({
        ...outageOf(one),
        listed: listedOn(row, one),
        isSilenced: one.is_silenced === 1,
      })
  const sorted = await inTurns(
    sortedInSlices(outages, (left, right) => {
      return left.startedAt.getTime() - right.startedAt.getTime() || (left.id < right.id ? -1 : 1)
    }),
  )
  return { card: CARD.of(row), version: row.version, outages: sorted }
}

/** The places of some rows, each once. */
export const placesOf = (rows: readonly Parameters<typeof watchPlaceOf>[0][]): WatchPlace[] => [
  ...new Map(rows.map(watchPlaceOf).map((place) => [placeName(place), place])).values(),
]

/** With each listing of all checks, open cards that were not edited just now are, so that one that was deleted is posted anew. */
const SHOWN_AGAIN_MS = 5 * 60_000
const SHOWN_AGAIN = 50

/** Schedules edits of the open cards that were not edited for longest. */
export async function showAgain(rows: Rows, time: DatabaseTime, scope: ScopeOf, at: Date): Promise<void> {
  const before = new Date(at.getTime() - SHOWN_AGAIN_MS).toISOString()
  const old = await rowsIn(rows, 'watch_card', { ...scopeColumns(scope), closed_at: null })
    .where('ts', 'is not', null)
    // Later than now: the clock was set back since.
    .where((row) => row.or([row('shown_at', '<', before), row('shown_at', '>', at.toISOString())]))
    .orderBy('shown_at')
    .limit(SHOWN_AGAIN)
    .execute()
  const ids = old.map(({ id }) => id)
  await redrawCards(rows, time, scope.workspaceId, ids, { isThreadSame: true })
}
