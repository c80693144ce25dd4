import type { Share } from '../work/leases.ts'
import type { Lane } from './engine.ts'

const SLOTS: Readonly<Record<Lane, number>> = {
  quick: 32,
  act: 64,
  long: 8,
  // Whoever polls holds many groups, each of which costs nothing (WorkKind.hasRoom says how many are enough).
  poll: 256,
  look: 32,
  tell: 64,
  house: 2,
}
export const LANES = [
  'quick',
  'act',
  'long',
  'poll',
  'look',
  'tell',
  'house',
] as const satisfies readonly Lane[]
/** So many workspaces may hang there, each with any number of pieces, and the next one still finds room: 4 in `long`. */
export const keptSlots = (lane: Lane): number => SLOTS[lane] / 2

/** What runs in each lane of this process, and whose it is. */
export interface Lanes {
  free(lane: Lane): number
  /**
   * One half of the slots is kept for workspaces that have nothing there, one slot for each. Of the other half a workspace has
   * at most as many as stay free of it. What is done for all workspaces has what is free.
   */
  share(lane: Lane): Share
  /** Whether a workspace may have one more there. */
  hasRoom(lane: Lane, workspaceId: string): boolean
  add(lane: Lane, workspaceId: string, done: Promise<void>): void
  /** What somebody is waiting for was begun without asking for room, and takes none. */
  addBeside(done: Promise<void>): void
  remove(lane: Lane, done: Promise<void>): void
  /** Resolves when nothing runs any more. */
  idle(): Promise<unknown>
}

export function createLanes(): Lanes {
  const busy = new Map(LANES.map((lane) => [lane, new Map<Promise<void>, string>()]))
  const beside = new Set<Promise<void>>()
  const there = (lane: Lane): Map<Promise<void>, string> => busy.get(lane) ?? new Map()
  const free = (lane: Lane): number => Math.max(0, SLOTS[lane] - there(lane).size)

  function share(lane: Lane): Share {
    const running = new Map<string, number>()
    for (const id of there(lane).values()) running.set(id, (running.get(id) ?? 0) + 1)
    return {
      running,
      mayHaveMore: (workspaceId, has, left) =>
        left > 0 && (workspaceId === '' || has === 0 || has < left - keptSlots(lane)),
    }
  }

  return {
    free,
    share,
    hasRoom(lane, workspaceId) {
      const { running, mayHaveMore } = share(lane)
      return mayHaveMore(workspaceId, running.get(workspaceId) ?? 0, free(lane))
    },
    add: (lane, workspaceId, done) => void there(lane).set(done, workspaceId),
    addBeside: (done) => void beside.add(done),
    remove(lane, done) {
      there(lane).delete(done)
      beside.delete(done)
    },
    idle: () => Promise.allSettled([...beside, ...LANES.flatMap((lane) => [...there(lane).keys()])]),
  }
}
