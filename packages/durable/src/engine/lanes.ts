import type { Share } from '../work/claim-work.ts'

/** How much may run in each lane, which has slots of its own so that one kind of work never waits for another. */
const SLOTS = {
  /** What takes a moment. */
  quick: 32,
  /** They may have to wait until they can look a step up. */
  act: 64,
  /** A file of 10,000 rows. */
  long: 8,
  /** Whoever polls holds many groups, each of which costs nothing (WorkKind.hasRoom says how many are enough). */
  poll: 256,
  /** Looks at the other side, which may be slow, and of which a workspace may have many. */
  look: 32,
  /** Messages that wait for their turn. */
  tell: 64,
  /** What is done for all workspaces. */
  maintenance: 2,
} as const
export type Lane = keyof typeof SLOTS
// Its keys are those that the type names.
export const LANES = Object.keys(SLOTS) as Lane[]
/** So many workspaces may hang there, each with any number of pieces, and the next one still finds room: 4 in `long`. */
export const keptSlots = (lane: Lane): number => SLOTS[lane] / 2

/** What runs in each lane of this process, and whose it is. */
export function createLanes() {
  const busy = new Map(LANES.map((lane) => [lane, new Map<Promise<void>, string>()]))
  const beside = new Set<Promise<void>>()
  const there = (lane: Lane): Map<Promise<void>, string> => busy.get(lane) ?? new Map()
  const free = (lane: Lane): number => Math.max(0, SLOTS[lane] - there(lane).size)

  /**
   * One half of the slots is kept for workspaces that have nothing there, one slot for each. Of the other half a workspace has
   * at most as many as stay free of it. What is done for all workspaces has what is free.
   */
  function share(lane: Lane): Share {
    const running = new Map<string, number>()
    for (const id of there(lane).values()) running.set(id, (running.get(id) ?? 0) + 1)
    return {
      running,
      hasCapacity: (workspaceId, has, left) =>
        left > 0 && (workspaceId === '' || has === 0 || has < left - keptSlots(lane)),
    }
  }

  return {
    free,
    share,
    /** Whether a workspace may have one more there. */
    hasRoom(lane: Lane, workspaceId: string): boolean {
      const { running, hasCapacity } = share(lane)
      return hasCapacity(workspaceId, running.get(workspaceId) ?? 0, free(lane))
    },
    add: (lane: Lane, workspaceId: string, done: Promise<void>) => void there(lane).set(done, workspaceId),
    /** What somebody is waiting for was begun without asking for room, and takes none. */
    addBeside: (done: Promise<void>) => void beside.add(done),
    remove(lane: Lane, done: Promise<void>): void {
      there(lane).delete(done)
      beside.delete(done)
    },
    /** Resolves when nothing runs any more. */
    idle: (): Promise<unknown> =>
      Promise.allSettled([...beside, ...LANES.flatMap((lane) => [...there(lane).keys()])]),
  }
}
