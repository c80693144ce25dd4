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
/** How many slots of a lane a workspace may use, so that one that hangs leaves slots for the others. */
export const slotsPerWorkspace = (lane: Lane): number => Math.max(1, Math.floor(SLOTS[lane] / 8))

/** The running work in each lane of this process, and the workspace it belongs to. */
export function createLanes() {
  const running = new Map(LANES.map((lane) => [lane, new Map<Promise<void>, string>()]))
  const unslotted = new Set<Promise<void>>()
  const runningIn = (lane: Lane): Map<Promise<void>, string> => running.get(lane) ?? new Map()
  const free = (lane: Lane): number => Math.max(0, SLOTS[lane] - runningIn(lane).size)

  /** The workspaces that use all of their slots. Work for all workspaces may use any free slot. */
  function full(lane: Lane): string[] {
    const counts = new Map<string, number>()
    for (const id of runningIn(lane).values()) counts.set(id, (counts.get(id) ?? 0) + 1)
    return [...counts].flatMap(([id, count]) => (id !== '' && count >= slotsPerWorkspace(lane) ? [id] : []))
  }

  return {
    free,
    full,
    /** Whether a workspace may run another piece of work in this lane. */
    hasSlot: (lane: Lane, workspaceId: string): boolean =>
      free(lane) > 0 && !full(lane).includes(workspaceId),
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
