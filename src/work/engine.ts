import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { NewWork, Scheduled, Work, WorkEnd, WorkStore } from '../store/store.ts'
import { watchAbandoned } from './abandoned.ts'
import { fullJitterMs } from './backoff.ts'
import { createHoldings, type HeldWork } from './held-work.ts'

/**
 * Quick work takes a moment. Long work (a file of 10,000 rows) has slots of its own, so that quick work never waits for it;
 * so do acts, which may have to wait until they can look at the service.
 */
export type Lane = 'quick' | 'act' | 'long'

/** One kind of work and how it is done. Any process may run it again at any time, so `run` must know what is done already. */
export interface WorkKind {
  readonly kind: string
  readonly lane: Lane
  /** Does the work, or continues it. When it throws, it is tried again later, with full jitter. */
  run(held: HeldWork): Promise<WorkEnd>
  /** The most attempts; 50 unless given. */
  readonly mostAttempts?: number
  /** Called when no attempt is left, before the work is given up. */
  gaveUp?(work: Work, error: unknown): Promise<void>
  /** True when what it holds is of no use once it is given up, and is not kept then. */
  readonly isEmptied?: boolean
}

export interface WorkTimes {
  /** How long a process keeps its work without a sign of life. */
  leaseMs: number
  /** How often this process looks for work that it was not told of. */
  pollMs: number
  /** Failed work is tried again within this time, then within twice this time, and so on. */
  retryMs: number
}

const TIMES: WorkTimes = { leaseMs: 6000, pollMs: 1000, retryMs: 2000 }
const HANDS: Readonly<Record<Lane, number>> = { quick: 8, act: 16, long: 2 }
const LANES = ['quick', 'act', 'long'] as const satisfies readonly Lane[]
const MOST_ATTEMPTS = 50
const STOP_LIMIT_MS = 9000

/** Does the work that is due in this database, beside other processes. Disposing of it gives running work back. */
export interface Engine extends AsyncDisposable {
  readonly owner: string
  /** Says that there may be something to do. */
  wake(): void
  /** Begins work in this process. When a row of its kind and key exists already, that row is returned instead. */
  begin(work: NewWork & { id?: string; key: string }): Promise<{ held: HeldWork } | { known: Work }>
  /**
   * Releases what `begin` returned, and keeps trying while the database is away. When the process stops first, the lease runs
   * out instead. Never rejects.
   */
  end(held: HeldWork, end: WorkEnd): Promise<void>
  /** Deletes the work with this id, if it was begun, and keeps trying like `end`. Never rejects. */
  discard(id: string): Promise<void>
  /** Asks that running work is done once more when it ends. False when it is over already, or deleted. */
  again(id: string): Promise<boolean>
  /** Does this piece of work now, in this process, when it is due and no process has it. */
  runNow(what: Scheduled): Promise<void>
}

export function startEngine(parts: {
  store: WorkStore
  kinds: readonly WorkKind[]
  log: Log
  times?: Partial<WorkTimes> | undefined
  /** Called before work is taken over from a process that is gone. */
  beforeTakeOver?: (() => Promise<unknown>) | undefined
}): Engine {
  const { store, log, beforeTakeOver } = parts
  const times = { ...TIMES, ...parts.times }
  const owner = randomUUID()
  const kinds = new Map(parts.kinds.map((kind) => [kind.kind, kind]))
  const holdings = createHoldings(owner)
  const abandoned = watchAbandoned(times.leaseMs)
  const running: Record<Lane, Set<Promise<void>>> = { quick: new Set(), act: new Set(), long: new Set() }
  let isStopping = false
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  const kindsOf = (lane: Lane): string[] =>
    [...kinds.values()].filter((kind) => kind.lane === lane).map(({ kind }) => kind)

  function wake(): void {
    isAskedAgain = true
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error }, 'Work could not be looked for; it is tried again.'))
      .finally(() => {
        looking = undefined
      })
  }

  async function look(): Promise<void> {
    while (isAskedAgain && !isStopping) {
      isAskedAgain = false
      for (const lane of LANES) {
        const free = HANDS[lane] - running[lane].size
        const named = kindsOf(lane)
        if (free <= 0 || named.length === 0) continue
        const claimed = await store.claimDue(owner, times.leaseMs, named, free)
        for (const work of claimed) void begun(work)
      }
    }
  }

  function begun(work: Work): Promise<void> {
    const lane = kinds.get(work.kind)?.lane ?? 'quick'
    const done = attend(work).finally(() => {
      running[lane].delete(done)
      wake()
    })
    running[lane].add(done)
    return done
  }

  async function attend(work: Work): Promise<void> {
    const held = holdings.hold(work)
    const kind = kinds.get(work.kind)
    try {
      // Of a newer version of the program, which has to finish it.
      if (!kind) return await end(held, { state: 'waiting', dueInMs: times.leaseMs })
      // No process has lived to count its last attempts as failed.
      if (work.attempts > (kind.mostAttempts ?? MOST_ATTEMPTS))
        throw new Error('Every attempt was cut short.')
      await end(held, await kind.run(held))
    } catch (error) {
      await failed(held, kind, error)
    }
  }

  async function failed(held: HeldWork, kind: WorkKind | undefined, error: unknown): Promise<void> {
    const { work, signal } = held
    if (signal.aborted) return await end(held, { state: 'waiting', dueInMs: 0 })
    const line = { kind: work.kind, workspace: work.workspaceId, attempts: work.attempts, err: error }
    if (work.attempts < (kind?.mostAttempts ?? MOST_ATTEMPTS)) {
      log.warn(line, 'A piece of work failed; it is tried again.')
      return await end(held, {
        state: 'waiting',
        dueInMs: fullJitterMs(work.attempts, { baseMs: times.retryMs }),
      })
    }
    log.error(line, 'A piece of work failed too often; it is given up.')
    await kind
      ?.gaveUp?.(work, error)
      .catch((also: unknown) => log.error({ kind: work.kind, err: also }, 'Nobody could be told of it.'))
    await end(held, { state: 'stopped', ...(kind?.isEmptied && { isEmptied: true }) })
  }

  /** It stays this process's own until it is let go of, so that nobody else begins it again meanwhile. */
  async function end(held: HeldWork, how: WorkEnd): Promise<void> {
    await insist({ kind: held.work.kind }, () => store.release(held.work.id, owner, how))
    holdings.drop(held)
  }

  async function insist(line: object, work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (attempt === 1)
          log.error({ ...line, err: error }, 'Work could not be let go of; it is tried until it can.')
      }
      if (isStopping) return
      await pause(fullJitterMs(attempt, { baseMs: 100, mostMs: 1000 }), undefined, { ref: false })
    }
  }

  /** One sign of life for everything; sooner again after a database that did not answer. */
  async function signOfLife(): Promise<void> {
    const asOf = holdings.ids()
    if (asOf.size === 0) return
    holdings.renewed(await store.renew(asOf, owner, times.leaseMs), asOf)
  }

  /** False when the database takes no writes promptly. No process can renew a lease then, so all of them are timed anew. */
  async function couldGiveSigns(): Promise<boolean> {
    const since = performance.now()
    await store.proveWritable()
    const isPrompt = performance.now() - since < times.leaseMs / 4
    if (!isPrompt) abandoned.forget()
    return isPrompt
  }

  const freeHands = (): number =>
    LANES.reduce((free, lane) => free + Math.max(0, HANDS[lane] - running[lane].size), 0)

  async function lookForAbandoned(): Promise<void> {
    // What this process could not let go of is like the work of another.
    const elsewhere = (await store.leases()).filter(({ id }) => !holdings.has(id))
    const left = abandoned.look(elsewhere)
    if (left.length === 0 || !(await couldGiveSigns())) return
    await beforeTakeOver?.()
    // More than there are hands for stays where it is until the next look.
    for (const held of left.slice(0, freeHands())) {
      const work = await store.takeOver(held, owner, times.leaseMs)
      if (!work) continue
      log.warn(
        { kind: work.kind, workspace: work.workspaceId },
        'Work of a process that is gone is taken over.',
      )
      void begun(work)
    }
  }

  const signs = everySoOften(times.leaseMs / 4, signOfLife, (error) => {
    log.warn({ err: error }, 'No sign of life could be given; it is tried again.')
    return times.leaseMs / 20
  })
  const polls = everySoOften(
    times.pollMs,
    async () => {
      wake()
      await lookForAbandoned()
    },
    (error) => {
      abandoned.forget()
      log.warn({ err: error }, 'The work of others could not be looked at; it is tried again.')
      return times.pollMs
    },
  )
  wake()

  return {
    owner,
    wake,
    async begin(work) {
      const begun = await store.begin(work, owner, times.leaseMs)
      return begun.isNew ? { held: holdings.hold(begun.work) } : { known: begun.work }
    },
    end,
    async discard(id) {
      const held = holdings.find(id)
      await insist({ id }, () => store.discard(id, owner))
      if (held) holdings.drop(held)
    },
    again: (id) => store.again(id),
    async runNow(what) {
      const work = await store.claim(what, owner, times.leaseMs)
      if (work) await begun(work)
    },
    async [Symbol.asyncDispose]() {
      isStopping = true
      polls[Symbol.dispose]()
      holdings.letGoOfAll()
      await looking
      const limit = new Promise((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref())
      await Promise.race([Promise.allSettled(LANES.flatMap((lane) => [...running[lane]])), limit])
      signs[Symbol.dispose]()
    },
  }
}

/** Runs `work` again and again with a pause in between; after a failure, `onError` gives the pause. */
function everySoOften(
  pauseMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => number,
): Disposable {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const next = (inMs: number): void => {
    if (isOver) return
    timer = setTimeout(
      () =>
        void work().then(
          () => next(pauseMs),
          (error: unknown) => next(onError(error)),
        ),
      inMs,
    )
    timer.unref()
  }
  next(pauseMs)
  return {
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
    },
  }
}
