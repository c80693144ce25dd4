import type { Outage } from './outage.ts'
import { candidateOf, createReplay, eventsOf } from './replay.ts'
import type { WatchTerms } from './watch.ts'

/** What a channel would have been told in a stretch of time. */
export interface WouldBeTold {
  /** Messages; edits are none, reminders are. */
  readonly posts: number
  /** The outages that a message, or an edit of one, tells of for the first time. */
  readonly outages: readonly Outage[]
}

/**
 * What a watch with these terms would have told of these outages, oldest first, from one time to another. Outages of a while
 * before belong to them: what is told may be an edit of an earlier message. `pollMs` lies between two polls.
 */
export function countPosts(
  terms: WatchTerms,
  outages: readonly Outage[],
  { from, to, pollMs }: { from: Date; to: Date; pollMs: number },
): WouldBeTold {
  const replay = createReplay({ ...NOWHERE, ...terms })
  const events = outages
    .filter(
      ({ isBaseline, badPolls, endedAt }) => !isBaseline && (!endedAt || badPolls >= terms.afterBadPolls),
    )
    .flatMap((outage) => eventsOf(outage, (terms.afterBadPolls - 1) * pollMs))
    // What has not been down for long enough yet is not told yet.
    .filter(({ at }) => at < to.getTime())
  const byId = new Map(events.map(({ outage }) => [outage.id, outage]))
  const byTime = Map.groupBy(events, ({ at }) => at)
  const told: Outage[] = []
  let posts = 0
  const remindUntil = (until: number): void => {
    for (let at = replay.nextReminder(); at && at.getTime() < until; at = replay.nextReminder()) {
      replay.remind(at)
      if (at >= from) posts += 1
    }
  }
  for (const at of [...byTime.keys()].sort((left, right) => left - right)) {
    remindUntil(at)
    const now = byTime.get(at) ?? []
    const begun = now.flatMap(({ outage, isEnd }) => (isEnd ? [] : [candidateOf(outage)]))
    const ended = now.flatMap(({ outage, isEnd }) => (isEnd ? [outage] : []))
    // Poll numbers of the past are not kept: the candidates say themselves that they are due.
    const changes = replay.poll(terms.afterBadPolls, new Date(at), begun, ended)
    if (at < from.getTime()) continue
    posts += changes.filter(({ isNew }) => isNew).length
    told.push(...changes.flatMap(({ outageIds }) => outageIds.flatMap((id) => byId.get(id) ?? [])))
  }
  remindUntil(to.getTime())
  return { posts, outages: told }
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
