import type { Lane } from './engine.ts'

/** One workspace alone has at most half of them. */
const HANDS: Readonly<Record<Lane, number>> = { quick: 16, act: 64, long: 4, poll: 32, look: 16, tell: 32 }
export const LANES = ['quick', 'act', 'long', 'poll', 'look', 'tell'] as const satisfies readonly Lane[]

/** What runs in each lane of this process, and whose it is. */
export interface Lanes {
  free(lane: Lane): number
  /** How much of each workspace runs there. */
  running(lane: Lane): ReadonlyMap<string, number>
  /**
   * Whether a workspace may have one more there. It has at most as many as stay free: whatever hangs of one workspace or of
   * several, the next one finds room.
   */
  hasRoom(lane: Lane, workspaceId: string): boolean
  add(lane: Lane, workspaceId: string, done: Promise<void>): void
  remove(lane: Lane, done: Promise<void>): void
  /** Resolves when nothing runs any more. */
  idle(): Promise<unknown>
}

export function createLanes(): Lanes {
  const busy = new Map(LANES.map((lane) => [lane, new Map<Promise<void>, string>()]))
  const there = (lane: Lane): Map<Promise<void>, string> => busy.get(lane) ?? new Map()
  const free = (lane: Lane): number => Math.max(0, HANDS[lane] - there(lane).size)

  function running(lane: Lane): Map<string, number> {
    const counts = new Map<string, number>()
    for (const id of there(lane).values()) counts.set(id, (counts.get(id) ?? 0) + 1)
    return counts
  }

  return {
    free,
    running,
    hasRoom: (lane, workspaceId) => (running(lane).get(workspaceId) ?? 0) < free(lane),
    add: (lane, workspaceId, done) => void there(lane).set(done, workspaceId),
    remove: (lane, done) => void there(lane).delete(done),
    idle: () => Promise.allSettled(LANES.flatMap((lane) => [...there(lane).keys()])),
  }
}
