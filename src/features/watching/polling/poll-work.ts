import { AsyncLocalStorage } from 'node:async_hooks'
import { repeatAfter, type WorkKind } from '@signalman/durable'
import { HELD_MS, POLL_GROUPS, WATCH_WORK } from '../rows/watch-work.ts'
import { STOPWATCH } from './held-scopes.ts'
import type { ScopeParts } from './poll-scope.ts'
import { createPoller, type Group } from './poller.ts'

/** Between two looks for scopes that are due. */
const ROUND_MS = 2000

/**
 * Polls the workspaces of the groups that this process holds, side by side, as each comes due. A poll that changes nothing writes
 * nothing: when its scope is due next, this process alone knows, and writes it now and then, and when it gives back the group. A slow
 * service holds up only its own workspace.
 */
export function pollWork(given: ScopeParts): WorkKind {
  const { intervalMs, held = new Map(), stopwatch = STOPWATCH, log } = given
  const roundMs = Math.min(ROUND_MS, intervalMs)
  const groups = new Map<string, Group>()
  const poller = createPoller({ ...given, stopwatch, roundMs }, groups)

  return {
    kind: WATCH_WORK.poll,
    lane: 'poll',
    isShared: true,
    hasRoom: () => poller.hasRoom(),
    async run(work) {
      const { id, key } = work.work
      const group: Group = {
        work,
        scopes: new Map(),
        going: new Set(),
        stop: new AbortController(),
        over: Promise.withResolvers(),
        // Each at a time of its own, so that not all are written at once.
        keepEveryMs: (HELD_MS * (1 + Number(key) / POLL_GROUPS)) / 2,
        keptMs: stopwatch.now(),
        within: AsyncLocalStorage.snapshot(),
      }
      groups.set(id, group)
      held.set(id, group.scopes)
      work.signal.addEventListener('abort', () => group.over.resolve(), { once: true })
      if (work.signal.aborted) group.over.resolve()
      poller.look()
      await group.over.promise
      groups.delete(id)
      group.stop.abort()
      await Promise.all(group.going)
      await poller
        .keep([...group.scopes.values()])
        // Whoever has it next polls it sooner than it would have to.
        .catch((err: unknown) => log.warn({ err }, 'When polls are due could not be written.'))
      held.delete(id)
      // Nothing is watched there any more, if it was listed at all.
      if (group.scopes.size === 0 && group.mark !== undefined) return { state: 'done' }
      // Each scope is due when its row says so: whoever has the group before that loses no time.
      return repeatAfter(0)
    },
  }
}
