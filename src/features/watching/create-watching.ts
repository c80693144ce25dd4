import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { type DeliveryParts, deliverWork } from './delivery/deliver-work.ts'
import { type PausedParts, pausedWork } from './delivery/paused-work.ts'
import { sumUp } from './digests.ts'
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
    Pick<LookParts, 'lookFromHere'> {
  readonly watching: WatchStore
}

/**
 * The durable work of watching: polls, cards, reminders, mutes' ends, digests. None of it is ever given up: nobody would ask
 * for it again, and however many processes have died with it, the next one may live.
 */
export function createWatching(given: WatchingParts): WorkKind[] {
  // Whoever watches in a channel has been asked whether others may read it there.
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
  ].map((kind) => ({ ...kind, mostAttempts: Number.MAX_SAFE_INTEGER }))
}

/** Work that is due by itself: escalation and reminders of a channel, its daily summary, and the ends of mutes and maintenance. */
function dueWork(watching: WatchStore, wake: () => void): WorkKind[] {
  /** `run` says in how many ms it is due again, if at all. */
  const step = (
    kind: string,
    run: (workspaceId: string, key: string) => Promise<number | undefined>,
  ): WorkKind => ({
    kind,
    lane: 'tell',
    async run({ work }) {
      const nextMs = await run(work.workspaceId, work.key ?? '')
      wake()
      return nextMs === undefined ? DONE : repeatAfter(nextMs)
    },
  })
  return [
    step(WATCH_WORK.due, watching.cards.step),
    step(WATCH_WORK.silence, watching.silences.step),
    step(WATCH_WORK.digest, (workspaceId, key) => sumUp(watching, workspaceId, key)),
  ]
}
