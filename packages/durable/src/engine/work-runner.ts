import { createReference, fullJitterMs, runWithTraceContext } from '@signalman/runtime'
import type { Work } from '../work/work-row.ts'
import type { EngineStore, WorkEnd } from '../work/work-store.ts'
import { createLanes, LANES, type Lane, slotsPerWorkspace } from './lanes.ts'
import type { LeasedWork, LeasedWorkTracker } from './leased-work.ts'
import type { Log } from './log.ts'
import type { Release } from './release-work.ts'
import type { WorkKind } from './work-kind.ts'

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
  store: Pick<EngineStore, 'claimDue'>
  kinds: readonly WorkKind[]
  owner: string
  leasedWork: Pick<LeasedWorkTracker, 'add' | 'trackClaim'>
  release: Release
  log: Log
  times: WorkTimes
  /** Called when a slot is free again. */
  onFree: () => void
}

/** Runs work that this process has claimed, with a limited number of slots per lane. */
export function createWorkRunner(deps: WorkRunnerDeps) {
  const { store, owner, leasedWork, release, times, onFree } = deps
  const lanes = createLanes()
  const running = new Set<LeasedWork>()
  let isClosed = false

  // Not a map, because the engine adds kinds when it starts.
  const findKind = (name: string): WorkKind | undefined => deps.kinds.find(({ kind }) => kind === name)

  function start(leased: LeasedWork, isUnslotted: boolean): Promise<void> {
    const { work } = leased
    const kind = findKind(work.kind)
    const lane = getLane(kind)
    running.add(leased)
    const done = runForItsRequest(work, () => runToEnd(leased, kind)).finally(() => {
      running.delete(leased)
      lanes.remove(lane, done)
      onFree()
    })
    if (isUnslotted) lanes.addUnslotted(done)
    else lanes.add(lane, work.workspaceId, done)
    return done
  }

  async function runToEnd(leased: LeasedWork, kind: WorkKind | undefined): Promise<void> {
    const { work } = leased
    try {
      // A newer version wrote it, so a newer version has to finish it.
      if (!kind) return await release(leased, { state: 'waiting', dueInMs: times.leaseMs })
      // Every process that tried it died before it could record a failure.
      if (work.attempts > maxAttempts(kind)) throw new Error('Every attempt was interrupted.')
      leased.signal.throwIfAborted()
      const end = await kind.run(leased)
      await release(leased, end)
    } catch (error) {
      await endFailedWork(deps, leased, kind, error)
    }
  }

  return {
    /** Runs a piece of work. Resolves when it's done, even if it failed. */
    begin: (leased: LeasedWork) => start(leased, false),
    /** Like `begin`, for work that someone is waiting for. It neither takes a slot nor waits for one. */
    beginUnslotted: (leased: LeasedWork) => start(leased, true),
    /** Stops claiming work. Work that someone is waiting for can still begin. */
    close(): void {
      isClosed = true
    },
    /** Whether there is a slot for more work of this kind and this workspace. */
    hasSlotFor({ kind: name, workspaceId }: Pick<Work, 'kind' | 'workspaceId'>): boolean {
      const kind = findKind(name)
      return !isClosed && hasCapacity(kind) && lanes.hasSlot(getLane(kind), workspaceId)
    },
    idle: lanes.idle,
    /** The running pieces in these lanes. */
    running: (lanes: readonly Lane[]): LeasedWork[] =>
      [...running].filter(({ work }) => lanes.includes(getLane(findKind(work.kind)))),
    /** Claims and begins due work, as far as there are slots. */
    async fill(): Promise<void> {
      for (const lane of LANES) {
        const free = lanes.free(lane)
        const kindNames = deps.kinds.flatMap((kind) =>
          kind.lane === lane && hasCapacity(kind) ? [kind.kind] : [],
        )
        if (isClosed || free === 0 || kindNames.length === 0) continue
        // The claim and the start are one step, because this process already has the leases.
        await leasedWork.trackClaim(async () => {
          for (const work of await store.claimDue(owner, kindNames, free, {
            perWorkspace: slotsPerWorkspace(lane),
            except: lanes.full(lane),
          }))
            void start(leasedWork.add(work), false)
        })
      }
    },
  }
}

const getLane = (kind: WorkKind | undefined): Lane => kind?.lane ?? 'quick'

const hasCapacity = (kind: WorkKind | undefined): boolean => kind?.hasCapacity?.() ?? true

/** Runs the work under the reference of the request that caused it. Work that no request caused gets a new reference. */
const runForItsRequest = ({ kind, reference }: Work, run: () => Promise<void>): Promise<void> =>
  runWithTraceContext({ reference: reference ?? createReference(), verb: kind }, run)

const DEFAULT_MAX_ATTEMPTS = 50

const maxAttempts = (kind: WorkKind | undefined): number => kind?.maxAttempts ?? DEFAULT_MAX_ATTEMPTS

/** Releases aborted work. Schedules a retry of failed work, or gives it up after too many attempts. */
async function endFailedWork(
  { release, log, times }: { release: Release; log: Log; times: Pick<WorkTimes, 'retryMs'> },
  leased: LeasedWork,
  kind: WorkKind | undefined,
  error: unknown,
): Promise<void> {
  const { work, signal } = leased
  if (signal.aborted) return await release(leased, { state: 'waiting', dueInMs: 0 })
  const logFields = { kind: work.kind, workspace: work.workspaceId, attempts: work.attempts, err: error }
  if (work.attempts < maxAttempts(kind)) {
    log.warn(logFields, 'A piece of work failed; retrying.')
    // If the database turns out to be down, that's also why the work failed, so earlier attempts don't lengthen the pause.
    return await release(leased, retryLater(work.attempts, times), retryLater(1, times))
  }
  log.error(logFields, 'A piece of work failed too often; giving up.')
  await kind
    ?.onGiveUp?.(work, error)
    .catch((notifyError: unknown) =>
      log.error({ kind: work.kind, err: notifyError }, 'Nobody could be notified that work was given up.'),
    )
  await release(leased, { state: 'stopped', ...(kind?.deletesBody && { deletesBody: true }) })
}

const retryLater = (attempts: number, { retryMs }: Pick<WorkTimes, 'retryMs'>): WorkEnd => ({
  state: 'waiting',
  dueInMs: fullJitterMs(attempts, { baseMs: retryMs }),
})
