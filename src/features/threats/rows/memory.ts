import {
  type Database,
  deleteInBatches,
  deleteRows,
  isDecrypted,
  jsonText,
  type Rows,
  type Sealer,
  saveSealed,
  sealedRows,
} from '@signalman/durable'
import { DAY_MS, newId } from '@signalman/runtime'
import { sql } from 'kysely'
import { createFindDigester, type FindDigester } from '../../../bot/workspaces/digests.ts'
import type { Environment } from '../../../domain/environment.ts'
import { MAX_COUNTED_EVENTS } from '../rules/loaded-event.ts'
import { THREATS_SEEN, type ThreatSeenRow } from './tables.ts'

export interface ThreatScope {
  readonly workspaceId: string
  readonly environment: Environment
}

/** The columns that identify an event, in every table about events. */
export const eventColumns = ({ workspaceId, environment, eventId }: ThreatScope & { eventId: string }) => ({
  workspace_id: workspaceId,
  environment,
  event_id: eventId,
})

interface TraitQuery extends ThreatScope {
  traits: readonly string[]
  since: Date
}

export type ThreatMemory = ReturnType<typeof threatMemory>

/**
 * The rows of `threat_seen` and `threat_trait`: the threat events that a workspace has read. Every method throws SealError if the
 * salt can't be decrypted.
 */
export function threatMemory(database: Database, keys: Sealer) {
  const { rows } = database
  const findDigester = createFindDigester(database, keys)

  return {
    /** Stores an event with its traits, or replaces its earlier version. If the content is unchanged, writes at most once a day. */
    async remember({
      summary,
      traits,
      now,
      ...event
    }: ThreatScope & {
      eventId: string
      summary: unknown
      traits: readonly string[]
      now: Date
    }): Promise<void> {
      const { workspaceId } = event
      const digest = await findDigester(workspaceId, { createIfMissing: true })
      if (!digest) return
      const summaryJson = jsonText(summary, 'A threat event')
      const digests = [...new Set(traits.map((trait) => digest(traitLabel(event, trait))))]
      const contentHash = digest(JSON.stringify([summaryJson, digests]))
      const stored = await findStoredEvent(rows, event)
      const isFresh = stored && now.getTime() - Date.parse(stored.read_at) < DAY_MS
      if (stored?.content_hash === contentHash && isFresh) return
      // Serialized, because two requests may store the same event.
      await saveSealed(database, keys, workspaceId, async (transaction, sealer) => {
        const before = await findStoredEvent(transaction, event)
        if (before) await deleteRows(transaction, 'threat_seen', { id: before.id })
        const id = newId()
        const read_at = now.toISOString()
        await transaction
          .insertInto('threat_seen')
          .values({
            id,
            ...eventColumns(event),
            sealed_about: sealedThreats.seal(summary, [workspaceId, id], sealer),
            content_hash: contentHash,
            read_at,
          })
          .execute()
        if (digests.length === 0) return
        const values = digests.map((trait) => ({ seen_id: id, trait, workspace_id: workspaceId, read_at }))
        await transaction.insertInto('threat_trait').values(values).execute()
      })
    },

    ...memoryQueries(database, keys, findDigester),

    /** Deletes events read before a time, in one workspace or in all that don't have this setting. Returns how many. */
    sweep: (scope: { workspaceId: string } | { withoutSetting: string }, olderThan: Date): Promise<number> =>
      deleteEvents(rows, (matches) => {
        const old = matches.where('read_at', '<', olderThan.toISOString())
        if ('workspaceId' in scope) return old.where('workspace_id', '=', scope.workspaceId)
        return old.where(
          sql<boolean>`not exists (select 1 from setting where setting.workspace_id = threat_seen.workspace_id and setting.key = ${scope.withoutSetting})`,
        )
      }),
  }
}

const selectIds = (rows: Rows) => rows.selectFrom('threat_seen').select('id')

/** Deletes events in batches. */
function deleteEvents(
  rows: Rows,
  filter: (batch: ReturnType<typeof selectIds>) => ReturnType<typeof selectIds>,
): Promise<number> {
  return deleteInBatches(async (limit) => {
    const batch = await filter(selectIds(rows)).limit(limit).execute()
    const ids = batch.map(({ id }) => id)
    if (ids.length === 0) return 0
    // The foreign key deletes their traits.
    await rows.deleteFrom('threat_seen').where('id', 'in', ids).execute()
    return ids.length
  })
}

const MAX_COUNTED = 100

const sealedThreats = sealedRows(THREATS_SEEN, {
  toPlain: ({ environment, event_id: eventId, read_at }: ThreatSeenRow) => ({
    environment,
    eventId,
    readAt: new Date(read_at),
  }),
  parseContent: (text) => ({ summary: JSON.parse(text) as unknown }),
})

/** Includes the environment, so that traits match only within it. */
const traitLabel = ({ environment }: ThreatScope, trait: string): string => `${environment} ${trait}`

function memoryQueries({ rows, reading }: Database, keys: Sealer, findDigester: FindDigester) {
  const selectMatches = createTraitQuery(reading, findDigester)

  return {
    /** Counts how many other events, read since a date, share each trait, up to 100. Leaves out traits that no other event has. */
    async countEventsByTrait({
      traits,
      since,
      ...event
    }: TraitQuery & { eventId: string }): Promise<Map<string, number>> {
      const { workspaceId } = event
      const digest = await findDigester(workspaceId)
      const counts = new Map<string, number>()
      if (!digest) return counts
      const ownId = (await findStoredEvent(rows, event))?.id ?? ''
      for (const trait of traits) {
        const matches = reading
          .selectFrom('threat_trait')
          .select('seen_id')
          .where((row) => row.and({ workspace_id: workspaceId, trait: digest(traitLabel(event, trait)) }))
          .where('read_at', '>=', since.toISOString())
          .where('seen_id', '<>', ownId)
          .limit(MAX_COUNTED)
        const { total } = await reading
          .selectFrom(matches.as('some'))
          .select(({ fn }) => fn.countAll().as('total'))
          .executeTakeFirstOrThrow()
        if (Number(total) > 0) counts.set(trait, Number(total))
      }
      return counts
    },

    /** The number of events with any of the traits, counted up to `MAX_COUNTED_EVENTS`. */
    async count(query: TraitQuery): Promise<number> {
      const matches = (await selectMatches(query))?.select('seen_id').limit(MAX_COUNTED_EVENTS)
      if (!matches) return 0
      const { total } = await reading
        .selectFrom(matches.as('some'))
        .select(({ fn }) => fn.countAll().as('total'))
        .executeTakeFirstOrThrow()
      return Number(total)
    },

    /** A page of the newest events with any of the traits, read since a date. Leaves out events that can't be decrypted. */
    async find({ limit, offset = 0, ...query }: TraitQuery & { limit: number; offset?: number }) {
      const page = (await selectMatches(query))
        ?.select(['seen_id', 'read_at'])
        .orderBy('read_at', 'desc')
        .orderBy('seen_id')
        .limit(limit)
        .offset(offset)
      if (!page) return []
      const storedEvents = await reading
        .selectFrom('threat_seen')
        .innerJoin(page.as('page'), 'page.seen_id', 'threat_seen.id')
        .selectAll('threat_seen')
        .orderBy('threat_seen.read_at', 'desc')
        .orderBy('threat_seen.id')
        .execute()
      return (await sealedThreats.readAll(keys, storedEvents)).filter(isDecrypted)
    },
  }
}

/** Creates the query for events with any of the traits; undefined if there is nothing to search for. */
const createTraitQuery =
  (reading: Database['reading'], findDigester: FindDigester) =>
  async ({ workspaceId, environment, traits, since }: TraitQuery) => {
    const digest = await findDigester(workspaceId)
    if (!digest || traits.length === 0) return undefined
    const digests = traits.map((trait) => digest(traitLabel({ workspaceId, environment }, trait)))
    return reading
      .selectFrom('threat_trait')
      .distinct()
      .where('workspace_id', '=', workspaceId)
      .where('trait', 'in', digests)
      .where('read_at', '>=', since.toISOString())
  }

const findStoredEvent = (rows: Rows, event: ThreatScope & { eventId: string }) =>
  rows
    .selectFrom('threat_seen')
    .select(['id', 'content_hash', 'read_at'])
    .where((row) => row.and(eventColumns(event)))
    .executeTakeFirst()
