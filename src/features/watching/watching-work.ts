import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { createDeliveryWork, type DeliveryDeps } from './delivery/deliver-work.ts'
import { createPausedWork, type PausedDeps } from './delivery/paused-work.ts'
import { postDigestWhenDue } from './digests.ts'
import { createFirstProbeWork, type FirstProbeDeps } from './first-probe/first-probe-work.ts'
import { type CallDeps, createCallWork } from './on-call/call-work.ts'
import { createResponderCheckWork, type ResponderCheckDeps } from './on-call/responder-check-work.ts'
import { createStillOnItWork } from './on-call/still-on-it-work.ts'
import type { ScopeDeps } from './polling/poll-scope.ts'
import { createPollWork } from './polling/poll-work.ts'
import { WATCH_WORK } from './rows/watch-work.ts'
import type { WatchStore } from './rows/watching.ts'

interface WatchingDeps
  extends Omit<DeliveryDeps & PausedDeps & ResponderCheckDeps & CallDeps, 'watching'>,
    Omit<ScopeDeps, 'polls'>,
    Pick<FirstProbeDeps, 'probeLocally'> {
  readonly watching: WatchStore
}

/**
 * The background work of watching. It has no attempt limit, because nothing else would schedule it again after it gave up.
 */
export function createWatchingWork(dependencies: WatchingDeps): WorkKind[] {
  // Saving a watch in a shared channel asks for consent, and sharing a channel later pauses its watches, so posts don’t check it.
  const deps = { ...dependencies, posting: { ...dependencies.posting, mayPost: async () => 'yes' as const } }
  return [
    createPollWork({ ...deps, polls: deps.watching.polls }),
    createDeliveryWork(deps),
    createCallWork(deps),
    createFirstProbeWork(deps),
    createPausedWork(deps),
    createResponderCheckWork(deps),
    createStillOnItWork(deps),
    ...createTimerWork(deps.watching, deps.wake),
  ].map((kind) => ({ ...kind, maxAttempts: Number.MAX_SAFE_INTEGER }))
}

/** Work that runs on a timer: escalation, reminders, daily summaries, and silences. */
function createTimerWork(watching: WatchStore, wake: () => void): WorkKind[] {
  /** `run` returns the milliseconds until its next run. Undefined: no further run. */
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
    createTimedWork(WATCH_WORK.updateChannel, watching.cards.update),
    createTimedWork(WATCH_WORK.silence, watching.silences.advance),
    createTimedWork(WATCH_WORK.digest, (workspaceId, key) => postDigestWhenDue(watching, workspaceId, key)),
  ]
}
