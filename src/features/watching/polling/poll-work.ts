import { AsyncLocalStorage } from 'node:async_hooks'
import type { WorkKind } from '@signalman/durable'
import { HELD_MS, POLL_GROUPS, WATCH_WORK } from '../rows/watch-work.ts'
import { STOPWATCH } from './held-scopes.ts'
import type { ScopeParts } from './poll-scope.ts'
import { createPoller, type Group } from './poller.ts'

/** Between two looks for scopes that are due. */
const ROUND_MS = 2000

/**
 * Polls the workspaces of the groups that this process holds, side by side, as each comes due. A poll that changes nothing writes
 * nothing: when its scope is due next, this process alone knows, and writes it when it gives back the group. A slow service holds up
 * only its own workspace.
 */
export function pollWork(given: ScopeParts): WorkKind {
  const { intervalMs, held = new Map(), stopwatch = STOPWATCH } = given
  const roundMs = Math.min(ROUND_MS, intervalMs)
  const groups = new Map<string, Group>()
  const poller = createPoller({ ...given, stopwatch, roundMs }, groups)

  return {
    kind: WATCH_WORK.poll,
    lane: 'poll',
    hasRoom: () => poller.hasRoom(),
    async run(work) {
      const { id, key } = work.work
      const group: Group = {
        work,
        ...{ scopes: new Map(), going: new Set(), stop: new AbortController() },
        over: Promise.withResolvers(),
        // Then another process may have it. Each at a time of its own, so that not all are written at once.
        untilMs: stopwatch.now() + (HELD_MS * (1 + Number(key) / POLL_GROUPS)) / 2,
        within: AsyncLocalStorage.snapshot(),
      }
      groups.set(id, group)
      held.set(id, group.scopes)
      work.signal.addEventListener('abort', () => group.over.resolve(), { once: true })
      if (work.signal.aborted) group.over.resolve()
      poller.look()
      try {
        await group.over.promise
      } finally {
        groups.delete(id)
        group.stop.abort()
        await Promise.all(group.going)
        await poller.keep([...group.scopes.values()]).finally(() => held.delete(id))
      }
      const dueMs = [...group.scopes.values()].map((one) => one.dueMs)
      // Nothing is watched there any more, if it was listed at all.
      if (dueMs.length === 0 && group.mark !== undefined) return { state: 'done' }
      const nextMs = dueMs.length === 0 ? 0 : Math.min(...dueMs) - stopwatch.now()
      return { state: 'waiting', dueInMs: Math.max(work.signal.aborted ? 0 : roundMs, nextMs), isAnew: true }
    },
  }
}
