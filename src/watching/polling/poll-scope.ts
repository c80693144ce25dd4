import { setImmediate } from 'node:timers/promises'
import type { Api } from '../../api/service.ts'
import { HOUR_MS } from '../../domain/durations.ts'
import {
  observe,
  runOf,
  type SubjectChange,
  type SubjectKey,
  type SubjectState,
} from '../../domain/watching/observe.ts'
import type { CheckTotals } from '../../domain/watching/outage.ts'
import { readyWatch, watchedStatuses } from '../../domain/watching/subjects.ts'
import { MOST_BAD_POLLS, type WatchedStatus } from '../../domain/watching/watch.ts'
import type { Log } from '../../log.ts'
import type { WatchStore } from '../../store/store.ts'
import { type PolledScope, scopeName } from '../../store/watching/poll-rows.ts'
import { newWatchingId } from '../../store/watching/row.ts'
import { LeaseLost } from '../../work/held-work.ts'
import { failureOf, retryAfterMs } from './failure.ts'
import { type Glance, MOST_AT_A_GLANCE } from './glance.ts'
import { type Look, lookAt } from './look.ts'
import type { QuietEnds } from './quiet-ends.ts'
import { timeLimit } from './time-limit.ts'

export type PollsStore = WatchStore['polls']
type Holder = Parameters<PollsStore['record']>[1]
type States = ReadonlyMap<SubjectKey, SubjectState>

export interface ScopeParts {
  readonly polls: PollsStore
  /** Opens the service with the workspace's own token. */
  readonly apiOf: (workspaceId: string, environment: PolledScope['environment']) => Promise<Api>
  readonly intervalMs: number
  readonly log: Log
  /** Wakes the work that sends cards. */
  readonly wake: () => void
}

const FULL_EVERY_MS = HOUR_MS
/** How long after a full listing wrong totals cause no other one. */
const FULL_PAUSE_MS = 5 * 60_000
/** Subjects in one transaction: SQLite admits no other writer meanwhile. */
const PART = 100

/** What one process remembers between polls. */
export interface PollMemory {
  readonly glance: Glance
  readonly quietEnds: QuietEnds
}

/** Polls one environment of a workspace once, and writes down the result. Throws LeaseLost. */
export async function pollScope(
  parts: ScopeParts & PollMemory,
  scope: PolledScope,
  at: Date,
  by: Holder,
  lease: AbortSignal,
): Promise<void> {
  const { polls, intervalMs, quietEnds } = parts
  const states = await polls.states(scope)
  let look: Look
  try {
    look = await quietEnds.during(() => askService(parts, scope, states, at, lease))
  } catch (error) {
    // A process that stops has learnt nothing about the service.
    if (lease.aborted) throw new LeaseLost()
    const { workspaceId, environment } = scope
    parts.log.info({ workspace: workspaceId, environment, err: error }, 'A poll failed.')
    const failed = { failure: failureOf(error), at, retryMs: Math.max(intervalMs, retryAfterMs(error)) }
    if (!(await polls.fail(scope, by, failed))) throw new LeaseLost()
    parts.wake()
    return
  }
  await writeDown(parts, scope, states, by, at, look)
}

async function askService(
  { apiOf, glance }: ScopeParts & PollMemory,
  scope: PolledScope,
  states: States,
  at: Date,
  lease: AbortSignal,
): Promise<Look> {
  const isHourly = !scope.fullAt || at.getTime() - scope.fullAt.getTime() >= FULL_EVERY_MS
  const mayBeFull = !scope.fullAt || at.getTime() - scope.fullAt.getTime() >= FULL_PAUSE_MS
  using limit = timeLimit(lease)
  const { signal } = limit
  const api = await apiOf(scope.workspaceId, scope.environment)
  const watches = scope.watches.map(readyWatch)
  const { poll } = scope
  const question = { poll, statuses: statusesOf(scope), known: [...states.keys()], watches, signal }
  if ((scope.totals?.all ?? 0) <= MOST_AT_A_GLANCE) {
    const look = await glance(scopeName(scope), api, question, isHourly)
    if (look) return look
  }
  return await lookAt(api, {
    ...question,
    wantsFull(totals) {
      limit.lengthen()
      return isHourly || (mayBeFull && restOf(totals) !== restOf(scope.totals ?? totals))
    },
  })
}

const statusesOf = ({ watches }: PolledScope): WatchedStatus[] => [
  ...new Set(['UNHEALTHY' as const, ...watches.flatMap(({ filter }) => watchedStatuses(filter))]),
]

/** Checks that no total counts: of another status, or changed between two answers. */
const restOf = ({ all, healthy, installing, unhealthy }: CheckTotals): number =>
  all - healthy - installing - unhealthy

async function writeDown(
  { polls, intervalMs, wake, quietEnds }: ScopeParts & PollMemory,
  scope: PolledScope,
  states: States,
  by: Holder,
  at: Date,
  look: Look,
): Promise<void> {
  const { poll } = scope
  const statuses = statusesOf(scope)
  const baseline = new Set(statuses.filter((status) => !scope.statuses.includes(status)))
  const changes = observe(states, { poll, at, ...look, baseline }, newWatchingId)
  const candidates = candidatesOf(states, changes, poll)
  let { statesVersion } = scope
  for (const part of partsOf(changes, candidates)) {
    const nextStatesVersion = newWatchingId()
    if (!(await polls.record(scope, by, { poll, at, statesVersion, nextStatesVersion, ...part })))
      throw new LeaseLost()
    statesVersion = nextStatesVersion
    await setImmediate()
  }
  const { totals, isFull, matched } = look
  const end = { poll, at, intervalMs, statuses, totals, isFull, matched, meanwhile: meanwhileOf(changes) }
  const isChanged = changes.length > 0 || candidates.length > 0
  const isQuiet = !isChanged && !scope.isFailing && !scope.isBlind && !isFull
  const isWritten = isQuiet ? await quietEnds.add({ scope, by, end }) : await polls.finish(scope, by, end)
  if (!isWritten) throw new LeaseLost()
  if (!isQuiet) wake()
}

/** Outages whose bad polls are so few that some watch may be told of them only now. */
function candidatesOf(
  states: ReadonlyMap<SubjectKey, SubjectState>,
  changes: readonly SubjectChange[],
  poll: number,
): SubjectState[] {
  const changed = new Map(changes.map(({ key, state }) => [key, state]))
  const isCandidate = (state: SubjectState): boolean =>
    state.phase === 'bad' && runOf(state, poll) <= MOST_BAD_POLLS
  const found = changes.flatMap(({ state }) => (state && isCandidate(state) ? [state] : []))
  for (const [key, state] of states) if (isCandidate(state) && !changed.has(key)) found.push(state)
  return found
}

/** Each outage is in the same part as its candidate: people are told only of outages that are written. */
function* partsOf(
  changes: readonly SubjectChange[],
  candidates: readonly SubjectState[],
): Generator<{ changes: SubjectChange[]; candidates: SubjectState[] }> {
  const changed = new Set<string>()
  for (let start = 0; start < changes.length; start += PART) {
    const some = changes.slice(start, start + PART)
    const ids = new Set(some.flatMap(({ state }) => (state ? [state.outageId] : [])))
    for (const id of ids) changed.add(id)
    yield { changes: some, candidates: candidates.filter(({ outageId }) => ids.has(outageId)) }
  }
  const rest = candidates.filter(({ outageId }) => !changed.has(outageId))
  for (let start = 0; start < rest.length; start += PART)
    yield { changes: [], candidates: rest.slice(start, start + PART) }
}

const meanwhileOf = (changes: readonly SubjectChange[]): { down: number; up: number } => ({
  down: changes.filter(({ transition }) => transition?.to === 'down').length,
  up: changes.filter(({ transition }) => transition?.to === 'up').length,
})
