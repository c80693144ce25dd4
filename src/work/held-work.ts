import type { Work } from '../store/store.ts'

/** Why a piece of work ended before its time, without anything being wrong: it goes on elsewhere, or later. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor() {
    super('The work goes on elsewhere.')
  }
}

/** A piece of work while this process has it. */
export interface HeldWork {
  readonly work: Work
  /** This process, for the store. */
  readonly owner: string
  /** Aborted (with LeaseLost) when it must be let go of: nothing may be begun after. */
  readonly signal: AbortSignal
  /** Whether somebody has asked for it to stop. */
  wantsStop(): boolean
}

/** What this process holds, each with the switch that ends it. */
export interface Holdings {
  hold(work: Work): HeldWork
  /** Unless it was let go of and taken again meanwhile. */
  drop(held: HeldWork): void
  find(id: string): HeldWork | undefined
  readonly size: number
  has(id: string): boolean
  /** What the store said of them at the last sign of life; what it did not name is lost. */
  renewed(held: ReadonlyMap<string, boolean>, asOf: ReadonlySet<string>): void
  ids(): ReadonlySet<string>
  letGoOfAll(): void
}

export function createHoldings(owner: string): Holdings {
  const held = new Map<string, { given: HeldWork; stop: AbortController; wantsStop: boolean }>()
  return {
    hold(work) {
      const stop = new AbortController()
      const given = { work, owner, signal: stop.signal, wantsStop: () => entry.wantsStop }
      const entry = { given, stop, wantsStop: false }
      held.set(work.id, entry)
      return given
    },
    drop(given) {
      if (held.get(given.work.id)?.given === given) held.delete(given.work.id)
    },
    find: (id) => held.get(id)?.given,
    get size() {
      return held.size
    },
    has: (id) => held.has(id),
    ids: () => new Set(held.keys()),
    renewed(known, asOf) {
      for (const [id, entry] of held) {
        // Begun after the question was asked: the answer says nothing of it.
        if (!asOf.has(id)) continue
        const wantsStop = known.get(id)
        if (wantsStop === undefined) entry.stop.abort(new LeaseLost())
        else entry.wantsStop = wantsStop
      }
    },
    letGoOfAll() {
      for (const { stop } of held.values()) stop.abort(new LeaseLost())
    },
  }
}
