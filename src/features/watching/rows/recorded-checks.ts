import { type Database, selectRows } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import { EVENT, OBSERVED_INCIDENT } from './columns.ts'

/** A health check that incidents remember, whether it still exists or not. */
export interface RecordedCheck {
  readonly environment: Environment
  /** As it was in its latest incident. */
  readonly check: ReturnType<typeof OBSERVED_INCIDENT.parse>['check']
  /** Every name that it had in an incident. */
  readonly names: ReadonlySet<string>
  /** When a poll no longer found it. Undefined if it had no open incident at that time. */
  readonly missedAt?: Date | undefined
}

/** Reads the health checks that incidents remember, in both environments. */
export const createRecordedChecksReader =
  ({ reading }: Pick<Database, 'reading'>) =>
  async (workspaceId: string): Promise<RecordedCheck[]> => {
    const about = selectRows(reading, 'incident', { workspace_id: workspaceId }).where('uuid', '<>', '')
    const [seen, renamed] = await Promise.all([
      // A check that looked the same in many incidents is one row.
      about
        .clearSelect()
        .select(({ fn }) => [
          'environment',
          'facts',
          fn.max('opened_at').as('last_at'),
          fn.max('closed_at').filterWhere('ending', '=', 'deleted').as('missed_at'),
        ])
        .groupBy(['environment', 'facts'])
        .orderBy('last_at')
        .execute(),
      reading
        .selectFrom('incident_event')
        .innerJoin('incident', 'incident.id', 'incident_event.incident_id')
        .select(['environment', 'uuid', 'details'])
        .where('incident_event.workspace_id', '=', workspaceId)
        .where('incident_event.kind', '=', 'renamed')
        .execute(),
    ])
    const found = new Map<string, RecordedCheck & { readonly names: Set<string> }>()
    for (const { environment, facts, missed_at: missedAt } of seen) {
      const check = OBSERVED_INCIDENT.columns.check.read(facts)
      const key = `${environment} ${check.uuid}`
      const names = (found.get(key)?.names ?? new Set()).add(check.name)
      found.set(key, { environment, check, names, ...(missedAt && { missedAt: new Date(missedAt) }) })
    }
    for (const { environment, uuid, details } of renamed) {
      const before = details === null ? undefined : EVENT.columns.details.read(details)?.before
      if (before !== undefined) found.get(`${environment} ${uuid}`)?.names.add(before)
    }
    return [...found.values()]
  }
