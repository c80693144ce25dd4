import { REOPEN_MS } from './card.ts'
import type { Candidate } from './due.ts'
import { quieted } from './flapping.ts'
import type { Outage } from './outage.ts'
import { readyWatch } from './subjects.ts'
import { type CardChange, type ToldCard, tell } from './tell.ts'
import type { Watch, WatchTerms } from './watch.ts'

/** One channel with its cards in memory, told by the very rules that tell people. */
export interface Replay {
  /** What the channel's cards come to by a poll. */
  poll(poll: number, at: Date, candidates: readonly Candidate[], ended: readonly Outage[]): CardChange[]
}

export function createReplay(watch: Watch): Replay {
  const watches = [readyWatch(watch)]
  const place = { channelId: watch.channelId, environment: watch.environment }
  const told = new Set<string>()
  let cards: ToldCard[] = []
  let ids = 0
  const newId = (): string => {
    ids += 1
    return `card-${ids}`
  }

  function take({ card, outageIds }: CardChange, known: ReadonlyMap<string, Outage>): void {
    const before = cards.find((one) => one.card.id === card.id)
    const added = outageIds.flatMap((id) => known.get(id) ?? [])
    const outages = [...(before?.outages ?? []), ...added].map((one) => known.get(one.id) ?? one)
    const open = new Set(outages.flatMap(({ id, endedAt }) => (endedAt ? [] : [id])))
    for (const id of outageIds) told.add(id)
    cards = [...cards.filter((one) => one.card.id !== card.id), { card, outages, open }]
  }

  return {
    poll(poll, at, candidates, ended) {
      cards = cards
        .map((one) => ({ ...one, card: quieted(one.card, one.open.size > 0, at) ?? one.card }))
        .filter(({ card }) => !card.closedAt || at.getTime() - card.closedAt.getTime() <= REOPEN_MS)
      const view = { place, watches, mutes: [], cards, told }
      const changes = tell(view, { poll, at, candidates, ended }, newId)
      const known = new Map([...candidates.map(({ outage }) => outage), ...ended].map((one) => [one.id, one]))
      for (const change of changes) take(change, known)
      return changes
    },
  }
}

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

const candidateOf = (outage: Outage): Candidate => ({
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
