import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../../api/errors.ts'
import type { Api } from '../../api/service.ts'
import { NotConnected } from '../../bot/context/not-connected.ts'
import {
  observe,
  runOf,
  type SubjectChange,
  type SubjectKey,
  type SubjectState,
} from '../../domain/watching/observe.ts'
import type { CheckTotals, PollFailure } from '../../domain/watching/outage.ts'
import { readyWatch, watchedStatuses } from '../../domain/watching/subjects.ts'
import { MOST_BAD_POLLS, type WatchedStatus } from '../../domain/watching/watch.ts'
import { UserError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { WatchStore } from '../../store/store.ts'
import { newWatchingId } from '../../store/watching/row.ts'
import { LeaseLost } from '../../work/held-work.ts'
import { type Look, lookAt } from './look.ts'

export type PollsStore = WatchStore['polls']
type ScopeKey = Parameters<PollsStore['scope']>[0]
type PolledScope = NonNullable<Awaited<ReturnType<PollsStore['scope']>>>
type Holder = Parameters<PollsStore['record']>[1]

export interface ScopeParts {
  readonly polls: PollsStore
  /** Opens the service with the workspace's own token. */
  readonly apiOf: (
    workspaceId: string,
    environment: ScopeKey['environment'],
    signal: AbortSignal,
  ) => Promise<Api>
  readonly intervalMs: number
  readonly log: Log
  /** Says that there is something to send. */
  readonly wake: () => void
}

const POLL_LIMIT_MS = 20_000
const FULL_LIMIT_MS = 120_000
const FULL_EVERY_MS = 3_600_000
/** So soon after a full listing, totals that do not add up are no reason for another. */
const FULL_PAUSE_MS = 5 * 60_000
/** Subjects of one transaction, during which SQLite lets nothing else in. */
const PART = 100

/** Polls one environment of a workspace once, and writes down what that comes to. Throws LeaseLost. */
export async function pollScope(
  parts: ScopeParts,
  key: ScopeKey,
  by: Holder,
  lease: AbortSignal,
): Promise<void> {
  const { polls, intervalMs } = parts
  const scope = await polls.scope(key)
  if (!scope) return
  const at = await polls.time()
  let look: Look
  try {
    look = await askService(parts, scope, at, lease)
  } catch (error) {
    // Of a process that stops nothing is learnt about the service.
    if (lease.aborted) throw new LeaseLost()
    parts.log.info({ workspace: key.workspaceId, environment: key.environment, err: error }, 'A poll failed.')
    const failed = { failure: failureOf(error), at, retryMs: Math.max(intervalMs, retryAfterMs(error)) }
    if (!(await polls.fail(key, by, failed))) throw new LeaseLost()
    parts.wake()
    return
  }
  await writeDown(parts, scope, by, at, look)
}

async function askService(
  { apiOf }: ScopeParts,
  scope: PolledScope,
  at: Date,
  lease: AbortSignal,
): Promise<Look> {
  const isHourly = !scope.fullAt || at.getTime() - scope.fullAt.getTime() >= FULL_EVERY_MS
  const mayBeFull = !scope.fullAt || at.getTime() - scope.fullAt.getTime() >= FULL_PAUSE_MS
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), POLL_LIMIT_MS)
  const signal = AbortSignal.any([lease, limit.signal, AbortSignal.timeout(FULL_LIMIT_MS)])
  try {
    const api = await apiOf(scope.workspaceId, scope.environment, signal)
    return await lookAt(api, {
      statuses: statusesOf(scope),
      known: [...scope.states.keys()],
      watches: scope.watches.map(readyWatch),
      signal,
      wantsFull(totals) {
        // A long listing has a time of its own.
        clearTimeout(timer)
        return isHourly || (mayBeFull && restOf(totals) !== restOf(scope.totals ?? totals))
      },
    })
  } finally {
    clearTimeout(timer)
  }
}

const statusesOf = ({ watches }: PolledScope): WatchedStatus[] => [
  ...new Set(['UNHEALTHY' as const, ...watches.flatMap(({ filter }) => watchedStatuses(filter))]),
]

/** Checks that no total names: of another status, or caught between two answers. */
const restOf = ({ all, healthy, installing, unhealthy }: CheckTotals): number =>
  all - healthy - installing - unhealthy

async function writeDown(
  { polls, intervalMs, wake }: ScopeParts,
  scope: PolledScope,
  by: Holder,
  at: Date,
  look: Look,
): Promise<void> {
  const { poll, states } = scope
  const statuses = statusesOf(scope)
  const baseline = new Set(statuses.filter((status) => !scope.statuses.includes(status)))
  const changes = observe(states, { poll, at, ...look, baseline }, newWatchingId)
  const candidates = candidatesOf(states, changes, poll)
  let { mark } = scope
  for (const part of partsOf(changes, candidates)) {
    const nextMark = newWatchingId()
    if (!(await polls.record(scope, by, { poll, at, mark, nextMark, ...part }))) throw new LeaseLost()
    mark = nextMark
    await setImmediate()
  }
  const { totals, isFull, matched } = look
  const end = { poll, at, intervalMs, statuses, totals, isFull, matched, meanwhile: meanwhileOf(changes) }
  const isChanged = changes.length > 0 || candidates.length > 0
  const isQuiet = !isChanged && !scope.isFailing && !scope.isBlind && !isFull
  if (!(await polls.finish(scope, by, end, isQuiet))) throw new LeaseLost()
  if (!isQuiet) wake()
}

/** Whoever has been bad for so few polls that a watch may only now want to be told. */
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

/** Each outage is in one part with its candidate: nobody can be told of one that is not written yet. */
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

/** A service that cannot be asked for want of an address or a token is not connected; whatever else failed is out of reach. */
function failureOf(error: unknown): PollFailure {
  if (error instanceof ApiError) return error.kind === 'unauthorized' ? 'unauthorized' : 'unreachable'
  return error instanceof NotConnected || error instanceof UserError ? 'not-connected' : 'unreachable'
}

const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
