// This folder polls the service, and stores what has changed.

import { setTimeout as pause } from 'node:timers/promises'
import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import { type Log, limitTime } from '@signalman/runtime'
import { type GetApi, toServiceFailure } from '../../../bot/request/context.ts'
import { NO_DATA_AFTER_MS, NO_DATA_AFTER_POLLS } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import {
  type DuePoll,
  isQuietFailure,
  judgeQuiet,
  type LeaseHolder,
  nameScope,
  type PollResult,
  type QuietPoll,
} from '../rows/polls.ts'
import type { WatchStore } from '../rows/watching.ts'
import { WATCH_WORK } from '../rows/work.ts'
import { pollService } from './poll-service.ts'

export interface PollDeps {
  readonly watching: Pick<WatchStore, 'polls'>
  /** Opens the service with the workspace's own token. */
  readonly getApi: GetApi
  readonly intervalMs: number
  readonly log: Log
  /** Wakes the delivery work. */
  readonly wake: () => void
}

const POLL_TIMEOUT_MS = 60_000
/** The longest wait before a retry, so that enough polls have failed when people should be notified. */
const MAX_RETRY_MS = NO_DATA_AFTER_MS / (NO_DATA_AFTER_POLLS - 1)
/** How many environments of a group are polled at the same time. */
const CONCURRENCY = 64
/** A process polls a group for this long, and then leaves it to whichever process claims it first. */
const HOLD_MS = 10 * 60_000
/** Each tick costs queries, whether much is due or little. */
const MAX_TICK_MS = 2000
/** How many polls are saved alone at the same time: after an outage, many are, and people need connections to the database too. */
const MAX_ALONE = 4

/**
 * Polls a group of environments. Once a tick, saves all quiet polls, which changed nothing, in one statement, and starts what is due.
 * Other polls are saved one by one.
 */
export function createPollWork(pollDeps: PollDeps): WorkKind {
  const deps = { ...pollDeps, alone: createLimit(MAX_ALONE) }
  const tickMs = Math.min(MAX_TICK_MS, Math.max(10, deps.intervalMs / 10))
  return {
    kind: WATCH_WORK.poll,
    lane: 'poll',
    async run({ work: { id: workId, key }, owner, signal }) {
      const group = createGroup(deps, { group: Number(key), lease: { workId, owner }, signal, tickMs })
      const endsAt = performance.now() + HOLD_MS
      for (;;) {
        const isEnding = performance.now() > endsAt
        const { isIdle, isEmpty, next } = await group.tick(!isEnding)
        if (isIdle && isEnding) return repeatAfter(tickMs + Math.random() * MAX_TICK_MS)
        if (isIdle && isEmpty) return DONE
        await Promise.race([pause(tickMs, undefined, { signal }), ...next]).catch(() =>
          signal.throwIfAborted(),
        )
      }
    },
  }
}

interface Group {
  readonly group: number
  readonly lease: LeaseHolder
  readonly signal: AbortSignal
  readonly tickMs: number
}

/** Runs work, at most this many pieces at a time. */
function createLimit(max: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

type GroupDeps = PollDeps & { readonly alone: ReturnType<typeof createLimit> }

function createGroup(deps: GroupDeps, { group, lease, signal, tickMs }: Group) {
  const { watching, intervalMs, log } = deps
  const { polls } = watching
  /** What is polled now, or has still to be saved. */
  const busy = new Map<string, Promise<void>>()
  let quiet: QuietPoll[] = []
  let isFull = false

  async function begin(poll: DuePoll): Promise<void> {
    try {
      const saved = await pollOnce(deps, poll, lease, signal)
      if (typeof saved === 'object') quiet.push(saved)
      else busy.delete(nameScope(poll.scope))
    } catch (err) {
      // The others go on. This one is polled again after the usual time.
      log.error({ workspace: poll.scope.workspaceId, err }, 'A poll could not be saved. It is repeated.')
      await pause(intervalMs, undefined, { signal }).catch(() => undefined)
      busy.delete(nameScope(poll.scope))
    }
  }

  return {
    /** `next`: if more is due than can be polled at once, the polls of which one has to end first. */
    async tick(beginsMore: boolean): Promise<{ isIdle: boolean; isEmpty: boolean; next: Promise<void>[] }> {
      const saved = quiet
      quiet = []
      // What had to wait, as after a start, was due together. It is spread over an interval, so that outages aren't found together.
      await polls.saveQuiet(lease, saved, intervalMs * (isFull ? 0.5 + Math.random() : 1) - tickMs)
      for (const { scope } of saved) busy.delete(nameScope(scope))
      const free = beginsMore ? CONCURRENCY - busy.size : 0
      const { due, isEmpty } = await polls.listDue(group, {
        ...{ limit: free, except: new Set(busy.keys()), maxWaitMs: Math.max(intervalMs, MAX_RETRY_MS) },
      })
      for (const poll of due) busy.set(nameScope(poll.scope), begin(poll))
      isFull = due.length > 0 && due.length === free
      return { isIdle: busy.size === 0, isEmpty, next: isFull ? [...busy.values()] : [] }
    },
  }
}

/** Polls one environment. A quiet poll has still to be saved. */
async function pollOnce(
  { watching: { polls }, getApi, intervalMs, log, wake, alone }: GroupDeps,
  poll: DuePoll,
  lease: LeaseHolder,
  signal: AbortSignal,
): Promise<QuietPoll | 'saved'> {
  const { scope, known } = poll
  let result: PollResult
  const startedMs = performance.now()
  try {
    const api = await getApi(scope.workspaceId, scope.environment, { isPoll: true })
    using limit = limitTime(POLL_TIMEOUT_MS, signal)
    result = await pollService(api, new Set([...known.keys()].filter((uuid) => uuid !== '')), limit.signal)
  } catch (error) {
    // This process is stopping or has lost the lease, so the error says nothing about the service.
    if (signal.aborted) return 'saved'
    log.info({ workspace: scope.workspaceId, environment: scope.environment, err: error }, 'A poll failed.')
    const failure = toServiceFailure(error)
    const retryMs = Math.max(intervalMs, getRetryMs(error))
    if (retryMs === intervalMs && isQuietFailure(poll, failure, performance.now() - startedMs))
      return { ...poll, outcome: 'failed' }
    if (await alone(() => polls.saveFailure(scope, lease, failure, retryMs))) wake()
    return 'saved'
  }
  const outcome = judgeQuiet(poll, result, performance.now() - startedMs)
  if (outcome) return { ...poll, outcome }
  if (await alone(() => polls.saveResult(scope, lease, result, intervalMs))) wake()
  return 'saved'
}

/** How long the service asked to wait before a retry, capped so that people are notified in time. */
const getRetryMs = (error: unknown): number =>
  error instanceof ApiError ? Math.min((error.retryAfterSeconds ?? 0) * 1000, MAX_RETRY_MS) : 0
