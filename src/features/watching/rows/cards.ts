import { type Database, type DatabaseTime, type Rows, selectRows } from '@signalman/durable'
import { runInSlices } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type { CardState, CardWithOutages, ListedOutage } from '../rules/card.ts'
import { sortedInSlices } from '../rules/slices.ts'
import { CARD, type WatchCardRow } from './columns.ts'
import { PAGE_SIZE, readPages } from './pages.ts'
import { readFirst, scopeColumns, toOutage, type WatchScope } from './row.ts'
import { updateChannels } from './update-channels.ts'
import { redrawCards, watchingLock } from './watch-work.ts'

/** Reads and updates cards. */
export function createCardStore({ rows, withLock }: Database, time: DatabaseTime) {
  return {
    find: (workspaceId: string, id: string): Promise<CardWithOutages | undefined> =>
      readFirst(selectRows(rows, 'watch_card', { id, workspace_id: workspaceId }), (row) =>
        readCardWithOutages(rows, row),
      ),

    /** The workspace's open cards, oldest first; at most `limit`. */
    async listOpen(workspaceId: string, { limit }: { limit: number }): Promise<CardState[]> {
      const open = selectRows(rows, 'watch_card', { workspace_id: workspaceId, closed_at: null })
      return (await open.orderBy('opened_at').limit(limit).execute()).map(CARD.parse)
    },

    /** Updates what a channel shows when its timer is due. `key` is the channel's `watchChannelKey`. */
    update: (workspaceId: string, key: string) =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        const [channelId = '', environment] = key.split(' ')
        const scope = { workspaceId, environment: environment as Environment }
        await updateChannels(transaction, time, scope, { channelIds: [channelId] })
        return undefined
      }),
  }
}

function getListedState(
  { id, kind }: WatchCardRow,
  alert: { card_id: string | null; removal_reason: string | null },
): ListedOutage['listed'] {
  // The check is watched again but silenced. No newer card lists it, so this card still says that it isn't watched.
  if (alert.card_id === null) return 'unwatched'
  if (kind !== 'reminder' && alert.card_id !== id) return 'moved'
  return alert.removal_reason === 'unwatched' ? 'unwatched' : 'here'
}

/** A card with the current state of its outages. */
export async function readCardWithOutages(rows: Rows, row: WatchCardRow): Promise<CardWithOutages> {
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
    .select(['watch_alert.card_id', 'watch_alert.removal_reason', 'watch_alert.is_silenced'])
    .where('watch_card_outage.card_id', '=', row.id)
    .orderBy('watch_outage.id')
    .limit(PAGE_SIZE)
  for await (const page of readPages(query, ({ id }) => query.where('watch_outage.id', '>', id)))
    for (const outageRow of page)
      outages.push({
        ...toOutage(outageRow),
        listed: getListedState(row, outageRow),
        isSilenced: outageRow.is_silenced === 1,
      })
  const sorted = await runInSlices(
    sortedInSlices(outages, (left, right) => {
      return left.startedAt.getTime() - right.startedAt.getTime() || (left.id < right.id ? -1 : 1)
    }),
  )
  return { card: CARD.parse(row), version: row.version, outages: sorted }
}

/**
 * After each full listing, open cards that weren't edited for this long are edited again. If a card was deleted from Slack, the
 * edit fails and Signalman posts the card again.
 */
const REDRAW_AFTER_MS = 5 * 60_000
const MAX_REDRAWN_CARDS = 50

/** Schedules edits of the open cards that were edited longest ago. */
export async function redrawOldestCards(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  at: Date,
): Promise<void> {
  const before = new Date(at.getTime() - REDRAW_AFTER_MS).toISOString()
  const old = await selectRows(rows, 'watch_card', { ...scopeColumns(scope), closed_at: null })
    .where('ts', 'is not', null)
    // `shown_at` is in the future if the clock was set back.
    .where((row) => row.or([row('shown_at', '<', before), row('shown_at', '>', at.toISOString())]))
    .orderBy('shown_at')
    .limit(MAX_REDRAWN_CARDS)
    .execute()
  const ids = old.map(({ id }) => id)
  await redrawCards(rows, time, scope.workspaceId, ids, { isThreadSame: true })
}
