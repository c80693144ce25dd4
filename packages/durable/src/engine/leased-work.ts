import { LeaseLost } from '../work/steps.ts'
import type { Work } from '../work/work-row.ts'

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

export type LeasedWorkTracker = ReturnType<typeof trackLeasedWork>

/** Tracks the work that this process has leases on, each with the controller that aborts it. */
export function trackLeasedWork(owner: string) {
  const entries = new Map<
    string,
    { leased: LeasedWork; abortController: AbortController; wantsStop: boolean }
  >()
  const claims = new Set<{ since: number }>()
  let isStopping = false
  return {
    add(work: Work): LeasedWork {
      const abortController = new AbortController()
      const leased: LeasedWork = {
        work,
        owner,
        signal: abortController.signal,
        wantsStop: () => entry.wantsStop,
      }
      const entry = { leased, abortController, wantsStop: work.wantsStop }
      entries.set(work.id, entry)
      if (isStopping) abortController.abort(new LeaseLost())
      return leased
    },
    /** Runs a claim. Until it ends, the database may name this process as the owner of work that isn't listed here yet. */
    async trackClaim<T>(claim: () => Promise<T>): Promise<T> {
      const timer = { since: performance.now() }
      claims.add(timer)
      try {
        return await claim()
      } finally {
        claims.delete(timer)
      }
    },
    /** How long the longest claim has been running. 0 if there is none. */
    longestClaimMs(): number {
      const now = performance.now()
      return Math.max(0, ...[...claims].map(({ since }) => now - since))
    },
    /** Stops tracking released work. Does nothing if it was claimed again meanwhile. */
    drop(leased: LeasedWork): void {
      if (entries.get(leased.work.id)?.leased === leased) entries.delete(leased.work.id)
    },
    find: (id: string) => entries.get(id)?.leased,
    has: (id: string) => entries.has(id),
    /** All current work, by ID. */
    all: (): ReadonlyMap<string, LeasedWork> => new Map([...entries].map(([id, { leased }]) => [id, leased])),
    /**
     * Applies the answer to a heartbeat to the work that this process had when it was sent. Work missing from the answer is lost.
     */
    applyHeartbeat(answer: ReadonlyMap<string, boolean>, sentFor: ReadonlyMap<string, LeasedWork>): void {
      for (const [id, entry] of entries) {
        // Claimed, or released and claimed again, after the heartbeat was sent, so the answer doesn't cover it.
        if (sentFor.get(id) !== entry.leased) continue
        const wantsStop = answer.get(id)
        if (wantsStop === undefined) entry.abortController.abort(new LeaseLost())
        else entry.wantsStop = wantsStop
      }
    },
    /** Aborts these pieces unless they were released meanwhile. Their runners release them. */
    abort(pieces: Iterable<LeasedWork>): void {
      for (const leased of pieces) {
        const entry = entries.get(leased.work.id)
        if (entry?.leased === leased) entry.abortController.abort(new LeaseLost())
      }
    },
    /** Aborts all work, and whatever pending claims still return. */
    abortAll(): void {
      isStopping = true
      for (const { abortController } of entries.values()) abortController.abort(new LeaseLost())
    },
  }
}
