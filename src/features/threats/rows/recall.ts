import {
  type Database,
  type Identity,
  openedOrWhyNot,
  type Schema,
  type WorkspaceKeys,
} from '@signalman/durable'
import type { Kysely } from 'kysely'
import type { ThreatMemory, ThreatPlace } from './memory.ts'
import type { Salts } from './salts.ts'

const MOST_COUNTED = 100

export const seenIdentity = (workspaceId: string, id: string): Identity => ['threat_seen', workspaceId, id]

/** A trait counts only in its own environment. */
export const labelled = ({ environment }: ThreatPlace, trait: string): string => `${environment} ${trait}`

/** A query of the memory. */
export function recalled(
  { rows, reading }: Database,
  keys: WorkspaceKeys,
  salts: Salts,
): Pick<ThreatMemory, 'countAlike' | 'find'> {
  return {
    async countAlike({ workspaceId, environment, eventId, traits, since }) {
      const digest = await salts.of(workspaceId, false)
      const counts = new Map<string, number>()
      if (!digest) return counts
      const own = (await ofEvent(rows, { workspaceId, environment, eventId }))?.id ?? ''
      for (const trait of traits) {
        const some = reading
          .selectFrom('threat_trait')
          .select('seen_id')
          .where('workspace_id', '=', workspaceId)
          .where('trait', '=', digest(labelled({ workspaceId, environment }, trait)))
          .where('read_at', '>=', since.toISOString())
          .where('seen_id', '<>', own)
          .limit(MOST_COUNTED)
        const { many } = await reading
          .selectFrom(some.as('some'))
          .select(({ fn }) => fn.countAll().as('many'))
          .executeTakeFirstOrThrow()
        if (Number(many) > 0) counts.set(trait, Number(many))
      }
      return counts
    },

    async find({ workspaceId, environment, traits, since, limit }) {
      const digest = await salts.of(workspaceId, false)
      if (!digest || traits.length === 0) return []
      const digests = traits.map((trait) => digest(labelled({ workspaceId, environment }, trait)))
      const wanted = reading
        .selectFrom('threat_trait')
        .select(['seen_id', 'read_at'])
        .distinct()
        .where('workspace_id', '=', workspaceId)
        .where('trait', 'in', digests)
        .where('read_at', '>=', since.toISOString())
        .orderBy('read_at', 'desc')
        .limit(limit)
      const found = await reading
        .selectFrom('threat_seen')
        .innerJoin(wanted.as('wanted'), 'wanted.seen_id', 'threat_seen.id')
        .selectAll('threat_seen')
        .orderBy('threat_seen.read_at', 'desc')
        .execute()
      const opener = await keys.opener(
        rows,
        found.map(({ sealed_about }) => sealed_about),
      )
      return found.flatMap((row) => {
        const opened = openedOrWhyNot(() => opener.open(row.sealed_about, seenIdentity(workspaceId, row.id)))
        if ('unopened' in opened) return []
        const { environment, event_id: eventId, read_at } = row
        return [{ environment, eventId, about: JSON.parse(opened.value), readAt: new Date(read_at) }]
      })
    },
  }
}

export const ofEvent = (
  rows: Kysely<Schema>,
  { workspaceId, environment, eventId }: ThreatPlace & { eventId: string },
) =>
  rows
    .selectFrom('threat_seen')
    .select(['id', 'content_hash', 'read_at'])
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('event_id', '=', eventId)
    .executeTakeFirst()
