import { setImmediate } from 'node:timers/promises'
import { LeaseLost, splitChunks } from '@signalman/durable'
import { HOUR_MS, type Log, newId } from '@signalman/runtime'
import { type GetApi, toServiceFailure } from '../../../bot/request/context.ts'
import {
  countBadPolls,
  type IncidentChange,
  type ObservedIncident,
  observe,
} from '../../../domain/outages/observe.ts'
import { BLIND_AFTER_MS, BLIND_AFTER_POLLS, MAX_BAD_POLLS } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import { type LeaseHolder, type PolledScope, scopeKey } from '../rows/poll-rows.ts'
import { findGapStart, type SuccessfulPoll } from '../rows/save-polls.ts'
import type { WatchStore } from '../rows/watching.ts'
import { prepareWatch } from '../rules/matching.ts'
import { readWatchClock } from '../rules/watch-clock.ts'
import type { LeasedScopes, Stopwatch } from './leased-scopes.ts'
import { type PollResult, pollService } from './poll-service.ts'
import { MAX_CHECKS_OF_SMALL_WORKSPACE, type PollSmallWorkspace } from './small-workspaces.ts'

export type PollsStore = WatchStore['polls']
/** Open incidents by UUID. */
type States = ReadonlyMap<string, ObservedIncident>

export interface ScopeDeps {
  readonly polls: PollsStore
  /** Opens the service with the workspace's own token. */
  readonly getApi: GetApi
  readonly intervalMs: number
  /** The scopes that this process polls. Shared with the check for late polls. */
  readonly leased?: LeasedScopes | undefined
  readonly stopwatch?: Stopwatch | undefined
  readonly log: Log
  /** Wakes the delivery work. */
  readonly wake: () => void
}

/** Time between full listings. */
const FULL_EVERY_MS = HOUR_MS
/** Small, because SQLite allows only one writer at a time. */
const CHANGES_PER_TRANSACTION = 100

interface PollRequest {
  readonly scope: PolledScope
  readonly at: Date
  readonly leaseHolder: LeaseHolder
  readonly leaseSignal: AbortSignal
  /** The previous successful poll, if it wasn’t saved yet when the scope was read. */
  readonly previous: SuccessfulPoll | undefined
  /** Saves earlier polls that changed nothing. Called before this poll's changes are saved. */
  readonly saveUnsavedPolls: () => Promise<void>
  /** Returns when the current run of unchanged polls started. After a gap, saves the earlier run first and starts a new one. */
  readonly getRunStart: (result: SuccessfulPoll) => Promise<Date | undefined>
}

interface PollOutcome {
  readonly nextInMs: number
  readonly isFailing: boolean
  /** The result of a poll that changed nothing and isn't saved yet. */
  readonly unsavedPoll?: SuccessfulPoll | undefined
}

/** Polls one environment of a workspace once, and saves what changed. Throws LeaseLost. */
export async function pollScope(
  deps: ScopeDeps & { readonly pollSmall: PollSmallWorkspace },
  request: PollRequest,
): Promise<PollOutcome> {
  const { polls, intervalMs } = deps
  const { scope, at, leaseHolder, leaseSignal } = request
  const states = await polls.readStates(scope)
  let result: PollResult
  try {
    result = await queryService(deps, scope, states, at, leaseSignal)
  } catch (error) {
    // This process is stopping or has lost the lease, so the error says nothing about the service.
    if (leaseSignal.aborted) throw new LeaseLost()
    const { workspaceId, environment } = scope
    deps.log.info({ workspace: workspaceId, environment, err: error }, 'A poll failed.')
    const retryMs = Math.max(intervalMs, getRetryMs(error))
    await request.saveUnsavedPolls()
    if (!(await polls.saveFailure(scope, leaseHolder, { failure: toServiceFailure(error), at, retryMs })))
      throw new LeaseLost()
    deps.wake()
    return { nextInMs: retryMs, isFailing: true }
  }
  return {
    nextInMs: intervalMs,
    isFailing: false,
    unsavedPoll: await saveOrDeferPoll(deps, request, states, result),
  }
}

async function queryService(
  { polls, getApi, pollSmall }: ScopeDeps & { readonly pollSmall: PollSmallWorkspace },
  scope: PolledScope,
  states: States,
  at: Date,
  leaseSignal: AbortSignal,
): Promise<PollResult> {
  const isFull = isOlderThan(scope.fullAt, at, FULL_EVERY_MS)
  using limit = createTimeLimit(leaseSignal)
  const { signal } = limit
  const api = await getApi(scope.workspaceId, scope.environment, { isPoll: true })
  const watches = scope.watches.map(prepareWatch)
  const { poll } = scope
  const namedUuids = isFull ? await polls.listNamedChecks(scope) : undefined
  // Blindness isn't a check.
  const known = new Map([...states].filter(([uuid]) => uuid !== ''))
  const query = { poll, known, watches, isFull, namedUuids, signal }
  if (scope.total <= MAX_CHECKS_OF_SMALL_WORKSPACE) {
    const result = await pollSmall(scopeKey(scope), api, query)
    if (result) return result
  }
  limit.extend()
  return await pollService(api, query)
}

/** Also true for a missing date, or one in the future because the clock was set back. */
const isOlderThan = (date: Date | undefined, at: Date, ms: number): boolean =>
  !date || date > at || at.getTime() - date.getTime() >= ms

/** Saves the result of a poll. If nothing changed, returns it without saving, so that it can be saved later. */
async function saveOrDeferPoll(
  { polls, intervalMs, wake }: ScopeDeps,
  { scope, at, leaseHolder, saveUnsavedPolls, getRunStart, previous }: PollRequest,
  states: States,
  polled: PollResult,
): Promise<SuccessfulPoll | undefined> {
  const { poll, clock } = scope
  const now = { at, clockMs: readWatchClock({ ...clock, intervalMs }, at) }
  const changes = observe(
    states,
    {
      ...now,
      poll,
      unseenSince: findGapStart(previous?.at ?? clock.lastOkAt, { at, intervalMs }),
      previousClockMs: previous?.clockMs ?? clock.clockMs,
      isFirst: poll === 1,
      ...polled,
      // The service has answered, so its checks can be seen.
      good: new Set([...polled.good, '']),
    },
    newId,
  )
  const { total, isFull, matched, names } = polled
  const result = { poll, ...now, intervalMs, total, isFull, matched, names }
  const isChanged =
    changes.length > 0 || poll === 1 || hasUnconfirmed(states, changes, poll) || total !== scope.total
  if (!isChanged && !scope.isFailing && !scope.isUndecided && !isFull) return result
  let { statesVersion } = scope
  const batches = [...splitChunks(changes, CHANGES_PER_TRANSACTION)].map((batch) => {
    const nextStatesVersion = newId()
    const next = { poll, now, statesVersion, nextStatesVersion, changes: batch }
    statesVersion = nextStatesVersion
    return next
  })
  const last = batches.pop()
  // With at most one batch, `saveResult` covers the earlier polls too, through `since`.
  if (batches.length > 0) await saveUnsavedPolls()
  for (const batch of batches) {
    if (!(await polls.saveBatch(scope, leaseHolder, batch))) throw new LeaseLost()
    await setImmediate()
  }
  if (!(await polls.saveResult(scope, leaseHolder, { result, since: await getRunStart(result) }, last)))
    throw new LeaseLost()
  wake()
  return undefined
}

/** Whether some watch may still be waiting for more bad polls before it reports an incident. */
function hasUnconfirmed(states: States, changes: readonly IncidentChange[], poll: number): boolean {
  const changed = new Map(changes.map(({ incident }) => [incident.check.uuid, incident]))
  return [...states].some(([uuid, before]) => {
    const incident = changed.get(uuid) ?? before
    return uuid !== '' && incident.isDown && countBadPolls(incident, poll) <= MAX_BAD_POLLS
  })
}

const POLL_TIMEOUT_MS = 20_000
const FULL_POLL_TIMEOUT_MS = 120_000

/** Aborts a poll that takes too long or whose lease is lost. A full listing gets more time. */
function createTimeLimit(leaseSignal: AbortSignal): Disposable & { signal: AbortSignal; extend(): void } {
  const limit = new AbortController()
  const abort = (): void => limit.abort()
  if (leaseSignal.aborted) abort()
  leaseSignal.addEventListener('abort', abort, { once: true })
  let timer = setTimeout(abort, POLL_TIMEOUT_MS)
  return {
    signal: limit.signal,
    extend() {
      clearTimeout(timer)
      timer = setTimeout(abort, FULL_POLL_TIMEOUT_MS)
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      leaseSignal.removeEventListener('abort', abort)
    },
  }
}

/** The longest wait before a retry, so that enough polls have failed when people should be notified. */
export const MAX_RETRY_MS = BLIND_AFTER_MS / (BLIND_AFTER_POLLS - 1)

/** How long the service asked to wait before a retry, capped so that people are notified in time. */
export const getRetryMs = (error: unknown): number =>
  error instanceof ApiError ? Math.min((error.retryAfterSeconds ?? 0) * 1000, MAX_RETRY_MS) : 0
