import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Many statements fit into it, and nobody whose request has come meanwhile notices the wait. */
const TURN_MS = 5

let startedAt: number | undefined

/** Does work that comes in slices, and lets the event loop go on between them. */
export async function inTurns<T>(slices: Generator<void, T, void>): Promise<T> {
  for (;;) {
    const slice = slices.next()
    if (slice.done) return slice.value
    await yieldWhenDue()
  }
}

/** What becomes of each item, in their order; the event loop goes on between them. */
export async function eachInTurns<In, Out>(
  items: Iterable<In>,
  change: (item: In) => Out | Promise<Out>,
): Promise<Out[]> {
  const changed: Out[] = []
  for (const item of items) {
    await yieldWhenDue()
    changed.push(await change(item))
  }
  return changed
}

/**
 * Lets the event loop go on once this turn of it has taken long enough; else costs next to nothing. To be awaited between
 * the slices of anything that has many of them: promises alone, such as those of `node:sqlite`, never let a request in.
 */
export async function yieldWhenDue(): Promise<void> {
  while (startedAt !== undefined && performance.now() - startedAt >= TURN_MS) await nextTurn()
  if (startedAt !== undefined) return
  startedAt = performance.now()
  // Runs in the next turn, before whatever is put off until then.
  setImmediate(() => {
    startedAt = undefined
  })
}
