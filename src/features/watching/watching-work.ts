import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import type { Reachability } from '../../bot/access/reachable.ts'
import { createDeliveryWork, type DeliveryDeps } from './delivery/deliver-work.ts'
import { createPausedWork, type PausedDeps } from './delivery/paused-work.ts'
import { createPageWork, type PageDeps } from './on-call/page-work.ts'
import type { ScopeDeps } from './polling/poll-scope.ts'
import { createPollWork } from './polling/poll-work.ts'
import { WATCH_WORK } from './rows/watch-work.ts'
import type { WatchStore } from './rows/watching.ts'

interface WatchingDeps
  extends Pick<DeliveryDeps, 'posting' | 'renderer' | 'log'>,
    Pick<PausedDeps, 'steps'>,
    Pick<PageDeps, 'getSlack'>,
    Pick<ScopeDeps, 'getApi' | 'intervalMs' | 'leased' | 'stopwatch' | 'wake'> {
  readonly watching: WatchStore
  readonly reachability: Reachability
}

/**
 * Creates the background work of watching. It is retried without limit, because nothing would schedule it again after the last
 * attempt.
 */
export function createWatchingWork(deps: WatchingDeps): WorkKind[] {
  const { watching, reachability, renderer, steps, getSlack, getApi, wake, log } = deps
  const { intervalMs, leased, stopwatch } = deps
  // Posts don't check for consent: saving a watch in a shared channel asks for it, and sharing a channel later pauses its watches.
  const posting = { ...deps.posting, reachability, mayPost: async () => 'yes' as const }
  return [
    createPollWork({ polls: watching.polls, getApi, intervalMs, leased, stopwatch, wake, log }),
    createDeliveryWork({ watching, posting, renderer, log }),
    createPageWork({ watching, reachability, getSlack, wake }),
    createPausedWork({ watching, posting, renderer, steps }),
    ...createTimerWork(watching, wake),
  ].map((kind) => ({ ...kind, maxAttempts: Number.MAX_SAFE_INTEGER }))
}

/** Work that runs on a timer: escalation, reminders, and silences. */
function createTimerWork(watching: WatchStore, wake: () => void): WorkKind[] {
  /** `run` returns the milliseconds until its next run, or undefined if the work is done. */
  const createTimedWork = (
    kind: string,
    run: (workspaceId: string, key: string) => Promise<number | undefined>,
  ): WorkKind => ({
    kind,
    lane: 'send',
    async run({ work }) {
      const nextMs = await run(work.workspaceId, work.key ?? '')
      wake()
      return nextMs === undefined ? DONE : repeatAfter(nextMs)
    },
  })
  return [
    createTimedWork(WATCH_WORK.update, watching.cards.update),
    createTimedWork(WATCH_WORK.silence, watching.silences.advance),
  ]
}
