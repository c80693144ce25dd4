/** A group of calls, such as those of one workspace, that may use only part of the slots. */
export interface SlotShare {
  readonly name: string
  /** The maximum number of slots that it may use at the same time. Called each time a slot is assigned. */
  max(): number
}

export interface Shares {
  /**
   * Runs the work when it's its turn and all its shares have a free slot. If the signal aborts first, it throws WaitAborted, and the
   * work never runs.
   */
  run<T>(shares: readonly SlotShare[], signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** The caller stopped waiting for its turn. */
export class WaitAborted extends Error {
  override readonly name = 'WaitAborted'
}

/** The calls that count against a share. */
interface ShareUsage {
  running: number
  /** The number of running or waiting calls. */
  calls: number
  /** The sequence number of its last call that started. 0 if none has. */
  turn: number
  readonly queues: Set<Queue>
}

/** Waiting calls that count against the same shares. */
interface Queue {
  readonly name: string
  readonly usages: readonly (readonly [SlotShare, ShareUsage])[]
  readonly waiting: Set<() => void>
}

/**
 * Shares a fixed number of slots fairly among callers. The call whose first share has the least running work goes first. In a
 * tie, the next share decides. So a caller with many requests or slow responses delays only itself.
 */
export function createShares(slots: number): Shares {
  const usagesByName = new Map<string, ShareUsage>()
  const queues = new Map<string, Queue>()
  let running = 0
  let turns = 0

  /** Starts waiting calls while slots are free. The candidates are all queues whose calls may be able to start now. */
  function admit(candidates: () => Iterable<Queue>): void {
    while (running < slots) {
      const queue = findNext(candidates(), queues.size)
      const [waiter] = queue?.waiting ?? []
      if (!queue || !waiter) return
      dequeue(queues, queue, waiter)
      begin(queue.usages)
      waiter()
    }
  }

  function begin(usages: Queue['usages']): void {
    running += 1
    turns += 1
    for (const [, usage] of usages) {
      usage.running += 1
      usage.turn = turns
    }
  }

  function waitForTurn(usages: Queue['usages'], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new WaitAborted())
      const name = usages.map(([share]) => share.name).join('\n')
      const queue = queues.get(name) ?? { name, usages, waiting: new Set() }
      const giveUp = (): void => {
        dequeue(queues, queue, startCall)
        reject(new WaitAborted())
      }
      const startCall = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      queues.set(name, queue)
      for (const [, usage] of usages) usage.queues.add(queue)
      queue.waiting.add(startCall)
      admit(() => [queue])
    })
  }

  /**
   * If a slot was free before, all waiting calls were blocked by their own shares. Only those that use one of the finished call's
   * shares can start now, so the other queues aren't checked.
   */
  function end(usages: Queue['usages']): void {
    const isFull = running >= slots
    running -= 1
    for (const [, usage] of usages) usage.running -= 1
    if (queues.size > 0)
      admit(() => (isFull ? queues.values() : usages.flatMap(([, usage]) => [...usage.queues])))
  }

  return {
    async run(shares, signal, work) {
      const ownUsages = shares.map((share) => [share, getOrCreateUsage(usagesByName, share)] as const)
      for (const [, usage] of ownUsages) usage.calls += 1
      try {
        // Nobody is waiting, and a slot is free.
        if (queues.size === 0 && running < slots && !signal.aborted && hasFreeSlots({ usages: ownUsages }))
          begin(ownUsages)
        else await waitForTurn(ownUsages, signal)
        try {
          return await work()
        } finally {
          end(ownUsages)
        }
      } finally {
        for (const [{ name }, usage] of ownUsages) {
          usage.calls -= 1
          if (usage.calls === 0) usagesByName.delete(name)
        }
      }
    },
  }
}

function getOrCreateUsage(usagesByName: Map<string, ShareUsage>, { name }: SlotShare): ShareUsage {
  const usage = usagesByName.get(name) ?? { running: 0, calls: 0, turn: 0, queues: new Set() }
  usagesByName.set(name, usage)
  return usage
}

function dequeue(queues: Map<string, Queue>, queue: Queue, waiter: () => void): void {
  queue.waiting.delete(waiter)
  if (queue.waiting.size > 0) return
  queues.delete(queue.name)
  for (const [, usage] of queue.usages) usage.queues.delete(queue)
}

function findNext(queues: Iterable<Queue>, queueCount: number): Queue | undefined {
  let first: Queue | undefined
  for (const queue of queues) {
    if (queue.waiting.size === 0 || !hasFreeSlots(queue) || (first && !goesBefore(queue, first))) continue
    first = queue
    if (hasPriority(queue, queueCount)) break
  }
  return first
}

/** Whether no other queue can go before this one: its shares either never had a turn or are used by every queue. */
const hasPriority = ({ usages }: Queue, queueCount: number): boolean =>
  usages.every(([, { turn, queues }]) => turn === 0 || queues.size === queueCount)

const hasFreeSlots = ({ usages }: Pick<Queue, 'usages'>): boolean =>
  usages.every(([share, { running }]) => running < share.max())

/** Whether `left` goes before `right`: it has less running work or, in a tie, its last turn was longer ago. */
function goesBefore(left: Queue, right: Queue): boolean {
  for (const [depth, [, ownUsage]] of left.usages.entries()) {
    const otherUsage = right.usages[depth]?.[1]
    if (!otherUsage || otherUsage === ownUsage) continue
    if (ownUsage.running !== otherUsage.running) return ownUsage.running < otherUsage.running
    if (ownUsage.turn !== otherUsage.turn) return ownUsage.turn < otherUsage.turn
  }
  return false
}
