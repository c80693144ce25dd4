import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { createDeliveryWork, type DeliveryParts } from './delivery/deliver-work.ts'
import { createPausedWork, type PausedParts } from './delivery/paused-work.ts'
import { postDigestWhenDue } from './digests.ts'
import { createLookWork, type LookParts } from './first-look/look-work.ts'
import { type CallParts, createCallWork } from './on-call/call-work.ts'
import { createPeopleWork, type PeopleParts } from './on-call/people-work.ts'
import { createStillOnItWork } from './on-call/still-on-it-work.ts'
import type { ScopeParts } from './polling/poll-scope.ts'
import { pollWork } from './polling/poll-work.ts'
import { WATCH_WORK } from './rows/watch-work.ts'
import type { WatchStore } from './rows/watching.ts'

interface WatchingParts
  extends Omit<DeliveryParts & PausedParts & PeopleParts & CallParts, 'watching'>,
    Omit<ScopeParts, 'polls'>,
    Pick<LookParts, 'probeFromHere'> {
  readonly watching: WatchStore
}

/**
 * The durable work of watching. It has no attempt limit: nothing would start it again, so it has to survive any number of
 * crashes.
 */
export function createWatchingWork(dependencies: WatchingParts): WorkKind[] {
  // Consent for shared channels is requested when a watch is created, so posts don’t check it again.
  const parts = { ...dependencies, keeping: { ...dependencies.keeping, mayPost: async () => 'yes' as const } }
  return [
    pollWork({ ...parts, polls: parts.watching.polls }),
    createDeliveryWork(parts),
    createCallWork(parts),
    createLookWork(parts),
    createPausedWork(parts),
    createPeopleWork(parts),
    createStillOnItWork(parts),
    ...createTimerWork(parts.watching, parts.wake),
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
    createTimedWork(WATCH_WORK.due, watching.cards.update),
    createTimedWork(WATCH_WORK.silence, watching.silences.step),
    createTimedWork(WATCH_WORK.digest, (workspaceId, key) => postDigestWhenDue(watching, workspaceId, key)),
  ]
}
