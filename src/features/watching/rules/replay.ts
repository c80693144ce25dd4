import { type SubjectKey, subjectKey } from '../../../domain/outages/observe.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { REOPEN_MS } from './card.ts'
import { type Candidate, REMIND_AGAIN_MS } from './due.ts'
import { FLAPPING_QUIET_MS, isWithin, quieted, STORM_MS } from './noise.ts'
import { type CardChange, reconcile, type ToldCard } from './reconcile.ts'
import type { Slices } from './slices.ts'
import { readyWatch } from './subjects.ts'

import type { Mute, Watch, WatchTerms } from './watch.ts'

/** One channel with its cards in memory, told by the very rules that tell people. */
interface Replay {
  /** What the channel's cards come to by a poll. */
  poll(
    poll: number,
    at: Date,
    candidates: readonly Candidate[],
    ended: readonly Outage[],
  ): Slices<CardChange[]>
  /** When the next reminder of what is down is due. */
  nextReminder(): Date | undefined
  /** One message reminds of all that is due by then; the next is due a day later. */
  remind(at: Date): void
}

export function createReplay(watch: Watch, mutes: readonly Mute[] = []): Replay {
  const watches = [readyWatch(watch)]
  const place = { channelId: watch.channelId, environment: watch.environment }
  const told = new Set<string>()
  const cards = new Map<string, ToldCard>()
  /** Ids of the cards that tell of a subject and may tell of it again. */
  const bySubject = new Map<SubjectKey, Set<string>>()
  /** Ids of those that may be, or become, the card of a storm. */
  let lately: string[] = []
  const reminders = new Map<string, number>()
  let ids = 0
  const newId = (): string => {
    ids += 1
    return `card-${ids}`
  }

  function take({ card, outageIds, lastNewAt }: CardChange, known: ReadonlyMap<string, Outage>): void {
    const before = cards.get(card.id)
    if (!before) lately.push(card.id)
    const added = outageIds.flatMap((id) => known.get(id) ?? [])
    const outages = [...(before?.outages ?? []), ...added].map((one) => known.get(one.id) ?? one)
    const open = new Set(outages.flatMap(({ id, endedAt }) => (endedAt ? [] : [id])))
    for (const { id, check, status } of added) {
      told.add(id)
      const key = subjectKey(check.uuid, status)
      bySubject.set(key, (bySubject.get(key) ?? new Set()).add(card.id))
    }
    cards.set(card.id, { card, outages, open, openElse: 0, lastNewAt })
    if (card.remindAt && open.size > 0) reminders.set(card.id, card.remindAt.getTime())
    else reminders.delete(card.id)
  }

  /** Of the cards, those that what has changed may concern; the end of flapping is seen then. */
  function concerned(at: Date, changed: readonly Outage[]): ToldCard[] {
    lately = lately.filter((id) => isWithin(cards.get(id)?.card.openedAt ?? at, at, STORM_MS))
    const found = new Set(lately)
    for (const { check, status } of changed) {
      const own = bySubject.get(subjectKey(check.uuid, status))
      for (const id of own ?? []) {
        const { card, open } = cards.get(id) ?? {}
        if (card?.closedAt && !isWithin(card.closedAt, at, REOPEN_MS) && open?.size === 0) own?.delete(id)
        else found.add(id)
      }
    }
    return [...found].flatMap((id) => {
      const one = cards.get(id)
      if (!one) return []
      const quiet = new Date(one.card.changedAt.getTime() + FLAPPING_QUIET_MS)
      const card = quiet <= at ? quieted(one.card, one.open.size > 0, quiet) : undefined
      if (!card) return [one]
      const after = { ...one, card }
      cards.set(id, after)
      return [after]
    })
  }

  return {
    *poll(poll, at, candidates, ended) {
      const changed = [...candidates.map(({ outage }) => outage), ...ended]
      const view = { place, watches, mutes, cards: concerned(at, changed), told }
      const changes = yield* reconcile(view, { poll, at, candidates, ended }, newId)
      const known = new Map(changed.map((one) => [one.id, one]))
      for (const change of changes) take(change, known)
      return changes
    },
    nextReminder() {
      let next = Number.POSITIVE_INFINITY
      for (const at of reminders.values()) if (at < next) next = at
      return next === Number.POSITIVE_INFINITY ? undefined : new Date(next)
    },
    remind(at) {
      for (const [id, due] of reminders)
        if (due <= at.getTime()) reminders.set(id, at.getTime() + REMIND_AGAIN_MS)
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

/** What a channel would have been told in a stretch of time. */
interface WouldBeTold {
  /** Messages; edits are none, reminders are. */
  readonly posts: number
  /** The outages that a message, or an edit of one, tells of for the first time. */
  readonly outages: readonly Outage[]
}

/**
 * What a watch with these terms would have told of these outages, oldest first, from one time to another. Outages of a while
 * before belong to them: what is told may be an edit of an earlier message. `pollMs` lies between two polls.
 */
export function* countPosts(
  terms: WatchTerms,
  outages: readonly Outage[],
  { from, to, pollMs }: { from: Date; to: Date; pollMs: number },
): Slices<WouldBeTold> {
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
