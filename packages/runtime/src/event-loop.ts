import { setImmediate } from 'node:timers'

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

/** Who waits for a turn, longest first. */
const waiting: (() => void)[] = []

/** Immediates run in order, so this ends the turn before the next one's other work runs. The next turn is for whoever waits longest. */
function startTurn(): void {
  turnStartedAt = performance.now()
  setImmediate(() => {
    turnStartedAt = undefined
    const next = waiting.shift()
    if (next === undefined) return
    startTurn()
    next()
  })
}

/**
 * Yields to the event loop if the current turn has taken long enough. Otherwise, it costs almost nothing. Await it between the
 * slices of long work, because promises that are already resolved, such as those of `node:sqlite`, never yield to a request. Several
 * long pieces of work take turns.
 */
export async function yieldWhenDue(): Promise<void> {
  if (turnStartedAt === undefined) startTurn()
  else if (performance.now() - turnStartedAt >= MAX_TURN_MS)
    await new Promise<void>((resolve) => waiting.push(resolve))
}
