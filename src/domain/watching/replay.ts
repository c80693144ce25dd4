import { REOPEN_MS } from './card.ts'
import type { Candidate } from './due.ts'
import { quieted } from './flapping.ts'
import type { Outage } from './outage.ts'
import { REMIND_AGAIN_MS } from './reminder.ts'
import { readyWatch } from './subjects.ts'
import { type CardChange, type ToldCard, tell } from './tell.ts'
import type { Watch } from './watch.ts'

/** One channel with its cards in memory, told by the very rules that tell people. */
export interface Replay {
  /** What the channel's cards come to by a poll. */
  poll(poll: number, at: Date, candidates: readonly Candidate[], ended: readonly Outage[]): CardChange[]
  /** When the next reminder of what is down is due. */
  nextReminder(): Date | undefined
  /** One message reminds of all that is due by then; the next is due a day later. */
  remind(at: Date): void
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

  function take({ card, outageIds, lastNewAt }: CardChange, known: ReadonlyMap<string, Outage>): void {
    const before = cards.find((one) => one.card.id === card.id)
    const added = outageIds.flatMap((id) => known.get(id) ?? [])
    const outages = [...(before?.outages ?? []), ...added].map((one) => known.get(one.id) ?? one)
    const open = new Set(outages.flatMap(({ id, endedAt }) => (endedAt ? [] : [id])))
    for (const id of outageIds) told.add(id)
    cards = [
      ...cards.filter((one) => one.card.id !== card.id),
      { card, outages, open, openElse: 0, lastNewAt },
    ]
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
    nextReminder() {
      const due = cards.flatMap(({ card, open }) => (card.remindAt && open.size > 0 ? [card.remindAt] : []))
      return due.sort((left, right) => left.getTime() - right.getTime())[0]
    },
    remind(at) {
      const remindAt = new Date(at.getTime() + REMIND_AGAIN_MS)
      cards = cards.map((one) =>
        one.card.remindAt && one.card.remindAt <= at ? { ...one, card: { ...one.card, remindAt } } : one,
      )
    },
  }
}

interface ReplayedEvent {
  readonly at: number
  readonly outage: Outage
  readonly isEnd: boolean
}

/** One that recovered before it was confirmed late is told when it ends, which is when its last bad poll was known. */
export function eventsOf(outage: Outage, lateMs: number): ReplayedEvent[] {
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
