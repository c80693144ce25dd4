import type { Work } from '../work/work-row.ts'

/** A piece of work ended early although nothing is wrong: it continues in another process, or later. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor() {
    super('The work goes on elsewhere.')
  }
}

/** A piece of work while this process has its lease. */
export interface HeldWork {
  readonly work: Work
  /** The name of this process in the store. */
  readonly owner: string
  /** Aborted (with LeaseLost) when this process loses the work: nothing may be begun after that. */
  readonly signal: AbortSignal
  /** Whether somebody has asked for it to stop. */
  wantsStop(): boolean
}

/** The work that this process holds, each piece with the controller that aborts it. */
export interface Holdings {
  hold(work: Work): HeldWork
  /** Runs what takes and holds work: until it ends, the database may give this process's name to work that is not here yet. */
  claiming<T>(claim: () => Promise<T>): Promise<T>
  /** For how long the longest claim has been under way; 0 when there is none. */
  longestClaimMs(): number
  /** Does nothing when the work was released and taken again meanwhile. */
  drop(held: HeldWork): void
  find(id: string): HeldWork | undefined
  readonly size: number
  has(id: string): boolean
  /** All that is held now, by id. */
  all(): ReadonlyMap<string, HeldWork>
  /** Takes the store's answer to a sign of life for what was held then; work that the answer does not name is lost. */
  renewed(answer: ReadonlyMap<string, boolean>, heldThen: ReadonlyMap<string, HeldWork>): void
  /** Aborts these, as far as they are held: whoever does them gives them back. */
  abort(some: Iterable<HeldWork>): void
  /** Aborts all, and whatever a claim under way brings from now on. */
  abortAll(): void
}

export function createHoldings(owner: string): Holdings {
  const held = new Map<string, { given: HeldWork; stop: AbortController; wantsStop: boolean }>()
  const claims = new Set<{ since: number }>()
  let isOver = false
  return {
    hold(work) {
      const stop = new AbortController()
      const given = { work, owner, signal: stop.signal, wantsStop: () => entry.wantsStop }
      const entry = { given, stop, wantsStop: work.wantsStop }
      held.set(work.id, entry)
      if (isOver) stop.abort(new LeaseLost())
      return given
    },
    async claiming(claim) {
      const underWay = { since: performance.now() }
      claims.add(underWay)
      try {
        return await claim()
      } finally {
        claims.delete(underWay)
      }
    },
    longestClaimMs() {
      const now = performance.now()
      return Math.max(0, ...[...claims].map(({ since }) => now - since))
    },
    drop(given) {
      if (held.get(given.work.id)?.given === given) held.delete(given.work.id)
    },
    find: (id) => held.get(id)?.given,
    get size() {
      return held.size
    },
    has: (id) => held.has(id),
    all: () => new Map([...held].map(([id, { given }]) => [id, given])),
    renewed(answer, heldThen) {
      for (const [id, entry] of held) {
        // Taken, or released and taken again, after the question was asked: the answer says nothing of it.
        if (heldThen.get(id) !== entry.given) continue
        const wantsStop = answer.get(id)
        if (wantsStop === undefined) entry.stop.abort(new LeaseLost())
        else entry.wantsStop = wantsStop
      }
    },
    abort(some) {
      for (const given of some) {
        const entry = held.get(given.work.id)
        if (entry?.given === given) entry.stop.abort(new LeaseLost())
      }
    },
    abortAll() {
      isOver = true
      for (const { stop } of held.values()) stop.abort(new LeaseLost())
    },
  }
}
