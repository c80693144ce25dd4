import type { Lease } from '../work/claim-work.ts'
import type { WorkStore } from '../work/work-store.ts'
import type { Holdings } from './held-work.ts'
import type { Log } from './log.ts'
import type { WorkRunner } from './work-runner.ts'

export function createTakeOver(parts: {
  store: Pick<WorkStore, 'leases' | 'takeOver' | 'requestRelease' | 'checkWritable'>
  owner: string
  leaseMs: number
  holdings: Pick<Holdings, 'all' | 'has' | 'hold' | 'longestClaimMs'>
  runner: Pick<WorkRunner, 'begin' | 'hasSlotFor' | 'mayRequest'>
  log: Log
  /** Runs first in each check. The time that it waits for the database counts as part of the check. */
  before?: (() => Promise<unknown>) | undefined
  stopwatch?: (() => number) | undefined
}) {
  const { store, owner, leaseMs, holdings, runner, log, before, stopwatch = () => performance.now() } = parts
  const silent = watchSilentOwners(leaseMs, stopwatch)
  let askedAt = Number.NEGATIVE_INFINITY

  /**
   * False if the database didn't answer the whole check promptly, or doesn't accept writes now. In that case no process could
   * send a heartbeat, so the timing starts over for all of them.
   */
  async function couldSendHeartbeats(since: number): Promise<boolean> {
    await store.checkWritable()
    const isPrompt = stopwatch() - since < leaseMs / 2
    if (!isPrompt) silent.forget()
    return isPrompt
  }

  /** Asks again only after the time of a lease, because requested work takes a while to arrive. */
  async function requestShare(elsewhere: readonly Lease[]): Promise<void> {
    if (stopwatch() - askedAt < leaseMs) return
    const own = Map.groupBy(holdings.all().values(), ({ work }) => work.kind)
    const others = elsewhere.filter((lease) => lease.owner !== owner && runner.mayRequest(lease.kind))
    for (const [kind, leases] of Map.groupBy(others, (lease) => lease.kind)) {
      const wanted = findSurplus(leases, own.get(kind)?.length ?? 0)
      if (wanted.length > 0) askedAt = stopwatch()
      await store.requestRelease(wanted)
    }
  }

  return {
    /** The database didn't answer, so this forgets since when each owner has been silent and starts timing again. */
    forget: () => silent.forget(),
    /**
     * Takes over the work of dead processes, as far as there are slots for it. The rest waits for the next check. If no work is
     * abandoned, asks processes with more shared work than this one for some of it.
     */
    async look(): Promise<void> {
      const since = stopwatch()
      await before?.()
      // Work that this process no longer runs and couldn't release counts like another process's work.
      const elsewhere = (await store.leases())
        .filter(({ id }) => !holdings.has(id))
        .map((lease) => (lease.owner === owner ? { ...lease, seenAt: '' } : lease))
      const isExpected = holdings.longestClaimMs() >= leaseMs
      // It has been visible for the time of a lease, so only an older claim could still be about to return it.
      const left = silent.findAbandoned(elsewhere).filter((lease) => lease.owner !== owner || !isExpected)
      if (left.length === 0) return await requestShare(elsewhere)
      if (!(await couldSendHeartbeats(since))) return
      for (const lease of left) {
        if (!runner.hasSlotFor(lease)) continue
        // The owner may have been asked for some of its shared work. Now that it's gone, running processes are asked instead.
        const work = await store.takeOver(lease, owner, runner.mayRequest(lease.kind))
        if (!work) continue
        const line = { kind: work.kind, workspace: work.workspaceId }
        log.warn(line, 'Work of a process that is gone is taken over.')
        void runner.begin(holdings.hold(work))
      }
    },
  }
}

/**
 * The work that others should give back, so that nobody has two pieces more than this process. Work that was already requested
 * counts as given back.
 */
export function findSurplus(others: readonly Lease[], own: number): Lease[] {
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
 * Detects processes without a heartbeat for the time of a lease, by this process's own stopwatch, so that their last heartbeat is
 * at least that old. Clock changes and database outages can therefore neither take work from a running process nor keep the work
 * of a dead one.
 */
export function watchSilentOwners(leaseMs: number, stopwatch: () => number = () => performance.now()) {
  let seen = new Map<string, { sign: string; since: number }>()
  return {
    /** Returns the work whose owners are gone. */
    findAbandoned(held: readonly Lease[]): Lease[] {
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
    /** Starts over, because heartbeats may have been missed while the database was unavailable. */
    forget: () => seen.clear(),
  }
}
