/** Something that work counts against, such as a workspace, with the maximum number of slots that it may use at once. */
export interface SlotShare {
  readonly name: string
  /** Evaluated each time a slot is assigned. */
  most(): number
}

export interface Shares {
  /**
   * Runs the work when it's its turn and all its shares have room. If the signal aborts first, it throws GaveUp and never runs.
   */
  run<T>(shares: readonly SlotShare[], signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** The caller stopped waiting for its turn. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp'
}

interface Count {
  running: number
  /** The number of running or waiting calls. */
  present: number
  /** When it last had a turn, counted in turns. */
  turn: number
  readonly queues: Set<Queue>
}

/** Calls that wait and count against the same shares. */
interface Queue {
  readonly name: string
  readonly counts: readonly (readonly [SlotShare, Count])[]
  readonly waiting: Set<() => void>
}

/**
 * Assigns `slots` to callers in turns. Callers with the least running work in their first share come first, then those with the
 * least in their next one, so that a caller with many requests or slow answers delays only itself.
 */
export function createShares(slots: number): Shares {
  const counts = new Map<string, Count>()
  const queues = new Map<string, Queue>()
  let running = 0
  let turns = 0

  /** The groups that may have room by now. */
  function admit(some: () => Iterable<Queue>): void {
    while (running < slots) {
      const queue = findNext(some(), queues.size)
      const [next] = queue?.waiting ?? []
      if (!queue || !next) return
      leave(queues, queue, next)
      begin(queue.counts)
      next()
    }
  }

  function begin(own: Queue['counts']): void {
    running += 1
    turns += 1
    for (const [, count] of own) {
      count.running += 1
      count.turn = turns
    }
  }

  function lastTurn(own: Queue['counts'], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new GaveUp())
      const name = own.map(([share]) => share.name).join('\n')
      const queue = queues.get(name) ?? { name, counts: own, waiting: new Set() }
      const giveUp = (): void => {
        leave(queues, queue, next)
        reject(new GaveUp())
      }
      const next = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      queues.set(name, queue)
      for (const [, count] of own) count.queues.add(queue)
      queue.waiting.add(next)
      admit(() => [queue])
    })
  }

  /**
   * While slots are free, every waiting caller has used up its own. So of a thousand callers, only those affected by a finished
   * call are checked.
   */
  function end(own: Queue['counts']): void {
    const isFull = running >= slots
    running -= 1
    for (const [, count] of own) count.running -= 1
    if (queues.size > 0)
      admit(() => (isFull ? queues.values() : own.flatMap(([, count]) => [...count.queues])))
  }

  return {
    async run(shares, signal, work) {
      const own = shares.map((share) => [share, findCount(counts, share)] as const)
      for (const [, count] of own) count.present += 1
      try {
        // Nobody is waiting, and there is room.
        if (queues.size === 0 && running < slots && !signal.aborted && hasRoom({ counts: own })) begin(own)
        else await lastTurn(own, signal)
        try {
          return await work()
        } finally {
          end(own)
        }
      } finally {
        for (const [{ name }, count] of own) {
          count.present -= 1
          if (count.present === 0) counts.delete(name)
        }
      }
    },
  }
}

function findCount(counts: Map<string, Count>, { name }: SlotShare): Count {
  const count = counts.get(name) ?? { running: 0, present: 0, turn: 0, queues: new Set() }
  counts.set(name, count)
  return count
}

function leave(queues: Map<string, Queue>, queue: Queue, next: () => void): void {
  queue.waiting.delete(next)
  if (queue.waiting.size > 0) return
  queues.delete(queue.name)
  for (const [, count] of queue.counts) count.queues.delete(queue)
}

function findNext(queues: Iterable<Queue>, all: number): Queue | undefined {
  let first: Queue | undefined
  for (const queue of queues) {
    if (queue.waiting.size === 0 || !hasRoom(queue) || (first && !comesFirst(queue, first))) continue
    first = queue
    if (hasPriority(queue, all)) break
  }
  return first
}

/** It had no turn in any share of its own, so nobody comes before it, and the other thousand needn't be checked. */
const hasPriority = ({ counts }: Queue, all: number): boolean =>
  counts.every(([, { turn, queues }]) => turn === 0 || queues.size === all)

const hasRoom = ({ counts }: Pick<Queue, 'counts'>): boolean =>
  counts.every(([share, { running }]) => running < share.most())

/** The one with less running work. In a tie, the one that has waited longest since its last turn. */
function comesFirst(one: Queue, other: Queue): boolean {
  for (const [depth, [, own]] of one.counts.entries()) {
    const its = other.counts[depth]?.[1]
    if (!its || its === own) continue
    if (own.running !== its.running) return own.running < its.running
    if (own.turn !== its.turn) return own.turn < its.turn
  }
  return false
}
