import { type Database, type DatabaseTime, selectRows } from '@signalman/durable'
import { readCardWithIncidents } from '../rows/cards.ts'
import { readEvents } from '../rows/incidents.ts'
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
    return { ...listing, events: [...events.values()].flat() }
  }
