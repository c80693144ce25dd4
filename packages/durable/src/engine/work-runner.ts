import { createReference, recordWait, runWithCause, setVerb, type Tracer } from '@signalman/runtime'
import type { Work } from '../work/work-row.ts'
import type { WorkStore } from '../work/work-store.ts'
import { endFailedWork, maxAttempts, type WorkTimes } from './failed-work.ts'
import { createLanes, LANES, type Lane } from './lanes.ts'
import type { LeasedWork, LeasedWorkTracker } from './leased-work.ts'
import type { Log } from './log.ts'
import type { Release } from './release-work.ts'
import type { WorkKind } from './work-kind.ts'

export type WorkRunner = ReturnType<typeof createWorkRunner>

interface WorkRunnerDeps {
  store: Pick<WorkStore, 'claimDue'>
  kinds: readonly WorkKind[]
  owner: string
  leasedWork: Pick<LeasedWorkTracker, 'add' | 'trackClaim'>
  release: Release
  log: Log
  tracer?: Tracer | undefined
  times: WorkTimes
  stopwatch?: (() => number) | undefined
  /** Called when a slot is free again. */
  onFree: () => void
}

/** Runs work that this process has claimed, with a limited number of slots per lane. */
export function createWorkRunner(deps: WorkRunnerDeps) {
  const { store, owner, leasedWork, release, tracer, times, onFree } = deps
  const { stopwatch = () => performance.now() } = deps
  const lanes = createLanes()
  /** When this process gave back work of a kind, because another process has less of it. */
  const returnedAtMs = new Map<WorkKind, number>()
  const running = new Set<LeasedWork>()
  let isClosed = false

  // Not a map, because the engine adds kinds when it starts.
  const findKind = (name: string): WorkKind | undefined => deps.kinds.find(({ kind }) => kind === name)

  /** Not right after this process gave some back, so that the other process has time to find it. */
  const mayClaim = (kind: WorkKind): boolean =>
    hasCapacity(kind) && stopwatch() - (returnedAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) >= times.leaseMs

  function start(leased: LeasedWork, isUnslotted: boolean): Promise<void> {
    const { work } = leased
    const kind = findKind(work.kind)
    const lane = getLane(kind)
    running.add(leased)
    const done = runWithWorkCause(work, tracer, () => runToEnd(leased, kind)).finally(() => {
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
      if (kind.isShared && leased.wantsStop()) returnedAtMs.set(kind, stopwatch())
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
    /** Whether processes share this kind of work, and this process may ask others for some of theirs. */
    mayRequest(name: string): boolean {
      const kind = findKind(name)
      return !isClosed && kind?.isShared === true && mayClaim(kind)
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
          kind.lane === lane && mayClaim(kind) ? [kind.kind] : [],
        )
        if (isClosed || free === 0 || kindNames.length === 0) continue
        const due = store.claimDue(owner, kindNames, free, lanes.share(lane))
        // Begin them before claiming more, because they belong to this process already.
        await leasedWork.trackClaim(async () => {
          for await (const claimed of due) {
            for (const work of claimed) void start(leasedWork.add(work), false)
            if (isClosed) break
          }
        })
      }
    },
  }
}

const getLane = (kind: WorkKind | undefined): Lane => kind?.lane ?? 'quick'

const hasCapacity = (kind: WorkKind | undefined): boolean => kind?.hasCapacity?.() ?? true

/** Runs the work under the reference of the request that caused it. Work that no request caused gets a new reference. */
function runWithWorkCause(
  { kind, attempts, dueAt, cause }: Work,
  tracer: Tracer | undefined,
  run: () => Promise<void>,
): Promise<void> {
  const { reference = createReference(), traceparent } = cause ?? {}
  const attributes = { 'work.kind': kind, 'work.attempt': attempts }
  const start = { name: 'work', kind: 'consumer', attributes } as const
  return runWithCause({ reference, verb: kind, tracer, start, traceparent }, () => {
    setVerb(kind)
    recordWait(dueAt, 'wait for a turn')
    return run()
  })
}
