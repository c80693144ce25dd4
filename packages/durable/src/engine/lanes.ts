/** The slots of each lane. Lanes have separate slots, so that one kind of work never waits for another. */
export const SLOTS = {
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
