import { type Database, selectRows } from '@signalman/durable'
import type { CheckFacts } from '../../../domain/outages/outage.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { EVENT, OBSERVED_INCIDENT } from './columns.ts'
import { PAGE_SIZE, readPages } from './pages.ts'
import { scopeColumns, type WatchScope } from './row.ts'

/** A health check that incidents remember, whether it still exists or not. */
export interface RecordedCheck {
  /** As it was in its latest incident. */
  readonly check: CheckFacts
  /** Every name that it had in an incident. */
  readonly names: ReadonlySet<string>
  /** When a poll no longer found it. Undefined if it had no open incident at that time. */
  readonly missedAt?: Date | undefined
}

export function createRecordedCheckStore({ reading }: Pick<Database, 'reading'>) {
  /** Reads the earlier names of checks that were renamed during an incident, by UUID. */
  async function readEarlierNames({ workspaceId, environment }: WatchScope): Promise<Map<string, string[]>> {
    const renamed = reading
      .selectFrom('incident_event')
      .innerJoin('incident', 'incident.id', 'incident_event.incident_id')
      .select(['incident_event.id', 'uuid', 'details'])
      .where('incident_event.workspace_id', '=', workspaceId)
      .where('environment', '=', environment)
      .where('incident_event.kind', '=', 'renamed')
      .orderBy('incident_event.id')
      .limit(PAGE_SIZE)
    const names = new Map<string, string[]>()
    for await (const page of readPages(renamed, ({ id }) => renamed.where('incident_event.id', '>', id)))
      for (const { uuid, details } of page) {
        const before = details === null ? undefined : EVENT.columns.details.read(details)?.before
        if (before !== undefined) names.set(uuid, [...(names.get(uuid) ?? []), before])
      }
    return names
  }

  return {
    /**
     * Finds the health checks of an environment that incidents remember and that `isMeant`, in the order of their latest incidents.
     * Reads all of them, page by page.
     */
    async findRecordedChecks(
      scope: WatchScope,
      isMeant: (one: RecordedCheck) => boolean,
    ): Promise<RecordedCheck[]> {
      const earlierNames = await readEarlierNames(scope)
      const about = selectRows(reading, 'incident', scopeColumns(scope))
      const uuids = about.clearSelect().select('uuid').distinct().orderBy('uuid').limit(PAGE_SIZE)
      const found: (RecordedCheck & { readonly lastAt: string })[] = []
      const first = uuids.where('uuid', '>', '')
      for await (const page of readPages(first, ({ uuid }) => uuids.where('uuid', '>', uuid))) {
        // A check that looked the same in many incidents is one row.
        const rows = await about
          .clearSelect()
          .select(({ fn }) => [
            'uuid',
            'facts',
            fn.max('opened_at').as('lastAt'),
            fn.max('closed_at').filterWhere('ending', '=', 'deleted').as('missedAt'),
          ])
          .where(
            'uuid',
            'in',
            page.map(({ uuid }) => uuid),
          )
          .groupBy(['uuid', 'facts'])
          .orderBy('lastAt')
          .execute()
        for (const [uuid, seen] of Map.groupBy(rows, (row) => row.uuid)) {
          const facts = seen.map((row) => OBSERVED_INCIDENT.columns.check.read(row.facts))
          const [check, { lastAt = '' } = {}] = [facts.at(-1), seen.at(-1)]
          if (!check) continue
          const names = new Set([...facts.map(({ name }) => name), ...(earlierNames.get(uuid) ?? [])])
          const missedAt = seen
            .flatMap((row) => row.missedAt ?? [])
            .sort()
            .at(-1)
          const one = { check, names, ...(missedAt && { missedAt: new Date(missedAt) }) }
          if (isMeant(one)) found.push({ ...one, lastAt })
        }
      }
      return found
        .toSorted((left, right) => (left.lastAt < right.lastAt ? -1 : 1))
        .map(({ lastAt: _, ...one }) => one)
    },

    /** The UUID of the latest other health check that had this name in an incident. */
    async findNamesake(scope: WatchScope, { uuid, name }: CheckFacts): Promise<string | undefined> {
      const others = selectRows(reading, 'incident', { ...scopeColumns(scope), name_key: foldName(name) })
      // An empty UUID is the environment itself.
      const latest = others.where('uuid', 'not in', [uuid, '']).orderBy('opened_at', 'desc').limit(1)
      return (await latest.executeTakeFirst())?.uuid
    },
  }
}
