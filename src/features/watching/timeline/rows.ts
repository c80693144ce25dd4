import { type Database, selectRows } from '@signalman/durable'
import { readCardWithOutages } from '../rows/cards.ts'
import { CALL } from '../rows/columns.ts'
import { formatNames } from '../rules/escalation-steps.ts'
import type { CardHistory, PostReason } from './rules.ts'

/** Reads the data for a card's timeline. Undefined if the card has no outages or is no longer stored. */
export const createCardHistoryReader =
  ({ rows }: Pick<Database, 'rows'>) =>
  async (workspaceId: string, id: string): Promise<CardHistory | undefined> => {
    const row = await selectRows(rows, 'watch_card', { id, workspace_id: workspaceId }).executeTakeFirst()
    if (!row) return undefined
    const listing = await readCardWithOutages(rows, row)
    if (listing.outages.length === 0) return undefined
    const cards = await rows
      .selectFrom('watch_card')
      .select(['ts', 'kind', 'reason'])
      .where('workspace_id', '=', workspaceId)
      .where('channel_id', '=', row.channel_id)
      .where('ts', 'is not', null)
      .where('id', 'in', (from) =>
        from
          .selectFrom('watch_card_outage as other')
          .innerJoin('watch_card_outage as own', 'own.outage_id', 'other.outage_id')
          .select('other.card_id')
          .where('own.card_id', '=', id),
      )
      .execute()
    const calls = await selectRows(rows, 'watch_call', { card_id: id })
      .where('posted_at', 'is not', null)
      .execute()
    return {
      ...listing,
      posts: cards.map(({ ts, kind, reason }) => ({
        at: new Date(Number.parseFloat(ts ?? '') * 1000),
        // Cast: cards that list outages have no other reasons.
        reason: kind === 'reminder' ? 'reminder' : ((reason ?? 'down') as PostReason),
      })),
      calls: calls.map(CALL.parse).map(({ postedAt, madeAt, responders }) => ({
        at: postedAt ?? madeAt,
        names: formatNames(responders),
      })),
    }
  }
