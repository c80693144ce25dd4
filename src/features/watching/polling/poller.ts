import { type HeldWork, LeaseLost, splitChunks } from '@signalman/durable'
import { outsideAnyRequest } from '@signalman/runtime'
import { joinUnchanged, type UnchangedPoll } from '../rows/end-polls.ts'
import { type ReadScopes, scopeName } from '../rows/poll-rows.ts'
import { type LeasedScope, mergeListedScopes, type Stopwatch } from './leased-scopes.ts'
import { LONGEST_RETRY_MS, pollScope, type ScopeParts } from './poll-scope.ts'
import { createPollSlots } from './poll-slots.ts'
import { createSmallLook } from './small-workspaces.ts'

/** Scopes per statement. */
const AT_ONCE = 100

/** A group of scopes that this process has leased. */
export interface Group {
  readonly work: HeldWork
  readonly scopes: Map<string, LeasedScope>
  readonly running: Set<Promise<void>>
  /** Aborted when the group is released. */
  readonly stop: AbortController
  /** Resolves when the group should be released. */
  readonly released: PromiseWithResolvers<void>
  /** How often unsaved polls are saved, and when that last happened. */
  readonly saveEveryMs: number
  savedMs: number
  /** When another process asked for the group. No new polls start after that. */
  wantedMs?: number
  /** Runs a function in the async context of the group's work. */
  readonly within: <T>(run: () => T) => T
  mark?: string
}

interface DueScope {
  readonly one: LeasedScope
  readonly group: Group
}

type Parts = ScopeParts & { readonly stopwatch: Stopwatch; readonly roundMs: number }

/** Polls the due scopes of all leased groups in rounds, and sooner when a slot becomes free. */
export function createPoller(parts: Parts, groups: ReadonlyMap<string, Group>) {
  const { polls, intervalMs, stopwatch, roundMs, log } = parts
  const { now } = stopwatch
  const releaseIfWanted = createRelease(now, roundMs)
  const times = { intervalMs, mostMs: Math.max(intervalMs, LONGEST_RETRY_MS) }
  const slots = createPollSlots({ intervalMs, roundMs, now })
  const keep = createSaveUnchanged(polls)
  const pollOne = createPollOne(parts, keep)
  const size = (): number => [...groups.values()].reduce((sum, { scopes }) => sum + scopes.size, 0)
  const rounds = createRounds(stopwatch, roundMs)
  let lookedMs = Number.NEGATIVE_INFINITY
  /** Due scopes without a slot, most overdue first. */
  let queue: DueScope[] = []

  /** Checks which groups are still leased, and reads what changed in them. */
  async function look(): Promise<void> {
    lookedMs = now()
    // Excludes groups that are added while this runs.
    const asked = new Map(groups)
    const [first] = asked.values()
    const marks = first && (await polls.listHeldGroups(first.work.owner, [...asked.keys()]))
    for (const [id, group] of asked) {
      const mark = marks?.get(id)
      if (mark !== undefined && mark !== group.mark) {
        mergeListedScopes(group.scopes, await polls.list(Number(group.work.work.key)), {
          ...times,
          nowMs: now(),
        })
        group.mark = mark
      }
      releaseIfWanted(group, mark === undefined)
    }
    queue = listDue(groups.values(), now())
  }

  function begin(): void {
    const choose = slots.choose(size())
    const chosen: (DueScope & { end: () => void })[] = []
    queue = queue.filter((turn) => {
      if (!isOpen(turn.group) || turn.one.isUnderWay) return false
      const place = choose(turn.one.isFailing)
      if (place) chosen.push({ ...turn, end: () => slots.release(place) })
      return !place
    })
    for (const some of splitChunks(chosen, AT_ONCE)) {
      const reading = polls.read(some.map(({ one }) => one.scope))
      for (const turn of some) {
        const { one, group } = turn
        one.isUnderWay = true
        const going = group
          .within(() => pollOne(turn, reading))
          .finally(() => {
            one.isUnderWay = false
            group.running.delete(going)
            turn.end()
            releaseIfWanted(group)
            if (queue.length > 0) rounds.wake()
          })
        group.running.add(going)
      }
    }
  }

  async function runRound(): Promise<void> {
    try {
      if (now() - lookedMs >= roundMs) await look()
      begin()
      await saveOldUnchanged(groups, keep, now())
    } catch (err) {
      log.warn({ err }, 'What is to be polled could not be asked; it is tried again.')
    }
  }

  return {
    keep,
    hasRoom: () => slots.hasRoom(size()),
    /** Starts a round for a new group. */
    look(): void {
      lookedMs = Number.NEGATIVE_INFINITY
      outsideAnyRequest(() => rounds.run(runRound, () => groups.size > 0))
    },
  }
}

const isOpen = ({ stop, wantedMs }: Group): boolean => !stop.signal.aborted && wantedMs === undefined

/** Releases a group that is lost, empty, or wanted by another process. Waits at most one round for running polls. */
const createRelease =
  (now: () => number, roundMs: number) =>
  (group: Group, isLost = false): void => {
    if (group.work.wantsStop()) group.wantedMs ??= now()
    const { wantedMs, running, scopes, released } = group
    const isWanted = wantedMs !== undefined && (running.size === 0 || now() - wantedMs >= roundMs)
    if (isLost || isWanted || scopes.size === 0) released.resolve()
  }

function listDue(groups: Iterable<Group>, nowMs: number): DueScope[] {
  const due = [...groups].flatMap((group) =>
    isOpen(group) ? [...group.scopes.values()].map((one) => ({ one, group })) : [],
  )
  return due
    .filter(({ one }) => !one.isUnderWay && one.dueMs <= nowMs)
    .sort((left, right) => left.one.dueMs - right.one.dueMs)
}

const createSaveUnchanged =
  (polls: ScopeParts['polls']) =>
  async (scopes: readonly LeasedScope[]): Promise<void> => {
    const known = scopes.flatMap((one) => (one.unsavedNoChange ? [{ one, poll: one.unsavedNoChange }] : []))
    for (const some of splitChunks(known, AT_ONCE)) {
      await polls.saveUnchanged(some.map(({ poll }) => poll))
      // Its next poll may have finished in the meantime.
      for (const { one, poll } of some) if (one.unsavedNoChange === poll) one.unsavedNoChange = undefined
    }
  }

/** Saves unsaved polls that are old enough. */
async function saveOldUnchanged(
  groups: ReadonlyMap<string, Group>,
  keep: ReturnType<typeof createSaveUnchanged>,
  nowMs: number,
): Promise<void> {
  const some = [...groups.values()].filter(({ savedMs, saveEveryMs }) => nowMs - savedMs >= saveEveryMs)
  await keep(some.flatMap(({ scopes }) => [...scopes.values()]))
  for (const group of some) group.savedMs = nowMs
}

/** Polls one scope. Never rejects. */
function createPollOne(parts: Parts, keep: ReturnType<typeof createSaveUnchanged>) {
  const { stopwatch, roundMs, log } = parts
  const asked = { ...parts, glance: createSmallLook() }
  /** If there is a gap, saves the polls before it. */
  async function joinToPrevious(one: LeasedScope, next: UnchangedPoll): Promise<UnchangedPoll> {
    const joined = joinUnchanged(next, one.unsavedNoChange)
    if (!joined) await keep([one])
    return joined ?? { ...next, since: next.end.at }
  }
  return async ({ one, group }: DueScope, reading: Promise<ReadScopes>): Promise<void> => {
    const sinceMs = stopwatch.now()
    const lease = group.stop.signal
    const by = { workId: group.work.work.id, owner: group.work.owner }
    try {
      const { at, scopes } = await reading
      const scope = scopes.get(scopeName(one.scope))
      if (!scope) return void group.scopes.delete(scopeName(one.scope))
      const { nextInMs, isFailing, unsavedNoChange } = await pollScope(asked, {
        scope,
        at,
        by,
        lease,
        keep: () => keep([one]),
        since: async (end) => (await joinToPrevious(one, { scope: one.scope, by, end })).since,
      })
      one.isFailing = isFailing
      one.unsavedNoChange =
        unsavedNoChange && (await joinToPrevious(one, { scope: one.scope, by, end: unsavedNoChange }))
      // A poll that started up to a round late keeps its schedule.
      one.dueMs = (isFailing ? sinceMs : Math.max(one.dueMs, sinceMs - roundMs)) + nextInMs
    } catch (error) {
      // Retries once a round. An aborted poll stays due for the next owner.
      if (!lease.aborted) one.dueMs = stopwatch.now() + roundMs
      if (error instanceof LeaseLost) return
      const line = { workspace: one.scope.workspaceId, err: error }
      log.error(line, 'A poll could not be written down; it is repeated.')
    }
  }
}

/** Runs a function once a round, or as soon as it is woken. */
function createRounds({ after }: Stopwatch, roundMs: number) {
  let isRunning = false
  let alarm = Promise.withResolvers<void>()
  return {
    wake: (): void => alarm.resolve(),
    async run(beat: () => Promise<void>, goesOn: () => boolean): Promise<void> {
      alarm.resolve()
      if (isRunning) return
      isRunning = true
      while (goesOn()) {
        // A wake-up during a round starts another one right after it.
        alarm = Promise.withResolvers()
        await beat()
        const cancel = after(roundMs, alarm.resolve)
        await alarm.promise
        cancel()
      }
      isRunning = false
    },
  }
}
