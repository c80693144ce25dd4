import type { WatchStore } from '../store/store.ts'
import type { WorkKind } from '../work/engine.ts'
import { type DeliveryParts, deliverWork } from './delivery/deliver-work.ts'
import { type PausedParts, pausedWork } from './delivery/paused-work.ts'
import { digestWork } from './digests/digest-work.ts'
import { dueWork } from './due-work.ts'
import type { ScopeParts } from './polling/poll-scope.ts'
import { pollWork } from './polling/poll-work.ts'

export interface WatchingParts
  extends Omit<DeliveryParts & PausedParts, 'watching'>,
    Omit<ScopeParts, 'polls'> {
  readonly watching: WatchStore
}

/**
 * The durable work of watching: polls, cards, reminders, mutes' ends, digests. None of it is ever given up: nobody would ask
 * for it again, and however many processes have died with it, the next one may live.
 */
export const createWatching = (parts: WatchingParts): WorkKind[] =>
  [
    pollWork({ ...parts, polls: parts.watching.polls }),
    deliverWork(parts),
    pausedWork(parts),
    ...dueWork(parts.watching, parts.wake),
    digestWork(parts.watching),
  ].map((kind) => ({ ...kind, mostAttempts: Number.MAX_SAFE_INTEGER }))
