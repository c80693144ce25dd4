import type { CheckLocks, HeldLock } from '@signalman/durable'
import { ApiError } from '../../../service/errors.ts'
import type { Api } from '../../../service/service.ts'

/** What writing to a health check needs. */
interface WriteDeps {
  readonly locks: CheckLocks
  /** After this time, no process can still be in the middle of a write. */
  readonly maxInFlightMs: number
}

/**
 * Reads a check, compares it, and writes to it while nobody else does: no other process, and no other workspace with the same account.
 * Throws Locked if somebody else does for too long.
 */
export type HoldCheck = <T>(key: string, work: (held: HeldLock) => Promise<T>) => Promise<T>

/** The key of a check's lock, even if a person typed the UUID in capitals. */
export const checkKey = ({ address }: Pick<Api, 'address'>, uuid: string): string =>
  `check ${address} ${uuid.toLowerCase()}`

/**
 * The key of the lock for checks that aren't created yet. The name isn't folded: two names that only look the same are two checks of the
 * service, and one of them mustn't be taken for the other.
 */
export const newCheckKey = ({ address }: Pick<Api, 'address'>, name: string, customerId: unknown): string =>
  `check ${address} ${customerId} ${name.toLowerCase()}`

export const holdChecks =
  (
    { locks, maxInFlightMs }: WriteDeps,
    { waitMs, holder, signal }: { waitMs: number; holder?: string | undefined; signal?: AbortSignal },
  ): HoldCheck =>
  (key, work) =>
    locks.hold(key, { maxInFlightMs, waitMs, holder, signal, mayStillRun: isUnanswered }, work)

const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError && error.mayHaveHappened && !error.isAnswered
