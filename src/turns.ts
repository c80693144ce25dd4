import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Many statements fit into it, and nobody whose request has come meanwhile notices the wait. */
const TURN_MS = 5

let startedAt: number | undefined

/** Does what can be done a step at a time, and lets the event loop go on between the steps. */
export async function inTurns<T>(steps: Generator<void, T, void>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await yieldWhenDue()
  }
}

/**
 * Lets the event loop go on once this turn of it has taken long enough; else costs next to nothing. To be awaited between
 * the steps of anything that has many of them: promises alone, such as those of `node:sqlite`, never let a request in.
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
