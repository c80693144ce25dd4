import { setTimeout } from 'node:timers/promises'
import { fullJitterMs } from '@signalman/runtime'

/**
 * Does what may be done again until it is done: a database that is away comes back. Throws what the last attempt threw
 * once `forMs` have passed, or at once what `isFinal` names.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  { forMs, isFinal = () => false }: { forMs: number; isFinal?: (error: unknown) => boolean },
): Promise<T> {
  const until = performance.now() + forMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (isFinal(error) || performance.now() >= until) throw error
    }
    await setTimeout(fullJitterMs(attempt, { baseMs: 100, mostMs: 1000 }), undefined, { ref: false })
  }
}
