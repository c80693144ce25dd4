import type { Lease } from '../work/claim-work.ts'
import type { WorkStore } from '../work/work-store.ts'
import type { Holdings } from './held-work.ts'
import type { Log } from './log.ts'
import type { WorkRunner } from './work-runner.ts'

export function createTakeOver(parts: {
  store: Pick<WorkStore, 'leases' | 'takeOver' | 'askFor' | 'proveWritable'>
  owner: string
  leaseMs: number
  holdings: Pick<Holdings, 'all' | 'has' | 'hold' | 'longestClaimMs'>
  runner: Pick<WorkRunner, 'begin' | 'hasRoomFor' | 'mayAskFor'>
  log: Log
  /** Runs first at each look. The time for which it waits for the database counts as part of the look. */
  before?: (() => Promise<unknown>) | undefined
  stopwatch?: (() => number) | undefined
}) {
  const { store, owner, leaseMs, holdings, runner, log, before, stopwatch = () => performance.now() } = parts
  const silent = watchSilentOwners(leaseMs, stopwatch)
  let askedAt = Number.NEGATIVE_INFINITY

  /**
   * False when the database has not answered all of a look promptly, and takes no write so. No process could give a sign of life then, and
   * those of before the look are old: timing starts again for all of them.
   */
  async function couldGiveSigns(since: number): Promise<boolean> {
    await store.proveWritable()
    const isPrompt = stopwatch() - since < leaseMs / 2
    if (!isPrompt) silent.forget()
    return isPrompt
  }

  /** Asks again only after the time of a lease: work that was asked for takes a while to come. */
  async function askForShare(elsewhere: readonly Lease[]): Promise<void> {
    if (stopwatch() - askedAt < leaseMs) return
    const own = Map.groupBy(holdings.all().values(), ({ work }) => work.kind)
    const others = elsewhere.filter((lease) => lease.owner !== owner && runner.mayAskFor(lease.kind))
    for (const [kind, leases] of Map.groupBy(others, (lease) => lease.kind)) {
      const wanted = surplusOf(leases, own.get(kind)?.length ?? 0)
      if (wanted.length > 0) askedAt = stopwatch()
      await store.askFor(wanted)
    }
  }

  return {
    /** The database did not answer: forgets since when each owner has been silent, and starts timing again. */
    forget: () => silent.forget(),
    /**
     * Takes the work of processes that are gone, as far as there are slots for it: the rest stays until the next look. Where there is none,
     * asks those who have more than this process for some of what is shared.
     */
    async look(): Promise<void> {
      const since = stopwatch()
      await before?.()
      // Work that this process no longer does and could not release counts like the work of another.
      const elsewhere = (await store.leases())
        .filter(({ id }) => !holdings.has(id))
        .map((lease) => (lease.owner === owner ? { ...lease, seenAt: '' } : lease))
      const isExpected = holdings.longestClaimMs() >= leaseMs
      // It has been seen for as long as a lease lasts: only a claim that is older can be about to bring it here.
      const left = silent.abandonedOf(elsewhere).filter((lease) => lease.owner !== owner || !isExpected)
      if (left.length === 0) return await askForShare(elsewhere)
      if (!(await couldGiveSigns(since))) return
      for (const lease of left) {
        if (!runner.hasRoomFor(lease)) continue
        // The owner may have been asked for some of what is shared: now that it is gone, those who live are asked instead.
        const work = await store.takeOver(lease, owner, runner.mayAskFor(lease.kind))
        if (!work) continue
        const line = { kind: work.kind, workspace: work.workspaceId }
        log.warn(line, 'Work of a process that is gone is taken over.')
        void runner.begin(holdings.hold(work))
      }
    },
  }
}

/**
 * What others are to give back, until nobody has two more than this process, which has so many. What any of them is asked for already
 * is on its way to whoever lacks it.
 */
export function surplusOf(others: readonly Lease[], own: number): Lease[] {
  const kept = others.filter(({ wantsStop }) => !wantsStop)
  const byOwner = [...Map.groupBy(kept, ({ owner }) => owner).values()].map((all) => [...all])
  const wanted: Lease[] = []
  for (;;) {
    const [most = []] = byOwner.toSorted((one, other) => other.length - one.length)
    const next = most.length - own - wanted.length >= 2 ? most.pop() : undefined
    if (!next) return wanted.slice(others.length - kept.length)
    wanted.push(next)
  }
}

/**
 * Tells which processes gave no sign of life for so long that their work counts as abandoned: this process has seen none for the
 * time of a lease by its own stopwatch, so the last one is at least as old. No clock that jumps, and no database that was away
 * for a while, can then take work from a process that is still doing it, or keep the work of one that is gone.
 */
export function watchSilentOwners(leaseMs: number, stopwatch: () => number = () => performance.now()) {
  let seen = new Map<string, { sign: string; since: number }>()
  return {
    /** Those of which the owners are gone. */
    abandonedOf(held: readonly Lease[]): Lease[] {
      const at = stopwatch()
      const next = new Map<string, { sign: string; since: number }>()
      const abandoned = held.filter((work) => {
        const sign = `${work.owner} ${work.seenAt}`
        const before = seen.get(work.id)
        const entry = before?.sign === sign ? before : { sign, since: at }
        next.set(work.id, entry)
        return at - entry.since >= leaseMs
      })
      seen = next
      return abandoned
    },
    /** Forgets what was seen: while the database could not be asked, signs of life may have been missed. */
    forget: () => seen.clear(),
  }
}
