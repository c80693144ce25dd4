import type { Work } from '../work/work-row.ts'

/** This process lost the lease on a piece of work, which continues in another process, or later. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor() {
    super('The lease was lost; another process continues the work.')
  }
}

/** A piece of work while this process has its lease. */
export interface LeasedWork {
  readonly work: Work
  /** The name of this process in the store. */
  readonly owner: string
  /** Aborted with LeaseLost when this process loses the work. Begin nothing after that. */
  readonly signal: AbortSignal
  /** Whether someone has asked it to stop. */
  wantsStop(): boolean
}

export type Holdings = ReturnType<typeof createHoldings>

/** The work that this process has, each with the controller that aborts it. */
export function createHoldings(owner: string) {
  const held = new Map<string, { given: LeasedWork; stop: AbortController; wantsStop: boolean }>()
  const claims = new Set<{ since: number }>()
  let isOver = false
  return {
    hold(work: Work): LeasedWork {
      const stop = new AbortController()
      const given: LeasedWork = { work, owner, signal: stop.signal, wantsStop: () => entry.wantsStop }
      const entry = { given, stop, wantsStop: work.wantsStop }
      held.set(work.id, entry)
      if (isOver) stop.abort(new LeaseLost())
      return given
    },
    /** Runs a claim. Until it ends, the database may name this process as the owner of work that isn't listed here yet. */
    async claiming<T>(claim: () => Promise<T>): Promise<T> {
      const underWay = { since: performance.now() }
      claims.add(underWay)
      try {
        return await claim()
      } finally {
        claims.delete(underWay)
      }
    },
    /** How long the longest claim has been running. 0 if there is none. */
    longestClaimMs(): number {
      const now = performance.now()
      return Math.max(0, ...[...claims].map(({ since }) => now - since))
    },
    /** Does nothing if the work was released and claimed again meanwhile. */
    drop(given: LeasedWork): void {
      if (held.get(given.work.id)?.given === given) held.delete(given.work.id)
    },
    find: (id: string) => held.get(id)?.given,
    has: (id: string) => held.has(id),
    /** All current work, by ID. */
    all: (): ReadonlyMap<string, LeasedWork> => new Map([...held].map(([id, { given }]) => [id, given])),
    /**
     * Applies the answer to a heartbeat to the work that this process had when it was sent. Work missing from the answer is lost.
     */
    renewed(answer: ReadonlyMap<string, boolean>, heldThen: ReadonlyMap<string, LeasedWork>): void {
      for (const [id, entry] of held) {
        // Claimed, or released and claimed again, after the heartbeat was sent, so the answer doesn't cover it.
        if (heldThen.get(id) !== entry.given) continue
        const wantsStop = answer.get(id)
        if (wantsStop === undefined) entry.stop.abort(new LeaseLost())
        else entry.wantsStop = wantsStop
      }
    },
    /** Aborts these pieces if they're still here. Their runners release them. */
    abort(some: Iterable<LeasedWork>): void {
      for (const given of some) {
        const entry = held.get(given.work.id)
        if (entry?.given === given) entry.stop.abort(new LeaseLost())
      }
    },
    /** Aborts all work, and whatever pending claims still return. */
    abortAll(): void {
      isOver = true
      for (const { stop } of held.values()) stop.abort(new LeaseLost())
    },
  }
}
