/** Whose slots a call uses, such as a workspace's. */
interface SlotShare {
  readonly name: string
  /** The maximum number of slots that it may use at the same time. Called each time a slot is assigned. */
  max(): number
}

interface Shares {
  /** Runs the work when it's its turn. If the signal aborts first, it throws WaitAborted, and the work never runs. */
  run<T>(share: SlotShare, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** The caller stopped waiting for its turn. */
export class WaitAborted extends Error {
  override readonly name = 'WaitAborted'
}

/** A caller with running or waiting calls. */
interface Caller {
  readonly max: () => number
  running: number
  /** The sequence number of its last call that started. 0 if none has. */
  turn: number
  /** Starts a waiting call, longest waiting first. */
  readonly waiting: Set<() => void>
}

/**
 * Shares a fixed number of slots fairly among callers. The caller with the least running work goes first; in a tie, the one whose last
 * turn was longer ago. So a caller with many requests or slow responses delays only itself.
 */
export function createShares(slots: number): Shares {
  const callers = new Map<string, Caller>()
  /** The callers with waiting calls. */
  const queue = new Set<Caller>()
  let running = 0
  let turns = 0

  function begin(caller: Caller): void {
    running += 1
    turns += 1
    caller.running += 1
    caller.turn = turns
  }

  function end(caller: Caller): void {
    // If a slot was free before, all waiting calls were blocked by their own callers' shares, so only this caller's can start now.
    const candidates = running < slots ? [caller] : queue
    running -= 1
    caller.running -= 1
    if (queue.size > 0) admit(candidates)
  }

  function admit(candidates: Iterable<Caller>): void {
    while (running < slots) {
      const caller = findNext(candidates)
      const [startCall] = caller?.waiting ?? []
      if (!caller || !startCall) return
      leave(caller, startCall)
      begin(caller)
      startCall()
    }
  }

  function waitForTurn(caller: Caller, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        leave(caller, startCall)
        reject(new WaitAborted())
      }
      const startCall = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      caller.waiting.add(startCall)
      queue.add(caller)
    })
  }

  function leave(caller: Caller, startCall: () => void): void {
    caller.waiting.delete(startCall)
    if (caller.waiting.size === 0) queue.delete(caller)
  }

  return {
    async run({ name, max }, signal, work) {
      if (signal.aborted) throw new WaitAborted()
      const caller = callers.get(name) ?? { max, running: 0, turn: 0, waiting: new Set() }
      callers.set(name, caller)
      try {
        if (running < slots && caller.waiting.size === 0 && caller.running < max()) begin(caller)
        else await waitForTurn(caller, signal)
        try {
          return await work()
        } finally {
          end(caller)
        }
      } finally {
        if (caller.running + caller.waiting.size === 0) callers.delete(name)
      }
    },
  }
}

/** The candidate whose waiting call goes next. */
function findNext(candidates: Iterable<Caller>): Caller | undefined {
  let next: Caller | undefined
  for (const caller of candidates) {
    if (caller.waiting.size === 0 || caller.running >= caller.max()) continue
    // No other caller can go before one that never had a turn.
    if (caller.turn === 0) return caller
    if (!next || goesBefore(caller, next)) next = caller
  }
  return next
}

/** Whether `left` goes before `right`: it has less running work or, in a tie, its last turn was longer ago. */
const goesBefore = (left: Caller, right: Caller): boolean =>
  left.running === right.running ? left.turn < right.turn : left.running < right.running
