import type { Outage } from '../../../domain/outages/outage.ts'
import { type CardChange, REOPEN_MS, type ToldCard } from './card.ts'
import { type Candidate, REMIND_AGAIN_MS } from './due.ts'
import { FLAPPING_QUIET_MS, quieted } from './flapping.ts'
import { reconcile } from './reconcile.ts'
import type { Slices } from './slices.ts'
import { isWithin, STORM_MS } from './storm.ts'
import { readyWatch } from './subjects.ts'
import type { Watch, WatchTerms } from './watch.ts'

/** One channel with its cards in memory, told by the very rules that tell people. */
export function createReplay(watch: Watch) {
  const asked = { place: watch, watches: [readyWatch(watch)], mutes: [] }
  const told = new Set<string>()
  const cards = new Map<string, ToldCard>()
  let ids = 0
  const newId = (): string => {
    ids += 1
    return `card-${ids}`
  }
  const reminded = (): ToldCard[] =>
    [...cards.values()].filter(({ card, open }) => card.remindAt && open.size > 0)

  /** Of the cards, those that what has changed may concern; the end of flapping is seen then. */
  function concerned(at: Date, changed: readonly Outage[]): ToldCard[] {
    const uuids = new Set(changed.map(({ check }) => check.uuid))
    const found: ToldCard[] = []
    for (const one of cards.values()) {
      const { card, outages, open } = one
      if (card.closedAt && !isWithin(card.closedAt, at, REOPEN_MS)) cards.delete(card.id)
      else if (isWithin(card.openedAt, at, STORM_MS) || outages.some(({ check }) => uuids.has(check.uuid))) {
        const quiet = new Date(card.changedAt.getTime() + FLAPPING_QUIET_MS)
        found.push({ ...one, card: (quiet <= at && quieted(card, open.size > 0, quiet)) || card })
      }
    }
    return found
  }

  return {
    /** What the channel's cards come to by a poll. */
    *poll(
      poll: number,
      at: Date,
      candidates: readonly Candidate[],
      ended: readonly Outage[],
    ): Slices<CardChange[]> {
      const standing = concerned(at, [...candidates.map(({ outage }) => outage), ...ended])
      for (const one of standing) cards.set(one.card.id, one)
      const view = { ...asked, cards: standing, told }
      const changes = yield* reconcile(view, { poll, at, candidates, ended }, newId)
      for (const change of changes) {
        cards.set(change.card.id, change)
        for (const id of change.outageIds) told.add(id)
      }
      return changes
    },
    /** When the next reminder of what is down is due. */
    nextReminder(): Date | undefined {
      const times = reminded().map(({ card }) => card.remindAt?.getTime() ?? 0)
      return times.length > 0 ? new Date(Math.min(...times)) : undefined
    },
    /** One message reminds of all that is due by then; the next is due a day later. */
    remind(at: Date): void {
      for (const one of reminded())
        if (one.card.remindAt && one.card.remindAt <= at)
          cards.set(one.card.id, {
            ...one,
            card: { ...one.card, remindAt: new Date(at.getTime() + REMIND_AGAIN_MS) },
          })
    },
  }
}

interface ReplayedEvent {
  readonly at: number
  readonly outage: Outage
  readonly isEnd: boolean
}

/** One that recovered before it was confirmed late is told when it ends, which is when its last bad poll was known. */
function eventsOf(outage: Outage, lateMs: number): ReplayedEvent[] {
  const { endedAt, ending: _ending, ...begun } = outage
  const end = endedAt?.getTime() ?? Number.POSITIVE_INFINITY
  const start: ReplayedEvent = {
    at: Math.min(outage.startedAt.getTime() + lateMs, end),
    outage: begun,
    isEnd: false,
  }
  return endedAt ? [start, { at: Math.max(end, start.at + 1), outage, isEnd: true }] : [start]
}

export const candidateOf = (outage: Outage): Candidate => ({
  outage,
  state: {
    check: outage.check,
    status: outage.status,
    phase: 'bad',
    phasePoll: 1,
    phaseAt: outage.startedAt,
    outageId: outage.id,
  },
})

/**
 * What a watch with these terms would have told of these outages, oldest first, from one time to another. Outages of a while
 * before belong to them: what is told may be an edit of an earlier message. `pollMs` lies between two polls.
 */
export function* countPosts(
  terms: WatchTerms,
  outages: readonly Outage[],
  { from, to, pollMs }: { from: Date; to: Date; pollMs: number },
) {
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
  function* remindUntil(until: number): Slices<void> {
    for (let at = replay.nextReminder(); at && at.getTime() < until; at = replay.nextReminder()) {
      replay.remind(at)
      if (at >= from) posts += 1
      yield
    }
  }
  for (const at of [...byTime.keys()].sort((left, right) => left - right)) {
    yield* remindUntil(at)
    const now = byTime.get(at) ?? []
    const begun = now.flatMap(({ outage, isEnd }) => (isEnd ? [] : [candidateOf(outage)]))
    const ended = now.flatMap(({ outage, isEnd }) => (isEnd ? [outage] : []))
    // Poll numbers of the past are not kept: the candidates say themselves that they are due.
    const changes = yield* replay.poll(terms.afterBadPolls, new Date(at), begun, ended)
    yield
    if (at < from.getTime()) continue
    posts += changes.filter(({ isNew }) => isNew).length
    told.push(...changes.flatMap(({ outageIds }) => outageIds.flatMap((id) => byId.get(id) ?? [])))
  }
  yield* remindUntil(to.getTime())
  /** Messages, for edits are none; and the outages of which one, or an edit of one, tells for the first time. */
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
