import type { Settings } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { ThreatMemory } from '../rows/memory.ts'
import { safeDomain } from '../rules/defang.ts'
import type { EventSummary, FoundEvent, LoadedEvent } from '../rules/loaded-event.ts'
import {
  describeSharedTraits,
  findTraits,
  isShownOnCard,
  serializeTrait,
  type Trait,
  traitsForWiderDomain,
  traitsForWords,
} from '../rules/traits.ts'
import { formatVerdict } from '../views/card.ts'
import { THREAT_RETENTION_DAYS } from './threat-retention.ts'

export type Memory = ReturnType<typeof createMemory>

interface MemoryDeps {
  threatMemory: ThreatMemory
  settings: Pick<Settings, 'get'>
  now: () => Date
  reportError: (error: unknown, message: string) => void
}

/** The most traits to look up for a card. An event may have many, such as its IP addresses. */
const MAX_LOOKED_UP = 12

/** Remembers the threat events that a workspace has read, to find and relate them later. */
export function createMemory({ threatMemory, settings, now, reportError }: MemoryDeps) {
  const readRetentionDays = (workspaceId: string): Promise<number> =>
    settings.get(workspaceId, THREAT_RETENTION_DAYS)
  const retentionStart = (days: number): Date => new Date(now().getTime() - days * DAY_MS)
  const pickScope = ({ workspaceId, environment }: { workspaceId: string; environment: Environment }) => ({
    workspaceId,
    environment,
  })

  return {
    readRetentionDays,

    /** Stores an event that was read. Never rejects: the event is shown even if it can't be stored. */
    async remember(
      context: Pick<Requester, 'workspaceId' | 'environment'>,
      id: string,
      loadedEvent: LoadedEvent,
    ): Promise<void> {
      try {
        if ((await readRetentionDays(context.workspaceId)) === 0) return
        const traits = findTraits(loadedEvent.forMembers.event).map(serializeTrait)
        const { domain } = loadedEvent.facts.event
        // Only facts, because guests may see this in lists.
        const summary: EventSummary = {
          domain: domain ? safeDomain(domain, 120) : 'No domain',
          verdict: formatVerdict(loadedEvent.facts.event),
        }
        await threatMemory.remember({
          ...pickScope(context),
          eventId: id,
          summary,
          traits,
          now: loadedEvent.readAt,
        })
      } catch (error) {
        reportError(error, 'Could not remember a threat event.')
      }
    },

    /** Describes what the event shares with other stored events; undefined if nothing, or if they can't be read now. */
    async describeRelated(
      context: Requester,
      id: string,
      { forMembers }: LoadedEvent,
    ): Promise<string | undefined> {
      try {
        const days = await readRetentionDays(context.workspaceId)
        if (days === 0) return undefined
        const traits = findTraits(forMembers.event).filter(isShownOnCard).slice(0, MAX_LOOKED_UP)
        const query = { eventId: id, traits: traits.map(serializeTrait), since: retentionStart(days) }
        return describeSharedTraits(
          traits,
          await threatMemory.countEventsByTrait({ ...pickScope(context), ...query }),
        )
      } catch (error) {
        reportError(error, 'Could not read related threat events.')
        return undefined
      }
    },

    /** Finds the newest events that match the words. If a subdomain has none, searches its registered domain, and returns that as `widerDomain`. */
    async find(
      context: Requester,
      words: string,
      page: { limit: number; offset: number },
    ): Promise<{ events: FoundEvent[]; total: number; widerDomain?: string }> {
      const since = retentionStart(await readRetentionDays(context.workspaceId))
      const findWithAny = async (traits: readonly Trait[]) => {
        const query = { ...pickScope(context), traits: traits.map(serializeTrait), since, ...page }
        const [events, total] = await Promise.all([threatMemory.find(query), threatMemory.count(query)])
        // Cast, because only `remember` writes summaries.
        return {
          total,
          events: events.map(({ summary, ...event }) => ({ ...(summary as EventSummary), ...event })),
        }
      }
      const found = await findWithAny(traitsForWords(words))
      const wider = found.total === 0 ? traitsForWiderDomain(words) : undefined
      return wider ? { ...(await findWithAny(wider.traits)), widerDomain: wider.registered } : found
    },
  }
}
