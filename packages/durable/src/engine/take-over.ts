import type { Log } from '@signalman/runtime'
import type { Lease } from '../work/leases.ts'
import type { WorkStore } from '../work/work-store.ts'
import type { HeldWork, Holdings } from './held-work.ts'
import type { WorkRunner } from './work-runner.ts'

export interface TakeOver {
  /** Takes the work of processes that are gone, as far as there are slots for it: the rest stays until the next look. */
  look(): Promise<void>
  /** The database did not answer: forgets since when each owner has been silent, and starts timing again. */
  forget(): void
}

export function createTakeOver(parts: {
  store: Pick<WorkStore, 'leases' | 'takeOver' | 'proveWritable'>
  owner: string
  leaseMs: number
  holdings: Pick<Holdings, 'has' | 'hold' | 'longestClaimMs'>
  runner: Pick<WorkRunner, 'begin' | 'hasRoomFor'>
  log: Log
  /** Called at each look, before work is taken over. */
  before: (() => Promise<unknown>) | undefined
}): TakeOver {
  const { store, owner, leaseMs, holdings, runner, log, before } = parts
  const silent = watchSilentOwners(leaseMs)

  /** False when the database takes no writes promptly. No process can give a sign of life then, so timing starts again for all of them. */
  async function couldGiveSigns(): Promise<boolean> {
    const since = performance.now()
    await store.proveWritable()
    const isPrompt = performance.now() - since < leaseMs / 4
    if (!isPrompt) silent.forget()
    return isPrompt
  }

  async function takeOver(lease: Lease): Promise<HeldWork | undefined> {
    const work = await store.takeOver(lease, owner)
    if (!work) return undefined
    const line = { kind: work.kind, workspace: work.workspaceId }
    log.warn(line, 'Work of a process that is gone is taken over.')
    return holdings.hold(work)
  }

  return {
    forget: () => silent.forget(),
    async look() {
      await before?.()
      // What this process could not let go of is like the work of another.
      const elsewhere = (await store.leases())
        .filter(({ id }) => !holdings.has(id))
        .map((lease) => (lease.owner === owner ? { ...lease, seenAt: '' } : lease))
      const isExpected = holdings.longestClaimMs() >= leaseMs
      // It has been seen for as long as a lease lasts: only a claim that is older can be about to bring it here.
      const left = silent.abandonedOf(elsewhere).filter((lease) => lease.owner !== owner || !isExpected)
      if (left.length === 0 || !(await couldGiveSigns())) return
      for (const lease of left) {
        if (!runner.hasRoomFor(lease)) continue
        const held = await takeOver(lease)
        if (held) void runner.begin(held)
      }
    },
  }
}

/**
 * Tells which processes gave no sign of life for so long that their work counts as abandoned: this process has seen none for the
 * time of a lease by its own stopwatch, so the last one is at least as old. No clock that jumps, and no database that was away
 * for a while, can then take work from a process that is still doing it, or keep the work of one that is gone.
 */
interface SilentOwners {
  /** Those of which the owners are gone. */
  abandonedOf(held: readonly Lease[]): Lease[]
  /** Forgets what was seen: while the database could not be asked, signs of life may have been missed. */
  forget(): void
}

export function watchSilentOwners(
  leaseMs: number,
  stopwatch: () => number = () => performance.now(),
): SilentOwners {
  let seen = new Map<string, { sign: string; since: number }>()
  return {
    abandonedOf(held) {
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
    forget: () => seen.clear(),
  }
}
