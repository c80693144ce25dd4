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
    return { ...listing, events: await readAsSent(rows, [...events.values()].flat()) }
  }

/**
 * Lists messages when Slack got them, and leaves out those that it didn't get. They were decided, and the incident was over, taken, or
 * moved to a newer message before they could be sent. A page may also have lost some of its incidents by then.
 */
async function readAsSent(rows: Rows, events: readonly IncidentEvent[]): Promise<IncidentEvent[]> {
  const sent = new Map<string, { at: Date; incidentIds: readonly string[] | undefined }>()
  const ids = [...new Set(events.flatMap(({ cardId }) => cardId ?? []))]
  const byId = (batch: readonly string[]) =>
    rows
      .selectFrom('watch_card')
      .select(['id', 'ts', 'page'])
      .where('id', 'in', batch)
      .where('ts', 'is not', null)
      .execute()
  for await (const page of readPagesById(ids, byId))
    for (const { id, ts, page: content } of page)
      sent.set(id, {
        // A ts is the time in seconds at which Slack posted the message.
        at: new Date(Number(ts) * 1000),
        incidentIds: CARDS.columns.page.read(content)?.incidentIds,
      })
  return events.flatMap((event) => {
    if (event.cardId === undefined) return [event]
    const message = sent.get(event.cardId)
    if (!message || message.incidentIds?.includes(event.incidentId) === false) return []
    // Slack's clock may be behind ours. Whatever was added to a message came with a later edit, whose time isn't stored.
    return event.details?.reason === 'added' || message.at < event.at
      ? [event]
      : [{ ...event, at: message.at }]
  })
}
