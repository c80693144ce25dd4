import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { SubjectKey, SubjectState } from '../../domain/watching/observe.ts'
import type { Schema } from '../database/schema.ts'
import type { ScopeOf } from './channel-view.ts'
import { statesOf } from './subject-rows.ts'

type States = ReadonlyMap<SubjectKey, SubjectState>

/** States of all scopes together that a process keeps; some 300 bytes each. */
const MOST_STATES = 100_000

/**
 * The states of scopes as they were read last. In most polls nothing has changed: that the mark of the poll's row is the same
 * says so, and that nobody else has polled since, who may be of a version that knows no marks.
 */
export function createStateCache() {
  const kept = new LRUCache<string, { mark: string | null; polls: number; states: States }>({
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
    /** The poll's row must have been read before: states that are newer than it are read again, and older ones never kept. */
    async read(
      rows: Kysely<Schema>,
      scope: ScopeOf,
      { mark, polls }: { mark: string | null; polls: number },
    ): Promise<States> {
      const known = kept.get(keyOf(scope))
      if (known && known.mark === mark && known.polls === polls) return known.states
      const states = await statesOf(rows, scope)
      kept.set(keyOf(scope), { mark, polls, states })
      return states
    },
  }
}

export type StateCache = ReturnType<typeof createStateCache>
