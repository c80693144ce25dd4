import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import type { Reachability } from '../../bot/access/reachable.ts'
import { createDeliveryWork, type DeliveryDeps } from './delivery/deliver-work.ts'
import { createPausedWork, type PausedDeps } from './delivery/paused-work.ts'
import { postDigestWhenDue } from './digests.ts'
import { createPageWork, type PageDeps } from './on-call/page-work.ts'
import { createResponderCheckWork, type ResponderCheckDeps } from './on-call/responder-check-work.ts'
import { createStillOnItWork, type StillOnItDeps } from './on-call/still-on-it-work.ts'
import type { ScopeDeps } from './polling/poll-scope.ts'
import { createPollWork } from './polling/poll-work.ts'
import { WATCH_WORK } from './rows/watch-work.ts'
import type { WatchStore } from './rows/watching.ts'

interface WatchingDeps
  extends Omit<
      DeliveryDeps & PausedDeps & ResponderCheckDeps & StillOnItDeps & PageDeps,
      'watching' | 'posting'
    >,
    Omit<ScopeDeps, 'polls'> {
  readonly watching: WatchStore
  readonly posting: DeliveryDeps['posting']
  readonly reachability: Reachability
}

/**
 * Creates the background work of watching. It is retried without limit, because nothing would schedule it again after the last
 * attempt.
 */
export function createWatchingWork(dependencies: WatchingDeps): WorkKind[] {
  // Posts don't check for consent: saving a watch in a shared channel asks for it, and sharing a channel later pauses its watches.
  const { posting, reachability } = dependencies
  const deps = {
    ...dependencies,
    posting: { ...posting, reachability, mayPost: async () => 'yes' as const },
  }
  return [
    createPollWork({ ...deps, polls: deps.watching.polls }),
    createDeliveryWork(deps),
    createPageWork(deps),
    createPausedWork(deps),
    createResponderCheckWork(deps),
    createStillOnItWork(deps),
    ...createTimerWork(deps.watching, deps.wake),
  ].map((kind) => ({ ...kind, maxAttempts: Number.MAX_SAFE_INTEGER }))
}

/** Work that runs on a timer: escalation, reminders, daily summaries, and silences. */
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
    createTimedWork(WATCH_WORK.digest, (workspaceId, key) => postDigestWhenDue(watching, workspaceId, key)),
  ]
}
