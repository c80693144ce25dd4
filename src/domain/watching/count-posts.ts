import type { Outage } from './outage.ts'
import { candidateOf, createReplay, eventsOf } from './replay.ts'
import type { WatchTerms } from './watch.ts'

/**
 * How many messages a channel would have got of these outages, oldest first, by a watch with these terms. Edits are none. `pollMs`
 * lies between two polls.
 */
export function countPosts(terms: WatchTerms, outages: readonly Outage[], pollMs: number): number {
  const replay = createReplay({ ...NOWHERE, ...terms })
  const events = outages
    .filter(
      ({ isBaseline, badPolls, endedAt }) => !isBaseline && (!endedAt || badPolls >= terms.afterBadPolls),
    )
    .flatMap((outage) => eventsOf(outage, (terms.afterBadPolls - 1) * pollMs))
  const byTime = Map.groupBy(events, ({ at }) => at)
  let posts = 0
  for (const at of [...byTime.keys()].sort((left, right) => left - right)) {
    const now = byTime.get(at) ?? []
    const begun = now.flatMap(({ outage, isEnd }) => (isEnd ? [] : [candidateOf(outage)]))
    const ended = now.flatMap(({ outage, isEnd }) => (isEnd ? [outage] : []))
    // Poll numbers of the past are not kept: the candidates say themselves that they are due.
    posts += replay.poll(terms.afterBadPolls, new Date(at), begun, ended).filter(({ isNew }) => isNew).length
  }
  return posts
}

const NOWHERE = {
  id: 'preview',
  workspaceId: '',
  channelId: '',
  environment: 'production',
  ownerId: '',
  madeAt: new Date(0),
  changedAt: new Date(0),
  baselinePoll: 0,
} as const
