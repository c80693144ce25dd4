import type { Database } from '@signalman/durable'
import type { NextCall } from '../escalation/rules.ts'
import { outagesOf } from '../rows/cards.ts'
import type { WatchCardRow } from '../rows/columns.ts'
import { cardOf, channelColumns } from '../rows/row.ts'
import type { Span } from '../rules/sum-history.ts'
import type { WatchPlace } from '../rules/watch.ts'
import type { ReportedCard } from './rules.ts'

export interface WatchReports {
  /** Undefined for a card that tells of no outage, or that is not known any more. */
  card(workspaceId: string, cardId: string): Promise<ReportedCard | undefined>
  /** The card of a channel that has changed last. */
  latest(place: WatchPlace): Promise<ReportedCard | undefined>
  /** Those of a channel that tell of anything in that time, oldest first: the latest of them. */
  within(place: WatchPlace, span: Span): Promise<ReportedCard[]>
}

/** Cards that tell of outages first. */
const KINDS = ['outage', 'flapping', 'storm'] as const
const MOST_CARDS = 200

export function watchReports({ rows }: Pick<Database, 'rows'>): WatchReports {
  const cards = () => rows.selectFrom('watch_card').selectAll().where('kind', 'in', KINDS)
  const channelCards = (place: WatchPlace) => cards().where((row) => row.and(channelColumns(place)))

  async function reported(row: WatchCardRow): Promise<ReportedCard> {
    const calls = await rows
      .selectFrom('watch_call')
      .selectAll()
      .where((call) => call.and({ card_id: row.id, told: 1 }))
      .orderBy('called_at')
      .execute()
    return {
      card: cardOf(row),
      outages: await outagesOf(rows, row.id),
      postedAt: row.ts === null ? undefined : new Date(Number.parseFloat(row.ts) * 1000),
      calls: calls.map(({ called_at, call }) => ({
        at: new Date(called_at),
        // Only this program writes it.
        names: (JSON.parse(call) as NextCall['call']).map(({ name }) => name).join(' '),
      })),
    }
  }

  return {
    async card(workspaceId, cardId) {
      const row = await cards()
        .where((card) => card.and({ id: cardId, workspace_id: workspaceId }))
        .executeTakeFirst()
      return row && reported(row)
    },

    async latest(place) {
      const row = await channelCards(place).orderBy('changed_at', 'desc').limit(1).executeTakeFirst()
      return row && reported(row)
    },

    async within(place, { from, to }) {
      const found = await channelCards(place)
        .where('opened_at', '<', to.toISOString())
        .where((row) => row.or([row('closed_at', 'is', null), row('closed_at', '>', from.toISOString())]))
        .orderBy('opened_at', 'desc')
        .limit(MOST_CARDS)
        .execute()
      const all: ReportedCard[] = []
      for (const row of found.toReversed()) all.push(await reported(row))
      return all
    },
  }
}
