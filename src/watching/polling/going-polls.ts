import { type PolledScope, scopeName } from '../../store/watching/poll-rows.ts'
import type { ScopeParts } from './poll-scope.ts'

type Places = Parameters<ScopeParts['polls']['due']>[1]

/** How many scopes of a group are polled at a time: of those that answered last time, and of those that failed. */
const AT_A_TIME = { answered: 16, failing: 16 } as const
/** A poll longer than a round does not count against these, up to this many in a group. */
const MOST_SLOW = 32
interface GoingPoll {
  readonly sinceMs: number
  readonly isFailing: boolean
  readonly over: Promise<void>
}

/** The polls of one group that are running, and those that could not be written a moment ago. */
export function createGoing(roundMs: number) {
  const going = new Map<string, GoingPoll>()
  /** Until when each failed scope waits, so that it is not tried over and over. */
  const failedUntil = new Map<string, number>()
  let isAllWritten = true
  const overs = (): Promise<void>[] => [...going.values()].map(({ over }) => over)
  return {
    begin(scope: PolledScope, poll: Promise<boolean>): void {
      const name = scopeName(scope)
      const over = poll.then((isWritten) => {
        going.delete(name)
        if (isWritten) return
        isAllWritten = false
        failedUntil.set(name, performance.now() + roundMs)
      })
      going.set(name, { sinceMs: performance.now(), isFailing: scope.isFailing, over })
    },
    /** How many more polls may begin. */
    places(): Places {
      const now = performance.now()
      const answered = [...going.values()].filter(({ isFailing }) => !isFailing)
      const slow = answered.filter(({ sinceMs }) => now - sinceMs >= roundMs).length
      return {
        answered: AT_A_TIME.answered - (answered.length - Math.min(MOST_SLOW, slow)),
        failing: AT_A_TIME.failing - (going.size - answered.length),
      }
    },
    notNow(): ReadonlySet<string> {
      const now = performance.now()
      for (const [name, until] of failedUntil) if (until <= now) failedUntil.delete(name)
      return new Set([...going.keys(), ...failedUntil.keys()])
    },
    size: () => going.size,
    isAllWritten: () => isAllWritten,
    anyOver: () => Promise.race(overs()),
    allOver: () => Promise.all(overs()),
  }
}
