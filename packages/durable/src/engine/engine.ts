// This folder runs stored work, with leases and retries, and steps exactly once.

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { runPeriodically, runWithoutTraceContext } from '@signalman/runtime'
import type { NewWork, Work } from '../work/work-row.ts'
import type { EngineStore } from '../work/work-store.ts'
import { type LeasedWork, type LeasedWorkTracker, trackLeasedWork } from './leased-work.ts'
import type { Log } from './log.ts'
import { createRelease } from './release-work.ts'
import { createTakeOver } from './take-over.ts'
import { LANES, type Lane, type WorkKind } from './work-kind.ts'
import { createWorkRunner, WORK_TIMES, type WorkTimes } from './work-runner.ts'

/**
 * Work in these lanes can be released at any time: jobs stop between steps, polls and lookups only read, and sweeps are
 * repeatable.
 */
const RESUMABLE: readonly Lane[] = ['change', 'long', 'poll', 'maintenance']
const STOP_TIMEOUT_MS = 9000

/** The work that `Engine.begin` began, or the existing work with the same kind and key. */
type BeginResult = { leased: LeasedWork } | { existing: Work }

/** Runs due work, competing with other processes. Disposing of it releases running work. */
export interface Engine extends AsyncDisposable {
  readonly owner: string
  /** For this long after the call of `begin`, no other process can have taken over the work that it began. */
  readonly holdsForMs: number
  /**
   * Stops claiming work. Releases resumable work immediately, waits up to this long for the rest, and then releases that, too.
   * Acts that requests begin still run.
   */
  drain(limitMs: number): Promise<void>
  /** Signals that there may be something to do. */
  wake(): void
  /** Begins work in this process. If a row with its kind and key already exists, returns that row instead (`WorkStore.begin`). */
  begin(work: NewWork & { id?: string; key: string }, atCommit?: () => void): Promise<BeginResult>
  /** Runs what `begin` returned, by its kind, as any process would after a crash. Never rejects. */
  run(leased: LeasedWork): Promise<void>
}

interface EngineDeps {
  store: EngineStore
  log: Log
  times?: Partial<WorkTimes> | undefined
}

/** Creates an engine and starts it with these kinds. */
export function startEngine({ kinds, ...deps }: EngineDeps & { kinds: readonly WorkKind[] }): Engine {
  const engine = createEngine(deps)
  engine.start(kinds)
  return engine
}

/** Creates an engine before the kinds of work exist, because their handlers may need the engine. */
export function createEngine(deps: EngineDeps): Engine & { start(kinds: readonly WorkKind[]): void } {
  const { store, log } = deps
  const times = { ...WORK_TIMES, ...deps.times }
  const { leaseMs } = times
  const owner = randomUUID()
  const leasedWork = trackLeasedWork(owner)
  const kinds = new Map<string, WorkKind>()
  let isStopping = false
  let polls: Disposable | undefined
  const release = createRelease({ store, owner, leasedWork, log, isStopping: () => isStopping })
  const search = createSearch(log, () => runner.fill())
  const { wake } = search
  const runner = createWorkRunner({ ...deps, kinds, owner, leasedWork, release, times, onFree: wake })
  const takeOver = createTakeOver({
    store,
    owner,
    leaseMs,
    leasedWork,
    runner,
    log,
  })
  const heartbeats = sendHeartbeats({ store, owner, leasedWork, log, leaseMs })
  /** Stops claiming work, releases resumable work, and resolves when nothing is running or the time is up. */
  async function finish(limitMs: number): Promise<void> {
    polls?.[Symbol.dispose]()
    runner.close()
    const limit = new Promise((resolve) => setTimeout(resolve, limitMs).unref())
    await Promise.race([search.ended(), limit])
    leasedWork.abort(runner.running(RESUMABLE))
    await Promise.race([runner.idle(), limit])
  }

  return {
    owner,
    holdsForMs: takeOver.suspectsForMs,
    /** Starts claiming work. Call it once. */
    start(kindsToRun) {
      for (const kind of kindsToRun) kinds.set(kind.kind, kind)
      polls = runPeriodically(
        times.pollMs,
        async () => {
          await takeOver.check()
          wake()
        },
        (error, failures) => {
          takeOver.reset()
          if (failures === 1) log.warn({ err: error }, 'Could not look for abandoned work; retrying.')
          return times.pollMs
        },
      )
      wake()
    },
    async drain(limitMs) {
      await finish(limitMs)
      leasedWork.abort(runner.running(LANES))
    },
    wake,
    begin(work, atCommit) {
      return leasedWork.trackClaim(async () => {
        const begun = await store.begin(work, owner, atCommit)
        return begun.isNew ? { leased: leasedWork.add(begun.work) } : { existing: begun.work }
      })
    },
    run: (leased) => runner.start(leased, { takesSlot: false }),
    async [Symbol.asyncDispose]() {
      isStopping = true
      leasedWork.abortAll()
      await finish(STOP_TIMEOUT_MS)
      heartbeats[Symbol.dispose]()
      await store
        .leave(owner)
        .catch((error: unknown) =>
          log.debug({ err: error }, 'The process could not be removed from the list of running processes.'),
        )
    },
  }
}

/** While work keeps ending, searches take at most a quarter of the time, so that each of them claims more. */
const PAUSE_PER_SEARCH = 3
const MAX_PAUSE_MS = 200

/** Runs one search for work at a time, and another one, after a pause, if it was requested meanwhile. */
function createSearch(log: Log, search: () => unknown): { wake(): void; ended(): Promise<void> } {
  let searching: Promise<void> | undefined
  let isRequestedAgain = false

  async function run(): Promise<void> {
    try {
      while (isRequestedAgain) {
        isRequestedAgain = false
        const startedAt = performance.now()
        await search()
        const pauseMs = PAUSE_PER_SEARCH * (performance.now() - startedAt)
        if (isRequestedAgain) await pause(Math.min(pauseMs, MAX_PAUSE_MS))
      }
    } finally {
      // Clear this before resolving, so that a request made in between starts another search.
      searching = undefined
    }
  }

  return {
    wake() {
      isRequestedAgain = true
      // The work that it finds doesn't belong to the request that triggered the search.
      searching ??= runWithoutTraceContext(run).catch((error: unknown) =>
        log.warn({ err: error }, 'Could not look for due work; retrying.'),
      )
    },
    ended: async () => searching,
  }
}

/** Sends one heartbeat for all work of this process, and retries sooner after a failure. */
function sendHeartbeats(deps: {
  store: Pick<EngineStore, 'renew'>
  owner: string
  leasedWork: LeasedWorkTracker
  log: Log
  leaseMs: number
}): Disposable {
  const { store, owner, leasedWork, log, leaseMs } = deps
  async function sendHeartbeat(): Promise<void> {
    const leased = leasedWork.all()
    if (leased.size > 0) leasedWork.applyHeartbeat(await store.renew(owner), leased)
  }
  return runPeriodically(leaseMs / 4, sendHeartbeat, (error, failures) => {
    if (failures === 1) log.warn({ err: error }, 'The heartbeat failed; retrying.')
    return leaseMs / 20
  })
}
