import type { Settings } from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { ThreatMemory } from '../rows/memory.ts'
import { safeDomain } from '../rules/defang.ts'
import type { FoundEvent, Reading, StoredEvent } from '../rules/reading.ts'
import {
  describeShared,
  findTraits,
  isShownOnCard,
  type Trait,
  traitsForWiderDomain,
  traitsForWords,
  traitText,
} from '../rules/traits.ts'
import { formatVerdict } from '../views/card.ts'
import { THREAT_RETENTION_DAYS } from './threat-retention.ts'

export type Memory = ReturnType<typeof createMemory>

interface MemoryDeps {
  threatMemory: ThreatMemory
  settings: Pick<Settings, 'get'>
  now: () => Date
  report: (error: unknown, message: string) => void
}

/** How many of an event's traits are looked up for a card, because an event may have many addresses. */
const MAX_LOOKED_UP = 12

/** The threat events that a workspace has read. */
export function createMemory({ threatMemory, settings, now, report }: MemoryDeps) {
  const readRetentionDays = (workspaceId: string): Promise<number> =>
    settings.get(workspaceId, THREAT_RETENTION_DAYS)
  const oldestKept = (days: number): Date => new Date(now().getTime() - days * DAY_MS)
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
      reading: Reading,
    ): Promise<void> {
      try {
        if ((await readRetentionDays(context.workspaceId)) === 0) return
        const traits = findTraits(reading.forMembers.event).map(traitText)
        const { domain } = reading.facts.event
        // Guests may see this too, in lists.
        const about: StoredEvent = {
          domain: domain ? safeDomain(domain, 120) : 'No domain',
          verdict: formatVerdict(reading.facts.event),
        }
        await threatMemory.remember({
          ...pickScope(context),
          eventId: id,
          about,
          traits,
          now: reading.readAt,
        })
      } catch (error) {
        report(error, 'Could not remember a threat event.')
      }
    },

    /** Says what the event shares with other stored events; undefined if nothing, or if that can't be read now. */
    async seenWith(context: Requester, id: string, { forMembers }: Reading): Promise<string | undefined> {
      try {
        const days = await readRetentionDays(context.workspaceId)
        if (days === 0) return undefined
        const traits = findTraits(forMembers.event).filter(isShownOnCard).slice(0, MAX_LOOKED_UP)
        const query = { eventId: id, traits: traits.map(traitText), since: oldestKept(days) }
        return describeShared(traits, await threatMemory.countSharing({ ...pickScope(context), ...query }))
      } catch (error) {
        report(error, 'Could not read related threat events.')
        return undefined
      }
    },

    /** The newest events that match the words. If a domain has none, those of its registered domain, returned in `under`. */
    async find(
      context: Requester,
      words: string,
      page: { limit: number; offset: number },
    ): Promise<{ events: FoundEvent[]; total: number; under?: string }> {
      const since = oldestKept(await readRetentionDays(context.workspaceId))
      const findWithAny = async (traits: readonly Trait[]) => {
        const query = { ...pickScope(context), traits: traits.map(traitText), since, ...page }
        const [events, total] = await Promise.all([threatMemory.find(query), threatMemory.count(query)])
        // Cast, because only `remember` writes it.
        return { total, events: events.map(({ about, ...rest }) => ({ ...(about as StoredEvent), ...rest })) }
      }
      const found = await findWithAny(traitsForWords(words))
      const wider = found.total === 0 ? traitsForWiderDomain(words) : undefined
      return wider ? { ...(await findWithAny(wider.traits)), under: wider.registered } : found
    },
  }
}
