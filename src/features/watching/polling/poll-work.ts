import { AsyncLocalStorage } from 'node:async_hooks'
import { repeatAfter, type WorkKind } from '@signalman/durable'
import { MAX_UNSAVED_MS, POLL_GROUPS, WATCH_WORK } from '../rows/watch-work.ts'
import { STOPWATCH } from './leased-scopes.ts'
import type { ScopeDeps } from './poll-scope.ts'
import { createPoller, type Group } from './poller.ts'

/** Time between two rounds. Each round starts the polls that are due. */
const ROUND_MS = 2000
/** As long as two searches for work, so that any process may find a released group first. */
const HANDED_OVER_WITHIN_MS = 2000

/**
 * Concurrently polls the workspaces of the groups that this process has leased. A poll that changes nothing is saved later,
 * together with others. A slow service delays only its own workspace.
 */
export function createPollWork(deps: ScopeDeps): WorkKind {
  const { intervalMs, leased = new Map(), stopwatch = STOPWATCH, log } = deps
  const roundMs = Math.min(ROUND_MS, intervalMs)
  const groups = new Map<string, Group>()
  const poller = createPoller({ ...deps, stopwatch, roundMs }, groups)

  return {
    kind: WATCH_WORK.poll,
    lane: 'poll',
    hasCapacity: poller.hasCapacity,
    async run(leasedWork) {
      const { id, key } = leasedWork.work
      const group: Group = {
        leasedWork,
        scopes: new Map(),
        running: new Set(),
        abortController: new AbortController(),
        released: Promise.withResolvers(),
        // Differs by group, so that groups aren't all saved at the same time.
        saveEveryMs: (MAX_UNSAVED_MS * (1 + Number(key) / POLL_GROUPS)) / 2,
        savedMs: stopwatch.now(),
        leasedMs: stopwatch.now(),
        inContext: AsyncLocalStorage.snapshot(),
      }
      groups.set(id, group)
      leased.set(id, group.scopes)
      leasedWork.signal.addEventListener('abort', () => group.released.resolve(), { once: true })
      if (leasedWork.signal.aborted) group.released.resolve()
      poller.startRound()
      await group.released.promise
      groups.delete(id)
      group.abortController.abort()
      await Promise.all(group.running)
      await poller
        .saveUnchanged([...group.scopes.values()])
        // If this fails, the next owner polls a little too early.
        .catch((err: unknown) => log.warn({ err }, 'Couldn’t save when polls are due.'))
      leased.delete(id)
      // Nothing is left to poll: no workspace in the group has watches.
      if (group.scopes.size === 0 && group.version !== undefined) return { state: 'done' }
      // Whoever looks next gets the group. Each scope's row says when its next poll is due.
      return repeatAfter(Math.random() * HANDED_OVER_WITHIN_MS)
    },
  }
}
