import { WATCH_WORK } from '../../store/store.ts'
import type { WorkKind } from '../../work/engine.ts'
import { type HeldWork, LeaseLost } from '../../work/held-work.ts'
import { pollScope, type ScopeParts } from './poll-scope.ts'

/** Scopes of one group that are polled at a time. */
const AT_A_TIME = 16
/** The least time between two looks for what is due: a large group is claimed rarely, and at most this late. */
const ROUND_MS = 2000
/** When no scope of a group is left, it is looked at again by the next watch that is added. */
const DONE = { state: 'done' } as const

/**
 * Polls the workspaces of one group, side by side, as each comes due. A slow service holds up only its own workspace: the
 * others of the group are polled on beside it.
 */
export function pollWork(parts: ScopeParts): WorkKind {
  const { polls, log } = parts

  /** False when it is due as before. */
  async function pollOne(scope: Parameters<typeof pollScope>[1], held: HeldWork): Promise<boolean> {
    const by = { workId: held.work.id, owner: held.owner }
    try {
      await pollScope(parts, scope, by, held.signal)
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

  async function pollDue(held: HeldWork, group: number): Promise<void> {
    const busy = new Map<string, Promise<void>>()
    /**
     * They wait for a round, so that nothing is tried over and over; not for the next run, which a busy group never comes to.
     */
    const failedUntil = new Map<string, number>()
    const mayBegin = (name: string): boolean =>
      !busy.has(name) && (failedUntil.get(name) ?? 0) <= performance.now()
    const nameOf = (scope: { workspaceId: string; environment: string }): string =>
      `${scope.workspaceId} ${scope.environment}`
    while (!held.signal.aborted) {
      const due = await polls.due(group, AT_A_TIME * 2)
      for (const scope of due.filter((one) => mayBegin(nameOf(one)))) {
        if (busy.size >= AT_A_TIME) break
        const name = nameOf(scope)
        busy.set(
          name,
          pollOne(scope, held).then((isDone) => {
            busy.delete(name)
            if (isDone) failedUntil.delete(name)
            else failedUntil.set(name, performance.now() + ROUND_MS)
          }),
        )
      }
      if (busy.size === 0) break
      // Whatever ends first makes room; what becomes due meanwhile is not kept waiting by the slowest.
      await Promise.race([...busy.values(), pause(ROUND_MS, held.signal)])
    }
    await Promise.all(busy.values())
  }

  return {
    kind: WATCH_WORK.poll,
    lane: 'poll',
    async run(held) {
      const group = Number(held.work.key)
      await pollDue(held, group)
      if (held.signal.aborted) throw new LeaseLost()
      const nextMs = await polls.nextDueMs(group)
      if (nextMs === undefined) return DONE
      const roundMs = Math.min(ROUND_MS, parts.intervalMs)
      return { state: 'waiting', dueInMs: Math.max(roundMs, nextMs), isAnew: true }
    },
  }
}

/** Ends early with the signal. Never rejects, and keeps no process alive. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(over, ms)
    timer.unref()
    signal.addEventListener('abort', over, { once: true })
    function over(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
  })
