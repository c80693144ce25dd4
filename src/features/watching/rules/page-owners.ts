import type { CheckFacts } from '../../../domain/outages/outage.ts'
import type { Post } from './channel/state.ts'
import { watchMatcher } from './matching.ts'
import type { Watch } from './watch.ts'

/**
 * Who gets a page that nobody in the channel would hear of: the owners of the watches that page, or if somebody asked for it, of those that
 * are about these checks. If there are none anymore, of all watches of the channel.
 */
export function listPageOwners(
  about: Post['about'],
  checks: readonly CheckFacts[],
  watches: readonly Watch[],
): string[] {
  const paging = new Set(Object.values(about ?? {}).flat())
  const candidates = [
    watches.filter(({ id }) => paging.has(id)),
    watches.filter(({ filter }) => checks.some(watchMatcher(filter))),
    watches,
  ]
  const owning = candidates.find((found) => found.length > 0) ?? []
  return [...new Set(owning.map(({ ownerId }) => ownerId))]
}
