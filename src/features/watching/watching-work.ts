import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { createDeliveryWork, type DeliveryDeps } from './delivery/deliver-work.ts'
import { createPausedWork, type PausedDeps } from './delivery/paused-work.ts'
import { postDigestWhenDue } from './digests.ts'
import { createFirstProbeWork, type FirstProbeDeps } from './first-probe/first-probe-work.ts'
import { type CallDeps, createCallWork } from './on-call/call-work.ts'
import { createResponderCheckWork, type ResponderCheckDeps } from './on-call/responder-check-work.ts'
import { createStillOnItWork } from './on-call/still-on-it-work.ts'
import type { ScopeDeps } from './polling/poll-scope.ts'
import { pollWork } from './polling/poll-work.ts'
import { WATCH_WORK } from './rows/watch-work.ts'
import type { WatchStore } from './rows/watching.ts'

interface WatchingDeps
  extends Omit<DeliveryDeps & PausedDeps & ResponderCheckDeps & CallDeps, 'watching'>,
    Omit<ScopeDeps, 'polls'>,
    Pick<FirstProbeDeps, 'probeFromHere'> {
  readonly watching: WatchStore
}

/**
 * The durable work of watching. It has no attempt limit: nothing would start it again, so it has to survive any number of
 * crashes.
 */
export function createWatchingWork(dependencies: WatchingDeps): WorkKind[] {
  // Consent for shared channels is requested when a watch is created, so posts don’t check it again.
  const deps = { ...dependencies, posting: { ...dependencies.posting, mayPost: async () => 'yes' as const } }
  return [
    pollWork({ ...deps, polls: deps.watching.polls }),
    createDeliveryWork(deps),
    createCallWork(deps),
    createFirstProbeWork(deps),
    createPausedWork(deps),
    createResponderCheckWork(deps),
    createStillOnItWork(deps),
    ...createTimerWork(deps.watching, deps.wake),
  ].map((kind) => ({ ...kind, maxAttempts: Number.MAX_SAFE_INTEGER }))
}

/** Work that runs on timers: escalation, reminders, daily summaries, and silences. */
function createTimerWork(watching: WatchStore, wake: () => void): WorkKind[] {
  /** `run` returns the milliseconds until it is due again; undefined if it is done. */
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
