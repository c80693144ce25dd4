import type { Outage } from '../../../../src/domain/outages/outage.ts'
import { type CardChange, REOPEN_MS, type ToldCard } from '../../../../src/features/watching/rules/card.ts'
import type { Candidate } from '../../../../src/features/watching/rules/due.ts'
import { FLAPPING_QUIET_MS, quieted } from '../../../../src/features/watching/rules/flapping.ts'
import { reconcile } from '../../../../src/features/watching/rules/reconcile.ts'
import type { Slices } from '../../../../src/features/watching/rules/slices.ts'
import { isWithin, STORM_MS } from '../../../../src/features/watching/rules/storm.ts'
import { readyWatch } from '../../../../src/features/watching/rules/subjects.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'

/** One channel with its cards in memory. */
export function createReplay(watch: Watch) {
  const asked = { place: watch, watches: [readyWatch(watch)], mutes: [] }
  const told = new Set<string>()
  const cards = new Map<string, ToldCard>()
  let ids = 0
  const newId = (): string => {
    ids += 1
    return `card-${ids}`
  }

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
  }
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
