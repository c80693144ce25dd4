import type { Database, Schema } from '@signalman/durable'
import type { ExpressionBuilder } from 'kysely'
import type { NextCall } from '../escalation/rules.ts'
import { withOutages } from '../rows/cards.ts'
import { MUTED, type WatchCardRow } from '../rows/columns.ts'
import { channelColumns, muteFrom } from '../rows/row.ts'
import type { CardKind } from '../rules/card.ts'
import type { Span } from '../rules/sum-history.ts'
import type { WatchPlace } from '../rules/watch.ts'
import type { Muted, ReportedCard } from './rules.ts'

export interface WatchReports {
  /** Undefined for a card that tells of no outage, or that is not known any more. */
  card(workspaceId: string, cardId: string): Promise<ReportedCard | undefined>
  /** The card of a channel that has changed last. */
  latest(place: WatchPlace): Promise<ReportedCard | undefined>
  /** Those of a channel that tell of anything in that time, oldest first: the latest of them. */
  within(place: WatchPlace, span: Span): Promise<ReportedCard[]>
  /** Those that told once more, in that time, of what was down already: reminders, and what a mute or maintenance had kept back. */
  retold(place: WatchPlace, span: Span): Promise<ReportedCard[]>
  /** What was muted in a channel in that time, by its beginning. */
  muted(place: WatchPlace, span: Span): Promise<Muted[]>
}

/** Cards that tell of outages first. */
const KINDS = ['outage', 'flapping', 'storm'] as const
const MOST_CARDS = 200

export function watchReports({ rows }: Pick<Database, 'rows'>): WatchReports {
  const cards = (kinds: readonly CardKind[] = KINDS) =>
    rows.selectFrom('watch_card').selectAll().where('kind', 'in', kinds)
  const channelCards = (place: WatchPlace, kinds?: readonly CardKind[]) =>
    cards(kinds).where((row) => row.and(channelColumns(place)))

  async function reported(row: WatchCardRow): Promise<ReportedCard> {
    const calls = await rows
      .selectFrom('watch_call')
      .selectAll()
      .where((call) => call.and({ card_id: row.id, told: 1 }))
      .orderBy('called_at')
      .execute()
    return {
      ...(await withOutages(rows, row)),
      postedAt: row.ts === null ? undefined : new Date(Number.parseFloat(row.ts) * 1000),
      calls: calls.map(({ called_at, call }) => ({
        at: new Date(called_at),
        // Only this program writes it.
        names: (JSON.parse(call) as NextCall['call']).map(({ name }) => name).join(' '),
      })),
    }
  }

  async function latest(query: ReturnType<typeof channelCards>): Promise<ReportedCard[]> {
    const found = await query.orderBy('opened_at', 'desc').limit(MOST_CARDS).execute()
    const all: ReportedCard[] = []
    for (const row of found.toReversed()) all.push(await reported(row))
    return all
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
      const isOn = (row: ExpressionBuilder<Schema, 'watch_card'>) =>
        row.or([row('closed_at', 'is', null), row('closed_at', '>', from.toISOString())])
      return latest(channelCards(place).where(isOn).where('opened_at', '<', to.toISOString()))
    },

    retold: (place, { from, to }) =>
      latest(
        channelCards(place, ['still-down'])
          .where('opened_at', '>=', from.toISOString())
          .where('opened_at', '<=', to.toISOString()),
      ),

    muted: (place, span) => mutedIn(rows, place, span),
  }
}

async function mutedIn(rows: Database['rows'], place: WatchPlace, { from, to }: Span): Promise<Muted[]> {
  const own = channelColumns(place)
  const over = await rows
    .selectFrom('watch_muted')
    .selectAll()
    .where((row) => row.and(own))
    .where('from_at', '<', to.toISOString())
    .where('to_at', '>', from.toISOString())
    .execute()
  const going = await rows
    .selectFrom('watch_mute')
    .selectAll()
    .where((row) => row.and(own))
    .where('made_at', '<', to.toISOString())
    .execute()
  const all: Muted[] = [
    ...over.map(MUTED.of),
    ...going.map(muteFrom).map(({ about, madeAt, until }) => ({ about, from: madeAt, to: until })),
  ]
  return all.sort((left, right) => left.from.getTime() - right.from.getTime())
}
