import { type Database, type Rows, rowsIn, type Schema } from '@signalman/durable'
import type { ExpressionBuilder } from 'kysely'
import type { Span } from '../../../domain/outages/outage.ts'
import { namesOf } from '../escalation/rules.ts'
import { withOutages } from '../rows/cards.ts'
import { CALL, MUTE, type WatchCardRow } from '../rows/columns.ts'
import { channelColumns, firstOf } from '../rows/row.ts'
import type { CardKind } from '../rules/card.ts'
import type { WatchPlace } from '../rules/watch.ts'
import type { Muted, ReportedCard } from './rules.ts'

/** Cards that tell of outages first. */
const KINDS = ['outage', 'flapping', 'storm'] as const
const MOST_CARDS = 200

/** What reports are made of. */
export function watchReports({ rows }: Pick<Database, 'rows'>) {
  const channelCards = (place: WatchPlace, kinds: readonly CardKind[] = KINDS) =>
    rowsIn(rows, 'watch_card', channelColumns(place)).where('kind', 'in', kinds)

  async function reported(row: WatchCardRow): Promise<ReportedCard> {
    const calls = await rowsIn(rows, 'watch_call', { card_id: row.id, told: 1 })
      .orderBy('called_at')
      .execute()
    return {
      ...(await withOutages(rows, row)),
      postedAt: row.ts === null ? undefined : new Date(Number.parseFloat(row.ts) * 1000),
      calls: calls.map(CALL.of).map(({ calledAt: at, call }) => ({ at, names: namesOf(call) })),
    }
  }

  async function latest(query: ReturnType<typeof channelCards>): Promise<ReportedCard[]> {
    const found = await query.orderBy('opened_at', 'desc').limit(MOST_CARDS).execute()
    const all: ReportedCard[] = []
    for (const row of found.toReversed()) all.push(await reported(row))
    return all
  }

  return {
    /** Undefined for a card that tells of no outage, or that is not known any more. */
    async card(workspaceId: string, id: string): Promise<ReportedCard | undefined> {
      const found = rowsIn(rows, 'watch_card', { id, workspace_id: workspaceId }).where('kind', 'in', KINDS)
      return firstOf(found, reported)
    },

    /** The card of a channel that has changed last. */
    async latest(place: WatchPlace): Promise<ReportedCard | undefined> {
      return firstOf(channelCards(place).orderBy('changed_at', 'desc').limit(1), reported)
    },

    /** Those of a channel that tell of anything in that time, oldest first: the latest of them. */
    within(place: WatchPlace, { from, to }: Span): Promise<ReportedCard[]> {
      const isOn = (row: ExpressionBuilder<Schema, 'watch_card'>) =>
        row.or([row('closed_at', 'is', null), row('closed_at', '>', from.toISOString())])
      return latest(channelCards(place).where(isOn).where('opened_at', '<', to.toISOString()))
    },

    /** Those that told once more, in that time, of what was down already: reminders, and what a mute or maintenance had kept back. */
    retold: (place: WatchPlace, { from, to }: Span): Promise<ReportedCard[]> =>
      latest(
        channelCards(place, ['still-down'])
          .where('opened_at', '>=', from.toISOString())
          .where('opened_at', '<=', to.toISOString()),
      ),

    /** What was muted in a channel in that time, by its beginning. */
    muted: (place: WatchPlace, span: Span) => mutedIn(rows, place, span),
  }
}

async function mutedIn(rows: Rows, place: WatchPlace, { from, to }: Span): Promise<Muted[]> {
  const found = await rowsIn(rows, 'watch_mute', channelColumns(place))
    .where('made_at', '<', to.toISOString())
    .where((row) => row.or([row('ended_at', 'is', null), row('ended_at', '>', from.toISOString())]))
    .orderBy('made_at')
    .execute()
  return found.map(MUTE.of).map(({ about, madeAt, until, endedAt }) => {
    return { about, from: madeAt, to: endedAt ?? until }
  })
}
