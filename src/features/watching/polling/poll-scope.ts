import { setImmediate } from 'node:timers/promises'
import { LeaseLost, splitChunks } from '@signalman/durable'
import { HOUR_MS, type Log, newId } from '@signalman/runtime'
import { type ApiOf, toServiceFailure } from '../../../bot/request/context.ts'
import {
  countSamePolls,
  observe,
  type SubjectChange,
  type SubjectKey,
  type SubjectState,
} from '../../../domain/outages/observe.ts'
import { BLIND_AFTER_MS, MOST_BAD_POLLS, type WatchedStatus } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import type { PollEnd } from '../rows/end-polls.ts'
import { type Holder, type PolledScope, scopeName } from '../rows/poll-rows.ts'
import type { WatchStore } from '../rows/watching.ts'
import { readyWatch } from '../rules/subjects.ts'
import { seenAt } from '../rules/watch-clock.ts'
import { type Glance, MOST_AT_A_GLANCE } from './glance.ts'
import type { HeldScopes, Stopwatch } from './held-scopes.ts'
import { type Look, lookAt } from './look.ts'

export type PollsStore = WatchStore['polls']
type States = ReadonlyMap<SubjectKey, SubjectState>

export interface ScopeParts {
  readonly polls: PollsStore
  /** Opens the service with the workspace's own token. */
  readonly apiOf: ApiOf
  readonly intervalMs: number
  /** What this process has to poll, for whoever wants to know. */
  readonly held?: HeldScopes | undefined
  readonly stopwatch?: Stopwatch | undefined
  readonly log: Log
  /** Wakes the work that sends cards. */
  readonly wake: () => void
}

const FULL_EVERY_MS = HOUR_MS
/** Subjects in one transaction: SQLite admits no other writer meanwhile. */
const PART = 100

interface OnePoll {
  readonly scope: PolledScope
  readonly at: Date
  readonly by: Holder
  readonly lease: AbortSignal
  /** Writes that nothing had changed until the poll before: what changes now comes after that. */
  readonly keep: () => Promise<void>
  /** Since when nothing had changed, where no gap lies between; what lies before one is written. */
  readonly since: (end: PollEnd) => Promise<Date | undefined>
}

interface PollOutcome {
  readonly nextInMs: number
  readonly isFailing: boolean
  /** The end of a poll that has changed nothing; not written yet. */
  readonly unsavedNoChange?: PollEnd | undefined
}

/** Polls one environment of a workspace once, and writes down what has changed. Throws LeaseLost. */
export async function pollScope(
  parts: ScopeParts & { readonly glance: Glance },
  one: OnePoll,
): Promise<PollOutcome> {
  const { polls, intervalMs } = parts
  const { scope, at, by, lease } = one
  const states = await polls.states(scope)
  let look: Look
  try {
    look = await askService(parts, scope, states, at, lease)
  } catch (error) {
    // A process that stops has learnt nothing about the service.
    if (lease.aborted) throw new LeaseLost()
    const { workspaceId, environment } = scope
    parts.log.info({ workspace: workspaceId, environment, err: error }, 'A poll failed.')
    const retryMs = Math.max(intervalMs, retryAfterMs(error))
    await one.keep()
    if (!(await polls.fail(scope, by, { failure: toServiceFailure(error), at, retryMs })))
      throw new LeaseLost()
    parts.wake()
    return { nextInMs: retryMs, isFailing: true }
  }
  return {
    nextInMs: intervalMs,
    isFailing: false,
    unsavedNoChange: await writeDown(parts, one, states, look),
  }
}

async function askService(
  { polls, apiOf, glance }: ScopeParts & { readonly glance: Glance },
  scope: PolledScope,
  states: States,
  at: Date,
  lease: AbortSignal,
): Promise<Look> {
  const isFull = isPast(scope.fullAt, at, FULL_EVERY_MS)
  using limit = timeLimit(lease)
  const { signal } = limit
  const api = await apiOf(scope.workspaceId, scope.environment, { isPoll: true })
  const watches = scope.watches.map(readyWatch)
  const { poll } = scope
  const named = isFull ? await polls.named(scope) : undefined
  const question = { poll, known: states, watches, isFull, named, signal }
  if (scope.total <= MOST_AT_A_GLANCE) {
    const look = await glance(scopeName(scope), api, question)
    if (look) return look
  }
  limit.lengthen()
  return await lookAt(api, question)
}

/** True, too, of what never was, and of what is still to come by a clock that was set back since. */
const isPast = (date: Date | undefined, at: Date, ms: number): boolean =>
  !date || date > at || at.getTime() - date.getTime() >= ms

/** Returns the poll's end where there is nothing else to write. */
async function writeDown(
  { polls, intervalMs, wake }: ScopeParts,
  { scope, at, by, keep, since }: OnePoll,
  states: States,
  look: Look,
): Promise<PollEnd | undefined> {
  const { poll, clock } = scope
  const now = { at, seen: seenAt({ ...clock, intervalMs }, at) }
  const statuses: readonly WatchedStatus[] = ['UNHEALTHY']
  const baseline = new Set(statuses.filter((status) => !scope.statuses.includes(status)))
  const changes = observe(states, { poll, at, ...look, partsFlips: true, baseline }, newId)
  const hasCandidates = areCandidatesLeft(states, changes, poll)
  const { total, isFull, matched, names } = look
  const end = {
    poll,
    ...now,
    intervalMs,
    statuses,
    total,
    isFull,
    matched,
    names,
    meanwhile: meanwhileOf(changes),
  }
  const isChanged = changes.length + baseline.size > 0 || hasCandidates || total !== scope.total
  if (!isChanged && !scope.isFailing && !scope.isBlind && !scope.isUndecided && !isFull) return end
  let { statesVersion } = scope
  const parts = [...splitChunks(changes, PART)].map((part) => {
    const nextStatesVersion = newId()
    const next = { poll, now, statesVersion, nextStatesVersion, changes: part }
    statesVersion = nextStatesVersion
    return next
  })
  const last = parts.pop()
  if (parts.length > 0) await keep()
  for (const part of parts) {
    if (!(await polls.record(scope, by, part))) throw new LeaseLost()
    await setImmediate()
  }
  if (!(await polls.finish(scope, by, { end, since: await since(end) }, last))) throw new LeaseLost()
  wake()
  return undefined
}

/** Whether there are outages whose bad polls are so few that some watch may be waiting for one more: each is counted. */
function areCandidatesLeft(
  states: ReadonlyMap<SubjectKey, SubjectState>,
  changes: readonly SubjectChange[],
  poll: number,
): boolean {
  const isCandidate = (state: SubjectState): boolean =>
    state.phase === 'bad' && countSamePolls(state, poll) <= MOST_BAD_POLLS
  const changed = new Map(changes.map(({ key, state }) => [key, state]))
  return [...states].some(([key, state]) => isCandidate(changed.get(key) ?? state))
}

/** What was good in the first poll that saw anything counts as up, though only the next one ends its outage. */
const meanwhileOf = (changes: readonly SubjectChange[]): { down: number; up: number } => ({
  down: changes.filter(({ opened }) => opened && !opened.isBaseline).length,
  up: changes.filter(
    ({ state, outage }) => outage?.ended?.ending === 'recovered' || (state?.phase === 'good' && outage),
  ).length,
})

const POLL_LIMIT_MS = 20_000
const FULL_LIMIT_MS = 120_000

/** Ends a poll that takes too long, or whose lease is lost. A long listing gets more time. */
function timeLimit(lease: AbortSignal): Disposable & { signal: AbortSignal; lengthen(): void } {
  const limit = new AbortController()
  const end = (): void => limit.abort()
  if (lease.aborted) end()
  lease.addEventListener('abort', end, { once: true })
  let timer = setTimeout(end, POLL_LIMIT_MS)
  return {
    signal: limit.signal,
    lengthen() {
      clearTimeout(timer)
      timer = setTimeout(end, FULL_LIMIT_MS)
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      lease.removeEventListener('abort', end)
    },
  }
}

/** Half the time after which people are told that nothing can be seen. */
export const LONGEST_RETRY_MS = BLIND_AFTER_MS / 2

/** How long the service asks for a pause; cut, because people must be told when it lasts. */
export const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? Math.min((error.retryAfterSeconds ?? 0) * 1000, LONGEST_RETRY_MS) : 0
