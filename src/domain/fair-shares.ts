export interface Shares {
  /** Runs the work when it is its caller's turn. When the signal aborts first, it throws GaveUp and never runs. */
  run<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** Whoever asked did not wait for their turn. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp'
}

interface Caller {
  running: number
  readonly waiting: Set<() => void>
}

/**
 * Shares `slots` between callers: each has `most()` of them at once, and callers that wait are let in by turns, so that whoever
 * asks much, or is answered slowly, delays nobody but themselves.
 */
export function createShares({ slots, most }: { slots: number; most: () => number }): Shares {
  const callers = new Map<string, Caller>()
  let running = 0

  /** Whoever waits and has the least under way; of several, the one whose last turn is the longest ago. */
  function nextCaller(): [string, Caller] | undefined {
    let found: [string, Caller] | undefined
    const limit = most()
    for (const [name, caller] of callers)
      if (caller.waiting.size > 0 && caller.running < (found?.[1].running ?? limit)) found = [name, caller]
    return found
  }

  function letIn(): void {
    while (running < slots) {
      const [name, caller] = nextCaller() ?? []
      const [next] = caller?.waiting ?? []
      if (name === undefined || caller === undefined || next === undefined) return
      caller.waiting.delete(next)
      callers.delete(name)
      callers.set(name, caller)
      caller.running += 1
      running += 1
      next()
    }
  }

  function leave(name: string, caller: Caller): void {
    caller.running -= 1
    running -= 1
    if (caller.running === 0 && caller.waiting.size === 0) callers.delete(name)
    letIn()
  }

  function turnOf(caller: Caller, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        caller.waiting.delete(next)
        reject(new GaveUp())
      }
      const next = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      caller.waiting.add(next)
      letIn()
    })
  }

  return {
    async run(name, signal, work) {
      const caller = callers.get(name) ?? { running: 0, waiting: new Set() }
      callers.set(name, caller)
      try {
        await turnOf(caller, signal)
      } catch (error) {
        if (caller.running === 0 && caller.waiting.size === 0) callers.delete(name)
        throw error
      }
      try {
        return await work()
      } finally {
        leave(name, caller)
      }
    },
  }
}
