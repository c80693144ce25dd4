import { setTimeout } from 'node:timers/promises'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

/**
 * Does what may be done again until it is done: a database that is away comes back. Throws what the last attempt threw
 * once `forMs` have passed, or at once what `isFinal` names.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  { forMs, isFinal = () => false }: { forMs: number; isFinal?: (error: unknown) => boolean },
): Promise<T> {
  const until = performance.now() + forMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (isFinal(error) || performance.now() >= until) throw error
    }
    await setTimeout(pauseMs, undefined, { ref: false })
  }
}
