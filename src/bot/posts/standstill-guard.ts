import { type HeldWork, LeaseLost } from '@signalman/durable'

/** Less than the time by which `lateMs` of a lost post exceeds the 10 s that a call to Slack takes at most. */
const STANDSTILL_MS = 4000

/**
 * To be called directly before a request to Slack. Throws LeaseLost in a process that has lost the work, or for which more than 4 s
 * went by since this guard was made: another may have looked for the message meanwhile, and not found it.
 */
export function standstillGuard(
  { signal }: Pick<HeldWork, 'signal'>,
  standstillMs = STANDSTILL_MS,
): () => void {
  const begunAt = performance.now()
  return () => {
    signal.throwIfAborted()
    if (performance.now() - begunAt > standstillMs) throw new LeaseLost()
  }
}
