// This folder polls the service, and stores what has changed.

import { setTimeout as sleep } from 'node:timers/promises'
import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { type GetApi, toServiceFailure } from '../../../bot/request/context.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { NO_DATA_AFTER_MS, NO_DATA_AFTER_POLLS, type PollFailure } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import type { PolledScope } from '../rows/polls.ts'
import type { WatchStore } from '../rows/watching.ts'
import { WATCH_WORK } from '../rows/work.ts'
import type { PollResult } from '../rules/decide-poll.ts'
import { pollService } from './poll-service.ts'

export interface PollDeps {
  readonly watching: Pick<WatchStore, 'polls'>
  /** Opens the service with the workspace's own token. */
  readonly getApi: GetApi
  /** Takes a person who has left off what they're on. */
  readonly checkPerson: (workspaceId: string, userId: string) => Promise<void>
  readonly intervalMs: number
  readonly log: Log
  /** Wakes the delivery work. */
  readonly wake: () => void
}

/** The longest wait after a failure, so that enough polls have failed when people should be notified. */
const MAX_RETRY_MS = NO_DATA_AFTER_MS / (NO_DATA_AFTER_POLLS - 1)
/** What is due together, as after a start, is spread, so that outages aren't found together. */
const SPREAD = 0.1
/** How many polls apart it's looked whether whoever is on something is still there: Slack's event may be lost. */
const CHECK_PEOPLE_EVERY = 20
/** How long the next poll waits for that, if Slack doesn't answer. */
const CHECK_PEOPLE_FOR_MS = 1000

export function createPollWork(deps: PollDeps): WorkKind {
  const {
    watching: { polls },
    intervalMs,
    log,
    wake,
  } = deps
  const retryMs = Math.min(intervalMs, MAX_RETRY_MS)
  return {
    kind: WATCH_WORK.poll,
    lane: 'poll',
    async run({ work: { id: workId, workspaceId, key }, owner, signal }) {
      const environment = ENVIRONMENTS.find((one) => one === key)
      if (!environment) return DONE
      try {
        const polled = await polls.find({ workspaceId, environment })
        if (!polled) return DONE
        const { outcome, account, dueInMs } = await pollOnce(deps, polled, signal)
        if (await polls.save(polled, { workId, owner }, outcome, { intervalMs, account })) wake()
        if (typeof outcome !== 'string' && polled.state.polls % CHECK_PEOPLE_EVERY === 0)
          await checkPeople(deps, polled)
        return repeatAfter(dueInMs ?? intervalMs * (1 + SPREAD * (Math.random() - 0.5)))
      } catch (err) {
        // This process is stopping or has lost the lease.
        signal.throwIfAborted()
        log.error({ workspace: workspaceId, err }, 'A poll could not be saved. It is repeated.')
        // Not thrown, because then each failure would make the pause longer.
        return repeatAfter(retryMs)
      }
    },
  }

  async function checkPeople({ checkPerson }: PollDeps, { scope, known }: PolledScope): Promise<void> {
    const people = new Set([...known.values()].flatMap(({ onIt }) => onIt?.by ?? []))
    const checking = Promise.allSettled([...people].map((userId) => checkPerson(scope.workspaceId, userId)))
    await Promise.race([checking, sleep(CHECK_PEOPLE_FOR_MS, undefined, { ref: false })])
  }

  async function pollOnce(
    { getApi, watching: { polls } }: PollDeps,
    { scope, state: { account }, known }: PolledScope,
    signal: AbortSignal,
  ): Promise<{ outcome: PollResult | PollFailure; account?: string; dueInMs?: number }> {
    const { workspaceId, environment } = scope
    try {
      const stored = await getApi(workspaceId, environment, { isPoll: true })
      // The same token at another address isn't the same account.
      const api = { ...stored, account: `${stored.account} ${stored.address}` }
      const checks = new Map([...known].filter(([uuid]) => uuid !== ''))
      const isOther = account !== undefined && account !== api.account
      const former = isOther ? { account, uuids: await polls.listFormer(scope) } : undefined
      return { outcome: await pollService(api, checks, signal, former), account: api.account }
    } catch (error) {
      signal.throwIfAborted()
      log.info({ workspace: workspaceId, environment, err: error }, 'A poll failed.')
      const wantedMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
      return {
        outcome: toServiceFailure(error),
        dueInMs: Math.max(retryMs, Math.min(wantedMs, MAX_RETRY_MS)),
      }
    }
  }
}
