import { type HeldWork, LeaseLost, splitChunks } from '@signalman/durable'
import { outsideAnyRequest } from '@signalman/runtime'
import { joinUnchanged, type UnchangedPoll } from '../rows/end-polls.ts'
import { type ReadScopes, scopeName } from '../rows/poll-rows.ts'
import { createGlances } from './glance.ts'
import { type HeldScope, type Stopwatch, takeIn } from './held-scopes.ts'
import { createPlaces } from './places.ts'
import { LONGEST_RETRY_MS, pollScope, type ScopeParts } from './poll-scope.ts'

/** Scopes in one statement. */
const AT_ONCE = 100

/** A group of scopes whose lease this process has. */
export interface Group {
  readonly work: HeldWork
  readonly scopes: Map<string, HeldScope>
  readonly going: Set<Promise<void>>
  /** Aborted when the group is given back. */
  readonly stop: AbortController
  /** Fulfilled when it is to be given back. */
  readonly over: PromiseWithResolvers<void>
  /** How long this process may know alone what of it was polled, and since when it does. */
  readonly keepEveryMs: number
  keptMs: number
  /** Since when another process wants it: nothing of it is begun any more. */
  wantedMs?: number
  /** Runs what is done for this group as a part of its work. */
  readonly within: <T>(run: () => T) => T
  mark?: string
}

interface Turn {
  readonly one: HeldScope
  readonly group: Group
}

type Parts = ScopeParts & { readonly stopwatch: Stopwatch; readonly roundMs: number }

/** Polls what is due of all groups of this process, in rounds, and sooner where a place becomes free that something waits for. */
export function createPoller(parts: Parts, groups: ReadonlyMap<string, Group>) {
  const { polls, intervalMs, stopwatch, roundMs, log } = parts
  const { now } = stopwatch
  const giveIfWanted = giving(now, roundMs)
  const times = { intervalMs, mostMs: Math.max(intervalMs, LONGEST_RETRY_MS) }
  const places = createPlaces({ intervalMs, roundMs, now })
  const keep = keeping(polls)
  const pollOne = polling(parts, keep)
  const size = (): number => [...groups.values()].reduce((sum, { scopes }) => sum + scopes.size, 0)
  const beats = createBeats(stopwatch, roundMs)
  let lookedMs = Number.NEGATIVE_INFINITY
  /** What is due and has no place yet, the longest due first. */
  let queue: Turn[] = []

  /** Which groups are this process's still, and what is new in them. */
  async function look(): Promise<void> {
    lookedMs = now()
    // Of one that comes meanwhile the answer says nothing.
    const asked = new Map(groups)
    const [first] = asked.values()
    const marks = first && (await polls.held(first.work.owner, [...asked.keys()]))
    for (const [id, group] of asked) {
      const mark = marks?.get(id)
      if (mark !== undefined && mark !== group.mark) {
        takeIn(group.scopes, await polls.list(Number(group.work.work.key)), { ...times, nowMs: now() })
        group.mark = mark
      }
      giveIfWanted(group, mark === undefined)
    }
    queue = dueOf(groups.values(), now())
  }

  function begin(): void {
    const choose = places.choose(size())
    const chosen: (Turn & { end: () => void })[] = []
    queue = queue.filter((turn) => {
      if (!isOpen(turn.group) || turn.one.isUnderWay) return false
      const place = choose(turn.one.isFailing)
      if (place) chosen.push({ ...turn, end: () => places.leave(place) })
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
            group.going.delete(going)
            turn.end()
            giveIfWanted(group)
            if (queue.length > 0) beats.wake()
          })
        group.going.add(going)
      }
    }
  }

  async function beat(): Promise<void> {
    try {
      if (now() - lookedMs >= roundMs) await look()
      begin()
      await keepSome(groups, keep, now())
    } catch (err) {
      log.warn({ err }, 'What is to be polled could not be asked; it is tried again.')
    }
  }

  return {
    keep,
    hasRoom: () => places.hasRoom(size()),
    /** Looks at once: there is a group more. */
    look(): void {
      lookedMs = Number.NEGATIVE_INFINITY
      outsideAnyRequest(() => beats.run(beat, () => groups.size > 0))
    },
  }
}

const isOpen = ({ stop, wantedMs }: Group): boolean => !stop.signal.aborted && wantedMs === undefined

/**
 * Gives back a group that is lost, in which nothing is watched, or that another process wants; what hangs there holds up the others of
 * it for a round at most.
 */
const giving =
  (now: () => number, roundMs: number) =>
  (group: Group, isLost = false): void => {
    if (group.work.wantsStop()) group.wantedMs ??= now()
    const { wantedMs, going, scopes, over } = group
    const isWanted = wantedMs !== undefined && (going.size === 0 || now() - wantedMs >= roundMs)
    if (isLost || isWanted || scopes.size === 0) over.resolve()
  }

function dueOf(groups: Iterable<Group>, nowMs: number): Turn[] {
  const due = [...groups].flatMap((group) =>
    isOpen(group) ? [...group.scopes.values()].map((one) => ({ one, group })) : [],
  )
  return due
    .filter(({ one }) => !one.isUnderWay && one.dueMs <= nowMs)
    .sort((left, right) => left.one.dueMs - right.one.dueMs)
}

const keeping =
  (polls: ScopeParts['polls']) =>
  async (scopes: readonly HeldScope[]): Promise<void> => {
    const known = scopes.flatMap((one) => (one.unsavedNoChange ? [{ one, poll: one.unsavedNoChange }] : []))
    for (const some of splitChunks(known, AT_ONCE)) {
      await polls.keep(some.map(({ poll }) => poll))
      // Its next poll may have ended meanwhile.
      for (const { one, poll } of some) if (one.unsavedNoChange === poll) one.unsavedNoChange = undefined
    }
  }

/** Writes what has been known to this process alone for long. */
async function keepSome(
  groups: ReadonlyMap<string, Group>,
  keep: ReturnType<typeof keeping>,
  nowMs: number,
): Promise<void> {
  const some = [...groups.values()].filter(({ keptMs, keepEveryMs }) => nowMs - keptMs >= keepEveryMs)
  await keep(some.flatMap(({ scopes }) => [...scopes.values()]))
  for (const group of some) group.keptMs = nowMs
}

/** Polls a scope as it is by then. Never rejects. */
function polling(parts: Parts, keep: ReturnType<typeof keeping>) {
  const { stopwatch, roundMs, log } = parts
  const asked = { ...parts, glance: createGlances() }
  /** Where it stood still in between, what was seen until then is written before. */
  async function following(one: HeldScope, next: UnchangedPoll): Promise<UnchangedPoll> {
    const joined = joinUnchanged(next, one.unsavedNoChange)
    if (!joined) await keep([one])
    return joined ?? { ...next, since: next.end.at }
  }
  return async ({ one, group }: Turn, reading: Promise<ReadScopes>): Promise<void> => {
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
        since: async (end) => (await following(one, { scope: one.scope, by, end })).since,
      })
      one.isFailing = isFailing
      one.unsavedNoChange =
        unsavedNoChange && (await following(one, { scope: one.scope, by, end: unsavedNoChange }))
      // What was begun a round later than it was due keeps its pace.
      one.dueMs = (isFailing ? sinceMs : Math.max(one.dueMs, sinceMs - roundMs)) + nextInMs
    } catch (error) {
      // Once a round, however often others come to an end; what was cut off stays due for whoever has the group next.
      if (!lease.aborted) one.dueMs = stopwatch.now() + roundMs
      if (error instanceof LeaseLost) return
      const line = { workspace: one.scope.workspaceId, err: error }
      log.error(line, 'A poll could not be written down; it is repeated.')
    }
  }
}

/** Does something once a round, or as soon as it is woken, one after the other. */
function createBeats({ after }: Stopwatch, roundMs: number) {
  let isRunning = false
  let alarm = Promise.withResolvers<void>()
  return {
    wake: (): void => alarm.resolve(),
    async run(beat: () => Promise<void>, goesOn: () => boolean): Promise<void> {
      alarm.resolve()
      if (isRunning) return
      isRunning = true
      while (goesOn()) {
        // Whoever wakes it during a beat has another follow at once.
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
