import { pause } from '../../domain/pause.ts'
import { WATCH_WORK } from '../../store/store.ts'
import type { PolledScope } from '../../store/watching/poll-rows.ts'
import type { WorkKind } from '../../work/engine.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import { createGlances } from './glance.ts'
import { createGoing } from './going-polls.ts'
import { pollScope, type ScopeParts } from './poll-scope.ts'
import { createQuietEnds } from './quiet-ends.ts'

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
  const { polls, log, intervalMs } = given
  const quietEnds = createQuietEnds((ends) => polls.finishQuietly(ends))
  const parts = { ...given, glance: createGlances(), quietEnds }
  const roundMs = Math.min(ROUND_MS, intervalMs)

  /** False when the result could not be written, so that the scope is still due. */
  async function pollOne(scope: PolledScope, at: Date, held: HeldWork): Promise<boolean> {
    const by = { workId: held.work.id, owner: held.owner }
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
      for (const until = performance.now() + HELD_MS; ; ) {
        const isAllWritten = await pollDue(held, group)
        if (held.signal.aborted) throw new LeaseLost()
        const nextMs = await polls.nextDueMs(group)
        if (nextMs === undefined) return DONE
        // Keeping the work for another round costs less than giving it back and claiming it again.
        const isSoon = isAllWritten && nextMs < roundMs && performance.now() < until
        if (!isSoon) return { state: 'waiting', dueInMs: Math.max(roundMs, nextMs), isAnew: true }
        await pause(roundMs, held.signal)
      }
    },
  }
}
