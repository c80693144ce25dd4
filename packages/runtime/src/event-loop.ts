import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long enough for many database statements, and too short for a waiting request to notice. */
const MAX_TURN_MS = 5

/** When the first call of `yieldWhenDue` in this turn of the event loop was. Undefined before it. */
let turnStartedAt: number | undefined

/** Maps items in order and yields to the event loop in between. */
export async function mapInSlices<In, Out>(
  items: Iterable<In>,
  transform: (item: In) => Out | Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = []
  for (const item of items) {
    await yieldWhenDue()
    results.push(await transform(item))
  }
  return results
}

/**
 * Yields to the event loop if the current turn has taken long enough. Otherwise, it costs almost nothing. Await it between the
 * slices of long work, because promises that are already resolved, such as those of `node:sqlite`, never yield to a request.
 */
export async function yieldWhenDue(): Promise<void> {
  while (turnStartedAt !== undefined && performance.now() - turnStartedAt >= MAX_TURN_MS) await nextTurn()
  if (turnStartedAt !== undefined) return
  turnStartedAt = performance.now()
  // Immediates run in order, so this resets the time before the next turn's other work runs.
  setImmediate(() => {
    turnStartedAt = undefined
  })
}
