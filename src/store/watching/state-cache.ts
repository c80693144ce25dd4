import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { SubjectKey, SubjectState } from '../../domain/watching/observe.ts'
import type { Schema } from '../database/schema.ts'
import type { ScopeOf } from './channel-view.ts'
import { statesOf } from './subject-rows.ts'

type States = ReadonlyMap<SubjectKey, SubjectState>

/** A process keeps this many states of all scopes together; some 300 bytes each. */
const MOST_STATES = 100_000

/**
 * The states of scopes as they were read last. They are current as long as the row of the poll has the same version and no other
 * process has polled since: one of an older release sets no version.
 */
export function createStateCache() {
  const kept = new LRUCache<string, { version: string | null; polls: number; states: States }>({
    maxSize: MOST_STATES,
    sizeCalculation: ({ states }) => states.size + 1,
  })
  const keyOf = ({ workspaceId, environment }: ScopeOf): string => `${workspaceId} ${environment}`
  return {
    /** A poll of this process has ended. */
    polled(scope: ScopeOf, polls: number): void {
      const known = kept.get(keyOf(scope))
      if (known?.polls === polls - 1) known.polls = polls
    },
    /** Read the poll's row first: newer states are then read once more than needed, and older ones are never kept. */
    async read(
      rows: Kysely<Schema>,
      scope: ScopeOf,
      { version, polls }: { version: string | null; polls: number },
    ): Promise<States> {
      const known = kept.get(keyOf(scope))
      if (known && known.version === version && known.polls === polls) return known.states
      const states = await statesOf(rows, scope)
      kept.set(keyOf(scope), { version, polls, states })
      return states
    },
  }
}

export type StateCache = ReturnType<typeof createStateCache>
