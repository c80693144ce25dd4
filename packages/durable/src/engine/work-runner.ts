import { createReference, recordWait, runWithCause, setVerb, type Tracer } from '@signalman/runtime'
import type { Work } from '../work/work-row.ts'
import type { WorkStore } from '../work/work-store.ts'
import { endFailed, maxAttempts, type WorkTimes } from './failed-work.ts'
import type { Holdings, LeasedWork } from './held-work.ts'
import { createLanes, LANES, type Lane } from './lanes.ts'
import type { Log } from './log.ts'
import type { Release } from './release-work.ts'
import type { WorkKind } from './work-kind.ts'

export type WorkRunner = ReturnType<typeof createWorkRunner>

interface WorkRunnerParts {
  store: Pick<WorkStore, 'claimDue'>
  kinds: readonly WorkKind[]
  owner: string
  holdings: Pick<Holdings, 'hold' | 'claiming'>
  release: Release
  log: Log
  tracer?: Tracer | undefined
  times: WorkTimes
  stopwatch?: (() => number) | undefined
  /** Called when a slot is free again. */
  onFree: () => void
}

/** Runs work that this process has claimed, with a limited number of slots per lane. */
export function createWorkRunner(parts: WorkRunnerParts) {
  const { store, owner, holdings, release, tracer, times, onFree } = parts
  const { kindOf: findKind, laneOf: findLane, kindsIn: kindsInLanes } = byName(parts.kinds)
  const lanes = createLanes()
  const given = createReturnedKinds(times.leaseMs, parts.stopwatch)
  const running = new Set<LeasedWork>()
  let isClosed = false

  function start(held: LeasedWork, isBeside: boolean): Promise<void> {
    const { work } = held
    const lane = findLane(work.kind)
    running.add(held)
    const done = withCause(work, tracer, () => attend(held)).finally(() => {
      running.delete(held)
      lanes.remove(lane, done)
      onFree()
    })
    if (isBeside) lanes.addUnslotted(done)
    else lanes.add(lane, work.workspaceId, done)
    return done
  }

  async function attend(held: LeasedWork): Promise<void> {
    const { work } = held
    const kind = findKind(work.kind)
    try {
      // A newer version wrote it, so a newer version has to finish it.
      if (!kind) return await release(held, { state: 'waiting', dueInMs: times.leaseMs })
      // The process died before it could count its last attempts as failed.
      if (work.attempts > maxAttempts(kind)) throw new Error('Every attempt was cut short.')
      held.signal.throwIfAborted()
      const end = await kind.run(held)
      if (kind.isShared && held.wantsStop()) given.note(kind)
      await release(held, end)
    } catch (error) {
      await endFailed(parts, held, kind, error)
    }
  }

  return {
    /** Resolves when this piece is done, whatever the outcome. */
    begin: (held: LeasedWork) => start(held, false),
    /** The same for work that someone waits for. It takes no slot, and waits for none. */
    beginUnslotted: (held: LeasedWork) => start(held, true),
    /** Claims nothing more. Work that someone waits for still begins. */
    close(): void {
      isClosed = true
    },
    /** Whether processes share this kind, and this one may ask others for some of theirs. */
    mayRequest(name: string): boolean {
      const kind = findKind(name)
      return !isClosed && kind?.isShared === true && hasRoom(kind) && !given.has(kind)
    },
    /** Whether there is a slot for more work of this kind and this workspace. */
    hasSlotFor: ({ kind, workspaceId }: Pick<Work, 'kind' | 'workspaceId'>): boolean =>
      !isClosed && hasRoom(findKind(kind)) && lanes.hasRoom(findLane(kind), workspaceId),
    idle: lanes.idle,
    /** The number of running pieces in these lanes. */
    running: (lanes: readonly Lane[]): LeasedWork[] =>
      [...running].filter(({ work }) => lanes.includes(findLane(work.kind))),
    /** Claims and begins due work, as far as there are slots. */
    async fill(): Promise<void> {
      for (const lane of LANES) {
        const free = lanes.free(lane)
        const named = kindsInLanes(lane).flatMap((kind) => (given.has(kind) ? [] : [kind.kind]))
        if (isClosed || free === 0 || named.length === 0) continue
        const due = store.claimDue(owner, named, free, lanes.share(lane))
        // Begin them before claiming more, because they belong to this process already.
        await holdings.claiming(async () => {
          for await (const claimed of due) {
            for (const work of claimed) void start(holdings.hold(work), false)
            if (isClosed) break
          }
        })
      }
    },
  }
}

/**
 * The kinds of work that this process has just given back because another process has less. It doesn't claim them until the other
 * one had time to find them.
 */
function createReturnedKinds(forMs: number, stopwatch = () => performance.now()) {
  const sinceMs = new Map<WorkKind, number>()
  return {
    note: (kind: WorkKind) => void sinceMs.set(kind, stopwatch()),
    has: (kind: WorkKind) => stopwatch() - (sinceMs.get(kind) ?? Number.NEGATIVE_INFINITY) < forMs,
  }
}

function byName(kinds: readonly WorkKind[]) {
  // Not a map, because the engine adds kinds when it starts.
  const kindOf = (name: string): WorkKind | undefined => kinds.find(({ kind }) => kind === name)
  return {
    kindOf,
    laneOf: (name: string): Lane => kindOf(name)?.lane ?? 'quick',
    kindsIn: (lane: Lane): WorkKind[] => kinds.filter((kind) => kind.lane === lane && hasRoom(kind)),
  }
}

const hasRoom = (kind: WorkKind | undefined): boolean => kind?.hasCapacity?.() ?? true

/** Runs the work under the reference of the request that caused it. Work without a request gets a new reference. */
function withCause(
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
