import { type HeldWork, LeaseLost, type WorkKind } from '@signalman/durable'
import { pause } from '@signalman/runtime'
import { type PolledScope, scopeName } from '../rows/poll-rows.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import { createGlances } from './glance.ts'
import { LONGEST_RETRY_MS, pollScope, type ScopeParts } from './poll-scope.ts'
import { createUnchangedPolls } from './unchanged-polls.ts'

/** The shortest time between two looks for scopes that are due; a large group is claimed rarely. */
const ROUND_MS = 2000
/**
 * After so long another process may have the group, as soon as nothing of it is under way: to wait for those that hang would keep
 * the others of the group from being polled in time.
 */
const HELD_MS = 30_000
/** Without scopes the group's work ends; the next watch that is added starts it again. */
const DONE = { state: 'done' } as const

/**
 * Polls the workspaces of one group, side by side, as each comes due. A slow service holds up only its own workspace, and
 * however many of them do not answer, those that do are polled on beside them.
 */
export function pollWork(given: ScopeParts): WorkKind {
  const { polls, log, intervalMs, underWay = new Set() } = given
  const unchangedPolls = createUnchangedPolls((ends) => polls.finishQuietly(ends))
  const parts = { ...given, glance: createGlances(), unchangedPolls }
  const roundMs = Math.min(ROUND_MS, intervalMs)

  /** False when the result could not be written, so that the scope is still due. */
  async function pollOne(scope: PolledScope, at: Date, held: HeldWork): Promise<boolean> {
    const by = { workId: held.work.id, owner: held.owner }
    underWay.add(scopeName(scope))
    try {
      await pollScope(parts, scope, at, by, held.signal)
      return true
    } catch (error) {
      if (error instanceof LeaseLost) return false
      log.error(
        { workspace: scope.workspaceId, err: error },
        'A poll could not be written down; it is repeated.',
      )
      return false
    } finally {
      underWay.delete(scopeName(scope))
    }
  }

  /** Polls until nothing is due. True when every result was written. */
  async function pollDue(held: HeldWork, group: number): Promise<boolean> {
    const going = createGoing(ROUND_MS)
    while (!held.signal.aborted) {
      const { at, scopes, isMore } = await polls.due(group, going.places(), going.notNow())
      for (const scope of scopes) going.begin(scope, pollOne(scope, at, held))
      if (going.size() === 0) break
      // A poll that ends makes room for the next, so slow polls do not hold up what is due.
      await Promise.race([isMore ? going.anyOver() : going.allOver(), pause(ROUND_MS, held.signal)])
      if (!isMore && going.size() === 0) break
    }
    await going.allOver()
    return going.isAllWritten()
  }

  return {
    kind: WATCH_WORK.poll,
    lane: 'poll',
    async run(held) {
      const group = Number(held.work.key)
      const mostMs = Math.max(intervalMs, LONGEST_RETRY_MS)
      for (const until = performance.now() + HELD_MS; ; ) {
        await polls.bringForward(group, mostMs)
        const isAllWritten = await pollDue(held, group)
        if (held.signal.aborted) throw new LeaseLost()
        const nextMs = await polls.nextDueMs(group)
        if (nextMs === undefined) return DONE
        // The clock was set back while something was polled.
        if (nextMs > mostMs) continue
        // Keeping the work for another round costs less than giving it back and claiming it again.
        const isSoon = isAllWritten && nextMs < roundMs && performance.now() < until
        if (!isSoon) return { state: 'waiting', dueInMs: Math.max(roundMs, nextMs), isAnew: true }
        await pause(roundMs, held.signal)
      }
    },
  }
}

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
function createGoing(roundMs: number) {
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
