import { setTimeout } from 'node:timers/promises'
import { fullJitterMs } from '@signalman/runtime'

/**
 * Retries idempotent work until it succeeds, for example while the database is down. Throws the last error after `timeoutMs`, or
 * immediately if `isFinal` returns true.
 */
export async function retryUntilAvailable<T>(
  work: () => Promise<T>,
  { timeoutMs, isFinal = () => false }: { timeoutMs: number; isFinal?: (error: unknown) => boolean },
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (isFinal(error) || performance.now() >= deadline) throw error
    }
    await setTimeout(fullJitterMs(attempt, { baseMs: 100, maxMs: 1000 }), undefined, { ref: false })
  }
}
