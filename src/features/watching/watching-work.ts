import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { type DeliveryParts, deliverWork } from './delivery/deliver-work.ts'
import { type PausedParts, pausedWork } from './delivery/paused-work.ts'
import { postDigestWhenDue } from './digests.ts'
import { type LookParts, lookWork } from './first-look/look-work.ts'
import { type CallParts, callWork } from './on-call/call-work.ts'
import { type PeopleParts, peopleWork } from './on-call/people-work.ts'
import { stillOnItWork } from './on-call/still-on-it-work.ts'
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
export function createWatchingWork(given: WatchingParts): WorkKind[] {
  // Consent for shared channels is requested when a watch is created, so posts don’t check it again.
  const parts = { ...given, keeping: { ...given.keeping, mayPost: async () => 'yes' as const } }
  return [
    pollWork({ ...parts, polls: parts.watching.polls }),
    deliverWork(parts),
    callWork(parts),
    lookWork(parts),
    pausedWork(parts),
    peopleWork(parts),
    stillOnItWork(parts),
    ...dueWork(parts.watching, parts.wake),
  ].map((kind) => ({ ...kind, maxAttempts: Number.MAX_SAFE_INTEGER }))
}

/** Work that runs on timers: escalation, reminders, daily summaries, and silences. */
function dueWork(watching: WatchStore, wake: () => void): WorkKind[] {
  /** `run` returns the milliseconds until it is due again; undefined if it is done. */
  const timedWork = (
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
    timedWork(WATCH_WORK.due, watching.cards.update),
    timedWork(WATCH_WORK.silence, watching.silences.step),
    timedWork(WATCH_WORK.digest, (workspaceId, key) => postDigestWhenDue(watching, workspaceId, key)),
  ]
}
