import { type Database, selectRows } from '@signalman/durable'
import { mapInSlices } from '@signalman/runtime'
import { type Incident, isNoData, toUnseen } from '../../../domain/outages/incident.ts'
import type { DownCheck, Span } from '../../../domain/outages/outage.ts'
import { getFall } from '../../../domain/outages/spell.ts'
import type { WatchScope } from '../rules/watch.ts'
import { SCOPE } from './columns.ts'
import { readNoData, readOpenIncidents, toIncident } from './incidents.ts'
import { readObserved } from './polls.ts'
import { readPoll } from './readers.ts'

/** How many rows one query compares, so that it takes a few milliseconds even if none of them overlaps. */
const SLICE_SIZE = 1000

export function createHistoryStore({ rows }: Database) {
  return {
    /** What is down as of the last poll. */
    listDown: async (scope: WatchScope): Promise<Incident[]> =>
      (await readOpenIncidents(rows, scope)).filter(isCheckDown),

    /** When each check went down, or was first seen down, and who is on it, by UUID. */
    async findDownSince(scope: WatchScope): Promise<Map<string, DownCheck>> {
      const open = await readOpenIncidents(rows, scope)
      const isUnseen = open.some((incident) => isNoData(incident) && incident.isDown)
      return new Map(
        open.filter(isCheckDown).map((incident): [string, DownCheck] => [
          incident.check.uuid,
          {
            ...(!isUnseen && getFall(incident)),
            ...(incident.onIt && { onIt: incident.onIt }),
          },
        ]),
      )
    },

    /** The incidents of checks that overlap a period, newest first, at most `limit`. */
    async listIncidents(
      scope: WatchScope & { readonly uuid?: string | undefined },
      { from, to }: Span,
      limit: number,
    ): Promise<Incident[]> {
      const all = selectRows(rows, 'incident', SCOPE.toRow(scope), { uuid: scope.uuid })
        .where('uuid', '<>', '')
        .orderBy('opened_at', 'desc')
        .orderBy('id', 'desc')
      const incidents: Incident[] = []
      for (let before: string | undefined = to.toISOString(); before !== undefined; ) {
        const rest: typeof all = all.where('opened_at', '<', before)
        const start = await rest
          .clearSelect()
          .select('opened_at')
          .limit(1)
          .offset(SLICE_SIZE - 1)
          .executeTakeFirst()
        const slice = await rest
          .$if(start !== undefined, (query) => query.where('opened_at', '>=', start?.opened_at ?? ''))
          .where((row) => row.or([row('closed_at', 'is', null), row('closed_at', '>', from.toISOString())]))
          .limit(limit - incidents.length)
          .execute()
        incidents.push(...(await mapInSlices(slice, toIncident)))
        before = incidents.length < limit ? start?.opened_at : undefined
      }
      return incidents
    },

    findUnseen: async (scope: WatchScope) => toUnseen(await readNoData(rows, scope)),
    listObserved: (scope: WatchScope, span: Span) => readObserved(rows, scope, span),
    findPoll: (scope: WatchScope) => readPoll(rows, scope),
  }
}

const isCheckDown = (incident: Incident): boolean => incident.isDown && !isNoData(incident)
