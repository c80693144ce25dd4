import { type Database, type DatabaseTime, type Rows, selectRows } from '@signalman/durable'
import { readCardWithIncidents } from '../rows/cards.ts'
import { CARDS } from '../rows/columns.ts'
import { readEvents } from '../rows/incidents.ts'
import { readPagesById } from '../rows/pages.ts'
import type { IncidentEvent } from '../rules/incident.ts'
import type { CardHistory } from './rules.ts'

/** Reads the data for a message's timeline. Undefined if it isn't stored or lists nothing. */
export const createCardHistoryReader =
  ({ rows }: Pick<Database, 'rows'>, time: DatabaseTime) =>
  async (workspaceId: string, id: string): Promise<CardHistory | undefined> => {
    const row = await selectRows(rows, 'watch_card', { id, workspace_id: workspaceId }).executeTakeFirst()
    if (!row) return undefined
    const listing = await readCardWithIncidents(rows, time, row)
    if (listing.incidents.length === 0) return undefined
    const events = await readEvents(
      rows,
      listing.incidents.map((incident) => incident.id),
    )
    return { ...listing, events: await removeUnsent(rows, [...events.values()].flat()) }
  }

/**
 * Removes messages that Slack didn't get. They were decided, and the incident was over, taken, or moved to a newer message before
 * they could be sent. A page may also have lost some of its incidents by then.
 */
async function removeUnsent(rows: Rows, events: readonly IncidentEvent[]): Promise<IncidentEvent[]> {
  const sent = new Map<string, readonly string[] | undefined>()
  const ids = [...new Set(events.flatMap(({ cardId }) => cardId ?? []))]
  const byId = (batch: readonly string[]) =>
    rows
      .selectFrom('watch_card')
      .select(['id', 'page'])
      .where('id', 'in', batch)
      .where('ts', 'is not', null)
      .execute()
  for await (const page of readPagesById(ids, byId))
    for (const row of page) sent.set(row.id, CARDS.columns.page.read(row.page)?.incidentIds)
  return events.filter(
    ({ cardId, incidentId }) =>
      cardId === undefined || (sent.has(cardId) && (sent.get(cardId)?.includes(incidentId) ?? true)),
  )
}
