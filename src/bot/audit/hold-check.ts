import { type CheckLocks, type HeldLock, Locked } from '@signalman/durable'
import { Notice, UserError } from '@signalman/runtime'
import { ApiError } from '../../service/errors.ts'
import type { Api } from '../../service/service.ts'
import type { CommandContext } from '../routes/command-context.ts'

/** What writing to a health check needs. */
export interface WriteDeps {
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
    { waitMs, holder, signal }: { waitMs: number; holder?: string; signal?: AbortSignal },
  ): HoldCheck =>
  (key, work) =>
    locks.hold(key, { maxInFlightMs, waitMs, holder, signal, mayStillRun: isUnanswered }, work)

const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError && error.mayHaveHappened && !error.isAnswered

const WAIT_MS = 10_000
const BUSY = 'Another change to this health check is still running. Try again in a minute.'
const OTHER_ACCOUNT =
  'Signalman is connected with another token than when this window was opened. Nothing was sent. Open the window again.'

/** Opens the service for a window that was opened under an account. Throws a Notice if another one is connected now. */
export async function openForWindow(
  deps: WriteDeps,
  context: Pick<CommandContext, 'api' | 'reference'>,
  account: string,
): Promise<{ api: Api; hold: HoldCheck }> {
  const api = await context.api()
  if (api.account !== account) throw new Notice(OTHER_ACCOUNT)
  // A window's step isn't recorded yet while it reads, so a process that died with the lock has sent nothing for this request.
  const hold = holdChecks(deps, { waitMs: WAIT_MS, holder: context.reference })
  return {
    api,
    hold: (key, work) =>
      hold(key, work).catch((error: unknown) => {
        throw error instanceof Locked ? new UserError(BUSY) : error
      }),
  }
}
