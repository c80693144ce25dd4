import type { Share } from '../work/claim-work.ts'

/** The slots of each lane. Lanes have separate slots, so that one kind of work never waits for another. */
const SLOTS = {
  /** Work that ends quickly. */
  quick: 32,
  /** Acts. Some wait until they can look a step up. */
  act: 64,
  /** Jobs with up to 10,000 rows. */
  long: 8,
  /** Groups of polled workspaces. Each costs little, and WorkKind.hasCapacity limits how many a process runs. */
  poll: 256,
  /** Lookups in another system, which may be slow. A workspace may have many. */
  lookup: 32,
  /** Messages waiting to be sent. */
  send: 64,
  /** Maintenance for all workspaces. */
  maintenance: 2,
} as const
export type Lane = keyof typeof SLOTS
// `Object.keys` returns `string[]`, but these are exactly the keys of `SLOTS`.
export const LANES = Object.keys(SLOTS) as Lane[]
/** The slots reserved for workspaces with nothing running. Even if this many workspaces hang in a lane, the next one gets a slot. */
export const reservedSlots = (lane: Lane): number => SLOTS[lane] / 2

/** The running work in each lane of this process, and the workspace it belongs to. */
export function createLanes() {
  const runningByLane = new Map(LANES.map((lane) => [lane, new Map<Promise<void>, string>()]))
  const unslotted = new Set<Promise<void>>()
  const runningIn = (lane: Lane): Map<Promise<void>, string> => runningByLane.get(lane) ?? new Map()
  const free = (lane: Lane): number => Math.max(0, SLOTS[lane] - runningIn(lane).size)

  /**
   * Reserves half of the slots for workspaces with nothing running, one slot each. Of the other half, a workspace may use at most
   * as many as it leaves free. Work for all workspaces may use any free slot.
   */
  function share(lane: Lane): Share {
    const running = new Map<string, number>()
    for (const id of runningIn(lane).values()) running.set(id, (running.get(id) ?? 0) + 1)
    return {
      running,
      hasCapacity: (workspaceId, runningCount, freeSlots) =>
        freeSlots > 0 &&
        (workspaceId === '' || runningCount === 0 || runningCount < freeSlots - reservedSlots(lane)),
    }
  }

  return {
    free,
    share,
    /** Whether a workspace may run another piece of work in this lane. */
    hasSlot(lane: Lane, workspaceId: string): boolean {
      const { running, hasCapacity } = share(lane)
      return hasCapacity(workspaceId, running.get(workspaceId) ?? 0, free(lane))
    },
    add: (lane: Lane, workspaceId: string, done: Promise<void>) =>
      void runningIn(lane).set(done, workspaceId),
    /** Work that someone is waiting for starts without taking a slot. */
    addUnslotted: (done: Promise<void>) => void unslotted.add(done),
    remove(lane: Lane, done: Promise<void>): void {
      runningIn(lane).delete(done)
      unslotted.delete(done)
    },
    /** Resolves when nothing is running any more. */
    idle: (): Promise<unknown> =>
      Promise.allSettled([...unslotted, ...LANES.flatMap((lane) => [...runningIn(lane).keys()])]),
  }
}
