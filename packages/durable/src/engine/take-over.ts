import type { EngineStore, Lease } from '../work/work-store.ts'
import type { LeasedWorkTracker } from './leased-work.ts'
import type { Log } from './log.ts'
import type { WorkRunner } from './work-runner.ts'

/**
 * Takes over the work of processes that are gone, as far as there are slots for it. A process counts as gone if it sent no heartbeat
 * for the time of a lease, and still none half a lease later, in which this process's own heartbeats arrived. So neither an outage of
 * the database nor a change of its clock takes work from a running process. Even then, no step would run twice: steps are recorded.
 */
export function createTakeOver(deps: {
  store: Pick<EngineStore, 'listLeases' | 'takeOver' | 'makeDueAfterClockChange'>
  owner: string
  leaseMs: number
  leasedWork: Pick<LeasedWorkTracker, 'has' | 'add' | 'longestClaimMs'>
  runner: Pick<WorkRunner, 'start' | 'hasSlotFor'>
  log: Log
  stopwatch?: (() => number) | undefined
}) {
  const { store, owner, leaseMs, leasedWork, runner, log, stopwatch = () => performance.now() } = deps
  const suspectsForMs = leaseMs / 2
  let suspects = new Map<string, number>()

  /** Work of a process that is gone, and work that only the database says this process has: the answer to its claim or release was lost. */
  const isSuspect = (lease: Lease): boolean =>
    lease.owner === owner ? !leasedWork.has(lease.id) : !lease.isOwnerAlive

  /** Nobody will run it. A claim that is still running may yet return a lease of this process, if it began before the suspicion. */
  function isGone(lease: Lease, suspectedMs: number): boolean {
    return (
      suspectedMs >= suspectsForMs && (lease.owner !== owner || leasedWork.longestClaimMs() < suspectedMs)
    )
  }

  return {
    /** How long work is suspected before it's taken over, at least. */
    suspectsForMs,
    /** Starts over, because the database didn't answer. */
    reset: () => suspects.clear(),
    async check(): Promise<void> {
      // Also throws if the database doesn't accept writes, in which case no process could send a heartbeat.
      await store.makeDueAfterClockChange()
      const now = stopwatch()
      const found = (await store.listLeases(leaseMs)).filter(isSuspect)
      suspects = new Map(
        found.map(({ id, owner }) => [`${id} ${owner}`, suspects.get(`${id} ${owner}`) ?? now]),
      )
      for (const lease of found) {
        const suspectedMs = now - (suspects.get(`${lease.id} ${lease.owner}`) ?? now)
        if (!isGone(lease, suspectedMs) || !runner.hasSlotFor(lease)) continue
        const work = await store.takeOver(lease, owner, leaseMs)
        if (!work) continue
        log.warn(
          { kind: work.kind, workspace: work.workspaceId },
          'Taking over the work of a process that is gone.',
        )
        void runner.start(leasedWork.add(work), { takesSlot: true })
      }
    },
  }
}
