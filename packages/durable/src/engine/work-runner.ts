import { createReference, fullJitterMs, runWithTraceContext } from '@signalman/runtime'
import type { Work } from '../work/work-row.ts'
import type { EngineStore, WorkEnd } from '../work/work-store.ts'
import type { LeasedWork, LeasedWorkTracker } from './leased-work.ts'
import type { Log } from './log.ts'
import type { Release } from './release-work.ts'
import { LANES, type Lane, SLOTS, type WorkKind } from './work-kind.ts'

export interface WorkTimes {
  /**
   * How long a process keeps its work without a heartbeat. After that, it counts as gone, and another process takes its work over
   * (take-over.ts).
   */
  leaseMs: number
  /** How often this process looks for work that other processes have scheduled. */
  pollMs: number
  /** Failed work is retried after a random pause of up to this time, then up to twice this time, and so on, up to an hour. */
  retryMs: number
}

export const WORK_TIMES: WorkTimes = { leaseMs: 5000, pollMs: 1000, retryMs: 2000 }

export type WorkRunner = ReturnType<typeof createWorkRunner>

interface WorkRunnerDeps {
  store: Pick<EngineStore, 'listDueKinds' | 'claimDue'>
  kinds: ReadonlyMap<string, WorkKind>
  owner: string
  leasedWork: Pick<LeasedWorkTracker, 'add' | 'trackClaim'>
  release: Release
  log: Log
  times: WorkTimes
  /** Called when a slot is free again. */
  onFree: () => void
}

/** How many slots of a lane a workspace may use, so that one that hangs leaves slots for the others. */
const slotsPerWorkspace = (lane: Lane): number => Math.max(1, Math.floor(SLOTS[lane] / 8))

/** Runs work that this process has claimed, with a limited number of slots per lane. */
export function createWorkRunner(deps: WorkRunnerDeps) {
  const { store, kinds, owner, leasedWork, release, times, onFree } = deps
  const running = new Map<LeasedWork, { lane: Lane; takesSlot: boolean; done: Promise<void> }>()
  let isClosed = false

  /** A newer version wrote work of an unknown kind, so a newer version has to finish it. */
  const newerKind: WorkKind = {
    kind: 'newer',
    lane: 'quick',
    maxAttempts: Number.POSITIVE_INFINITY,
    run: async () => ({ state: 'waiting', dueInMs: times.leaseMs }),
  }

  /**
   * How many slots of a lane are free, and the workspaces that use all of theirs. Work for all workspaces may use any free slot.
   */
  function countSlots(lane: Lane): { free: number; full: string[] } {
    let free = SLOTS[lane]
    const counts = new Map<string, number>()
    const full: string[] = []
    for (const [{ work }, { lane: usedLane, takesSlot }] of running) {
      if (!takesSlot || usedLane !== lane) continue
      free -= 1
      const count = (counts.get(work.workspaceId) ?? 0) + 1
      counts.set(work.workspaceId, count)
      if (work.workspaceId !== '' && count === slotsPerWorkspace(lane)) full.push(work.workspaceId)
    }
    return { free: Math.max(0, free), full }
  }

  async function runToEnd(leased: LeasedWork, kind: WorkKind): Promise<void> {
    const { work, signal } = leased
    try {
      // Every process that tried it died before it could record a failure.
      if (work.attempts > maxAttempts(kind)) throw new Error('Every attempt was interrupted.')
      signal.throwIfAborted()
      await release(leased, await kind.run(leased))
    } catch (error) {
      await endFailedWork(deps, leased, kind, error)
    }
  }

  /** Runs a piece of work. Resolves when it's done, even if it failed. What a request has begun takes no slot. */
  function start(leased: LeasedWork, { takesSlot }: { takesSlot: boolean }): Promise<void> {
    const { kind: name, reference = createReference() } = leased.work
    const kind = kinds.get(name) ?? newerKind
    const done = runWithTraceContext({ reference, verb: name }, () => runToEnd(leased, kind)).finally(() => {
      running.delete(leased)
      onFree()
    })
    running.set(leased, { lane: kind.lane, takesSlot, done })
    return done
  }

  return {
    start,
    /** Stops claiming work. What a request has begun can still start. */
    close(): void {
      isClosed = true
    },
    /** Whether there is a slot for more work of this kind and this workspace. */
    hasSlotFor({ kind: name, workspaceId }: Pick<Work, 'kind' | 'workspaceId'>): boolean {
      const kind = kinds.get(name) ?? newerKind
      const { free, full } = countSlots(kind.lane)
      return !isClosed && free > 0 && !full.includes(workspaceId)
    },
    /** Resolves when nothing is running anymore. */
    idle: (): Promise<unknown> => Promise.allSettled([...running.values()].map(({ done }) => done)),
    running: (lanes: readonly Lane[]): LeasedWork[] =>
      [...running].flatMap(([leased, { lane }]) => (lanes.includes(lane) ? [leased] : [])),
    /** Claims and starts due work, as far as there are slots. */
    async fill(): Promise<void> {
      const due = await store.listDueKinds()
      for (const lane of LANES) {
        const { free, full: except } = countSlots(lane)
        const names: string[] = []
        for (const kind of kinds.values()) if (kind.lane === lane && due.has(kind.kind)) names.push(kind.kind)
        if (isClosed || free === 0 || names.length === 0) continue
        // The claim and the start are one step, because this process already has the leases.
        await leasedWork.trackClaim(async () => {
          const perWorkspace = slotsPerWorkspace(lane)
          for (const work of await store.claimDue(owner, names, free, { perWorkspace, except }))
            void start(leasedWork.add(work), { takesSlot: true })
        })
      }
    },
  }
}

const DEFAULT_MAX_ATTEMPTS = 50
const MAX_LEAST_MS = 3_600_000

const maxAttempts = (kind: WorkKind): number => kind.maxAttempts ?? DEFAULT_MAX_ATTEMPTS

/** Releases aborted work. Schedules a retry of failed work, or gives it up after too many attempts. */
async function endFailedWork(
  { release, log, times }: { release: Release; log: Log; times: Pick<WorkTimes, 'retryMs'> },
  leased: LeasedWork,
  kind: WorkKind,
  error: unknown,
): Promise<void> {
  const { work, signal } = leased
  if (signal.aborted) return await release(leased, { state: 'waiting', dueInMs: 0 })
  const logFields = { kind: work.kind, workspace: work.workspaceId, attempts: work.attempts, err: error }
  if (work.attempts < maxAttempts(kind)) {
    log.warn(logFields, 'A piece of work failed; retrying.')
    // If the database turns out to be down, that's also why the work failed, so earlier attempts don't lengthen the pause.
    return await release(leased, retryLater(work.attempts, times, error), retryLater(1, times, error))
  }
  log.error(logFields, 'A piece of work failed too often; giving up.')
  await kind
    .onGiveUp?.(work, error)
    .catch((notifyError: unknown) =>
      log.error({ kind: work.kind, err: notifyError }, 'Nobody could be notified that work was given up.'),
    )
  await release(leased, { state: 'stopped', ...(kind.deletesBody && { deletesBody: true }) })
}

/** Longer after each attempt, and at least as long as a rate limit says: its error has the seconds as `retryAfter`, up to an hour. */
const retryLater = (attempts: number, { retryMs }: Pick<WorkTimes, 'retryMs'>, error: unknown): WorkEnd => {
  const { retryAfter } = Object(error) as { retryAfter?: unknown }
  const leastMs = Math.min(MAX_LEAST_MS, Math.ceil(Number(retryAfter) * 1000)) || 0
  return { state: 'waiting', dueInMs: Math.max(leastMs, fullJitterMs(attempts, { baseMs: retryMs })) }
}
