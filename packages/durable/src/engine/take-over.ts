import type { Lease } from '../work/claim-work.ts'
import type { WorkStore } from '../work/work-store.ts'
import type { LeasedWorkTracker } from './leased-work.ts'
import type { Log } from './log.ts'
import type { WorkRunner } from './work-runner.ts'

/** Finds work whose process is gone, and continues it in this process. */
export function createTakeOver(deps: {
  store: Pick<WorkStore, 'listLeases' | 'takeOver' | 'requestRelease' | 'checkWritable'>
  owner: string
  leaseMs: number
  leasedWork: Pick<LeasedWorkTracker, 'all' | 'has' | 'add' | 'longestClaimMs'>
  runner: Pick<WorkRunner, 'begin' | 'hasSlotFor' | 'mayRequest'>
  log: Log
  /** Runs first in each check. The time that it waits for the database counts as part of the check. */
  beforeCheck?: (() => Promise<unknown>) | undefined
  stopwatch?: (() => number) | undefined
}) {
  const {
    store,
    owner,
    leaseMs,
    leasedWork,
    runner,
    log,
    beforeCheck,
    stopwatch = () => performance.now(),
  } = deps
  const silentOwners = watchSilentOwners(leaseMs, stopwatch)
  let requestedAt = Number.NEGATIVE_INFINITY

  /**
   * False if the database didn't answer the whole check promptly, or doesn't accept writes now. In that case no process could
   * send a heartbeat, so the timing starts over for all of them.
   */
  async function couldSendHeartbeats(since: number): Promise<boolean> {
    await store.checkWritable()
    const isPrompt = stopwatch() - since < leaseMs / 2
    if (!isPrompt) silentOwners.reset()
    return isPrompt
  }

  /** Asks at most once per lease time, because it takes a while until requested work is released. */
  async function requestShare(otherLeases: readonly Lease[]): Promise<void> {
    if (stopwatch() - requestedAt < leaseMs) return
    const own = Map.groupBy(leasedWork.all().values(), ({ work }) => work.kind)
    const others = otherLeases.filter((lease) => lease.owner !== owner && runner.mayRequest(lease.kind))
    for (const [kind, leases] of Map.groupBy(others, (lease) => lease.kind)) {
      const surplus = findSurplus(leases, own.get(kind)?.length ?? 0)
      if (surplus.length > 0) requestedAt = stopwatch()
      await store.requestRelease(surplus)
    }
  }

  return {
    /** Restarts the timing of silent owners. Called when the database didn't answer. */
    reset: () => silentOwners.reset(),
    /**
     * Takes over the work of dead processes, as far as there are slots for it. The rest waits for the next check. If no work is
     * abandoned, asks processes with more shared work than this one for some of it.
     */
    async check(): Promise<void> {
      const since = stopwatch()
      await beforeCheck?.()
      // Work that this process no longer runs and couldn't release counts like another process's work.
      const otherLeases = (await store.listLeases())
        .filter(({ id }) => !leasedWork.has(id))
        .map((lease) => (lease.owner === owner ? { ...lease, seenAt: '' } : lease))
      const mayBePending = leasedWork.longestClaimMs() >= leaseMs
      // Abandoned work has been listed for at least the time of a lease, so only a claim that is as old could still return it.
      const abandoned = silentOwners
        .findAbandoned(otherLeases)
        .filter((lease) => lease.owner !== owner || !mayBePending)
      if (abandoned.length === 0) return await requestShare(otherLeases)
      if (!(await couldSendHeartbeats(since))) return
      for (const lease of abandoned) {
        if (!runner.hasSlotFor(lease)) continue
        // For shared work, this also drops a pending request to release it, which was meant for the former owner.
        const work = await store.takeOver(lease, owner, runner.mayRequest(lease.kind))
        if (!work) continue
        const logFields = { kind: work.kind, workspace: work.workspaceId }
        log.warn(logFields, 'Taking over the work of a process that is gone.')
        void runner.begin(leasedWork.add(work))
      }
    },
  }
}

/**
 * The work that other processes should release, so that none has at least two pieces more than this one. Work that was already
 * requested counts as released.
 */
export function findSurplus(others: readonly Lease[], own: number): Lease[] {
  const unrequested = others.filter(({ wantsStop }) => !wantsStop)
  const byOwner = [...Map.groupBy(unrequested, ({ owner }) => owner).values()].map((all) => [...all])
  const surplus: Lease[] = []
  for (;;) {
    const [largest = []] = byOwner.toSorted((one, other) => other.length - one.length)
    const lease = largest.length - own - surplus.length >= 2 ? largest.pop() : undefined
    // The pieces that were already requested are on their way, so request that many fewer.
    if (!lease) return surplus.slice(others.length - unrequested.length)
    surplus.push(lease)
  }
}

/**
 * Detects processes that haven't sent a heartbeat for the time of a lease, measured with this process's own stopwatch. So a changed
 * clock or a database outage neither takes work from a running process nor hides a dead one.
 */
export function watchSilentOwners(leaseMs: number, stopwatch: () => number = () => performance.now()) {
  let heartbeats = new Map<string, { heartbeat: string; since: number }>()
  return {
    /** Returns the work whose owners are gone. */
    findAbandoned(leases: readonly Lease[]): Lease[] {
      const at = stopwatch()
      const newHeartbeats = new Map<string, { heartbeat: string; since: number }>()
      const abandoned = leases.filter((work) => {
        const heartbeat = `${work.owner} ${work.seenAt}`
        const previous = heartbeats.get(work.id)
        const entry = previous?.heartbeat === heartbeat ? previous : { heartbeat, since: at }
        newHeartbeats.set(work.id, entry)
        return at - entry.since >= leaseMs
      })
      heartbeats = newHeartbeats
      return abandoned
    },
    /** Starts over, because heartbeats may have been missed while the database was unavailable. */
    reset: () => heartbeats.clear(),
  }
}
