import { type LeasedWork, LeaseLost, splitChunks } from '@signalman/durable'
import { runWithoutTraceContext } from '@signalman/runtime'
import { type ReadScopesResult, scopeKey } from '../rows/poll-rows.ts'
import { extendUnsavedRun, type PollToSave } from '../rows/save-polls.ts'
import { type LeasedScope, mergeListedScopes, type Stopwatch } from './leased-scopes.ts'
import { MAX_RETRY_MS, pollScope, type ScopeDeps } from './poll-scope.ts'
import { createPollSlots, type Slot } from './poll-slots.ts'
import { createSmallWorkspacePoll } from './small-workspaces.ts'

/** Scopes per statement. */
const SCOPES_PER_STATEMENT = 100

/** A group of scopes that this process has leased. */
export interface Group {
  readonly leasedWork: LeasedWork
  readonly scopes: Map<string, LeasedScope>
  readonly running: Set<Promise<void>>
  /** Aborted when the group is released. */
  readonly abortController: AbortController
  /** Resolves when the group should be released. */
  readonly released: PromiseWithResolvers<void>
  /** How often unsaved polls are saved, and when that last happened. */
  readonly saveEveryMs: number
  savedMs: number
  readonly leasedMs: number
  /** When the group has been here long enough. From then on, no polls start. */
  releaseRequestedMs?: number
  /** Runs a function in the async context of the group's work item. */
  readonly inContext: <Args extends unknown[], T>(run: (...args: Args) => T, ...args: Args) => T
  /** Changes when something in the group does. Undefined until its scopes are read for the first time. */
  version?: string
}

/** How long a process keeps a group, so that new processes get their share. */
const LEASED_FOR_MS = 10 * 60_000

interface DueScope {
  readonly leased: LeasedScope
  readonly group: Group
}

type Deps = ScopeDeps & { readonly stopwatch: Stopwatch; readonly roundMs: number }

/** Polls the due scopes of all leased groups in rounds, and sooner when a slot becomes free. */
export function createPoller(deps: Deps, groups: ReadonlyMap<string, Group>) {
  const { polls, intervalMs, stopwatch, roundMs, log } = deps
  const { now } = stopwatch
  const releaseIfRequested = createReleaseIfRequested(now, roundMs)
  const times = { intervalMs, maxMs: Math.max(intervalMs, MAX_RETRY_MS) }
  const saveUnchanged = createSaveUnchanged(polls)
  const pollOne = createPollOne(deps, saveUnchanged)
  const countScopes = (): number => [...groups.values()].reduce((sum, { scopes }) => sum + scopes.size, 0)
  const slots = createPollSlots({ intervalMs, roundMs, now, countScopes })
  const rounds = createRounds(stopwatch, roundMs)
  let refreshedMs = Number.NEGATIVE_INFINITY
  /** Due scopes without a slot, most overdue first. */
  let queue: DueScope[] = []

  /** Checks which groups are still leased, and reads what changed in them. */
  async function refreshGroups(): Promise<void> {
    refreshedMs = now()
    // A copy, because groups may be added while this runs.
    const current = new Map(groups)
    const [first] = current.values()
    const versions = first && (await polls.listLeasedGroups(first.leasedWork.owner, [...current.keys()]))
    for (const [id, group] of current) {
      const version = versions?.get(id)
      if (version !== undefined && version !== group.version) {
        mergeListedScopes(group.scopes, await polls.listGroup(Number(group.leasedWork.work.key)), {
          ...times,
          nowMs: now(),
        })
        group.version = version
      }
      releaseIfRequested(group, version === undefined)
    }
    queue = listDue(groups.values(), now())
  }

  function startPolls(): void {
    const allocate = slots.createAllocator()
    const chosen: (DueScope & { slot: Slot })[] = []
    queue = queue.filter((dueScope) => {
      if (!acceptsPolls(dueScope.group) || dueScope.leased.isUnderWay) return false
      const slot = allocate(dueScope.leased.isFailing)
      if (slot) chosen.push({ ...dueScope, slot })
      return !slot
    })
    for (const batch of splitChunks(chosen, SCOPES_PER_STATEMENT)) {
      const reading = polls.readScopes(batch.map(({ leased }) => leased.scope))
      for (const dueScope of batch) {
        const { leased, group } = dueScope
        leased.isUnderWay = true
        const polling = group.inContext(pollOne, dueScope, reading).finally(() => {
          leased.isUnderWay = false
          group.running.delete(polling)
          slots.release(dueScope.slot)
          releaseIfRequested(group)
          if (queue.length > 0) rounds.wake()
        })
        group.running.add(polling)
      }
    }
  }

  async function runRound(): Promise<void> {
    try {
      if (now() - refreshedMs >= roundMs) await refreshGroups()
      startPolls()
      await saveOldUnchanged(groups, saveUnchanged, now())
    } catch (err) {
      log.warn({ err }, 'Couldn’t read which polls are due. Retrying.')
    }
  }

  return {
    saveUnchanged,
    hasCapacity: slots.hasCapacity,
    /** Starts a round for a new group. */
    startRound(): void {
      refreshedMs = Number.NEGATIVE_INFINITY
      runWithoutTraceContext(() => rounds.run(runRound, () => groups.size > 0))
    },
  }
}

const acceptsPolls = ({ abortController, releaseRequestedMs }: Group): boolean =>
  !abortController.signal.aborted && releaseRequestedMs === undefined

/**
 * Releases a group that this process has lost, that is empty, or that it has had for long enough, so that processes share them. Waits at most one round for
 * running polls.
 */
const createReleaseIfRequested =
  (now: () => number, roundMs: number) =>
  (group: Group, isLost = false): void => {
    if (now() - group.leasedMs > LEASED_FOR_MS) group.releaseRequestedMs ??= now()
    const { releaseRequestedMs, running, scopes, released } = group
    const isReadyToRelease =
      releaseRequestedMs !== undefined && (running.size === 0 || now() - releaseRequestedMs >= roundMs)
    if (isLost || isReadyToRelease || scopes.size === 0) released.resolve()
  }

function listDue(groups: Iterable<Group>, nowMs: number): DueScope[] {
  const due: DueScope[] = []
  for (const group of groups)
    if (acceptsPolls(group))
      for (const leased of group.scopes.values())
        if (!leased.isUnderWay && leased.dueMs <= nowMs) due.push({ leased, group })
  return due.sort((left, right) => left.leased.dueMs - right.leased.dueMs)
}

const createSaveUnchanged =
  (polls: ScopeDeps['polls']) =>
  async (scopes: readonly LeasedScope[]): Promise<void> => {
    const unsaved = scopes.flatMap((leased) =>
      leased.unsavedPoll ? [{ leased, poll: leased.unsavedPoll }] : [],
    )
    for (const batch of splitChunks(unsaved, SCOPES_PER_STATEMENT)) {
      await polls.saveUnchanged(batch.map(({ poll }) => poll))
      // If another poll has finished in the meantime, that one is still unsaved.
      for (const { leased, poll } of batch) if (leased.unsavedPoll === poll) leased.unsavedPoll = undefined
    }
  }

/** Saves the unsaved polls of each group whose `saveEveryMs` has passed. */
async function saveOldUnchanged(
  groups: ReadonlyMap<string, Group>,
  saveUnchanged: ReturnType<typeof createSaveUnchanged>,
  nowMs: number,
): Promise<void> {
  const due = [...groups.values()].filter(({ savedMs, saveEveryMs }) => nowMs - savedMs >= saveEveryMs)
  await saveUnchanged(due.flatMap(({ scopes }) => [...scopes.values()]))
  for (const group of due) group.savedMs = nowMs
}

/** Polls one scope. Never rejects. */
function createPollOne(deps: Deps, saveUnchanged: ReturnType<typeof createSaveUnchanged>) {
  const { stopwatch, roundMs, log } = deps
  const pollDeps = { ...deps, pollSmall: createSmallWorkspacePoll() }
  /** Appends a poll to the unsaved run before it. If there is a gap, saves that run first. */
  async function appendToUnsaved(leased: LeasedScope, next: PollToSave): Promise<PollToSave> {
    const joined = extendUnsavedRun(next, leased.unsavedPoll)
    if (!joined) await saveUnchanged([leased])
    return joined ?? { ...next, since: next.result.at }
  }
  return async ({ leased, group }: DueScope, reading: Promise<ReadScopesResult>): Promise<void> => {
    const sinceMs = stopwatch.now()
    // Before waiting: this round may save it after `reading` has read the row without it.
    const previous = leased.unsavedPoll?.result
    const leaseSignal = group.abortController.signal
    const leaseHolder = { workId: group.leasedWork.work.id, owner: group.leasedWork.owner }
    try {
      const { at, scopes } = await reading
      const scope = scopes.get(scopeKey(leased.scope))
      if (!scope) return void group.scopes.delete(scopeKey(leased.scope))
      const { nextInMs, isFailing, unsavedPoll } = await pollScope(pollDeps, {
        scope,
        at,
        leaseHolder,
        leaseSignal,
        previous,
        saveUnsavedPolls: () => saveUnchanged([leased]),
        getRunStart: async (result) =>
          (await appendToUnsaved(leased, { scope: leased.scope, leaseHolder, result })).since,
      })
      leased.isFailing = isFailing
      leased.unsavedPoll =
        unsavedPoll &&
        (await appendToUnsaved(leased, { scope: leased.scope, leaseHolder, result: unsavedPoll }))
      // A poll that started up to a round late keeps its schedule.
      leased.dueMs = (isFailing ? sinceMs : Math.max(leased.dueMs, sinceMs - roundMs)) + nextInMs
    } catch (error) {
      // Retries in the next round. After an abort, the poll stays due, so the next owner runs it.
      if (!leaseSignal.aborted) leased.dueMs = stopwatch.now() + roundMs
      if (error instanceof LeaseLost) return
      const logFields = { workspace: leased.scope.workspaceId, err: error }
      log.error(logFields, 'Couldn’t save a poll. Retrying.')
    }
  }
}

/** Runs a function once a round, or sooner if `wake` is called. */
function createRounds({ after }: Stopwatch, roundMs: number) {
  let isRunning = false
  let wakeUp = Promise.withResolvers<void>()
  return {
    wake: (): void => wakeUp.resolve(),
    async run(round: () => Promise<void>, shouldContinue: () => boolean): Promise<void> {
      wakeUp.resolve()
      if (isRunning) return
      isRunning = true
      while (shouldContinue()) {
        // A wake-up during a round starts another one right after it.
        wakeUp = Promise.withResolvers()
        await round()
        const cancel = after(roundMs, wakeUp.resolve)
        await wakeUp.promise
        cancel()
      }
      isRunning = false
    },
  }
}
