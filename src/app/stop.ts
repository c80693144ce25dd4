import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { HttpServer, SocketMode } from '@signalman/slack'
import type { Backends } from './backends.ts'
import type { SlackReceiver } from './slack-receiver.ts'

/** How much time a load balancer has to see in `/readyz` that it should stop sending requests. */
const LAME_DUCK_MS = 3000
/** If `/readyz` was requested within this time, a load balancer uses it. */
const PROBED_WITHIN_MS = 60_000
/** How long running requests and work may take before service calls are aborted and work is released. */
const DRAIN_LIMIT_MS = 10_000
/** How long aborted requests may then take to show people the outcome. */
const ANSWER_LIMIT_MS = 2000
/**
 * How long the whole stop may take, whatever hangs. It's less than the 20 s that the manifests give before they kill the process:
 * `terminationGracePeriodSeconds` and `stop_grace_period`.
 */
export const STOP_LIMIT_MS = 18_000
/** What the steps after the drain leave for closing connections. */
const CLOSE_RESERVE_MS = 1000

/** The time that is left for a stop. */
export type StopBudget = ReturnType<typeof createStopBudget>

/** Starts counting when the stop begins. */
export function createStopBudget(limitMs = STOP_LIMIT_MS) {
  let began: number | undefined
  const leftMs = () => (began === undefined ? limitMs : limitMs - (performance.now() - began))
  return {
    begin(): void {
      began ??= performance.now()
    },
    /** How long a step may take: at most `ms`, and never so long that nothing can be closed afterwards. */
    limit: (ms: number): number => Math.max(0, Math.min(ms, leftMs() - CLOSE_RESERVE_MS)),
    /** Runs the rest of a stop. Resolves when it ends or the time is up, whichever is first. False if time was up. */
    async finish(work: Promise<unknown>): Promise<boolean> {
      const timeout = Promise.withResolvers<false>()
      const timer = setTimeout(() => timeout.resolve(false), Math.max(0, leftMs()))
      const isDone = await Promise.race([work.then(() => true), timeout.promise])
      clearTimeout(timer)
      // It can't be reported to anyone anymore.
      if (!isDone) work.catch(() => undefined)
      return isDone
    },
  }
}

/** How far shutdown has progressed. */
export interface ShutdownState {
  /** `/readyz` reports not ready. */
  isDraining: boolean
  /** New requests are refused. */
  isRefusing: boolean
}

interface StopDeps {
  log: Log
  backends: Backends
  engine: Pick<Engine, 'drain'>
  slackReceiver: SlackReceiver
  sockets: SocketMode | undefined
  mainServer: HttpServer
  /** Once aborted, shutdown doesn't wait for anything. */
  forceStop: AbortSignal
  budget: StopBudget
}

/**
 * Stops accepting requests. After the lame-duck phase, the engine claims no more work either. Running requests and work have
 * 10 s to finish; then the engine releases the rest for other processes. A second signal skips both waits. Outgoing connections
 * (Slack, the service, the database) stay open until `app.ts` closes them.
 */
export async function stop(shutdown: ShutdownState, deps: StopDeps): Promise<void> {
  const { sockets, mainServer, forceStop, budget } = deps
  shutdown.isDraining = true
  if (sockets)
    await waitUnlessForced(
      Promise.race([sockets[Symbol.asyncDispose](), pause(budget.limit(LAME_DUCK_MS))]),
      forceStop,
    )
  // Requests that the load balancer sends before it notices are handled normally.
  else if (mainServer.wasReadinessRequestedWithin(PROBED_WITHIN_MS))
    await waitUnlessForced(pause(LAME_DUCK_MS), forceStop)
  shutdown.isRefusing = true
  await drain(deps)
}

/** Waits for the work to end, or for a second signal. */
async function waitUnlessForced(work: Promise<unknown>, forceStop: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>()
  const onAbort = () => aborted.resolve()
  forceStop.addEventListener('abort', onAbort, { once: true })
  if (forceStop.aborted) onAbort()
  await Promise.race([work, aborted.promise])
  forceStop.removeEventListener('abort', onAbort)
}

/** Lets requests and work finish. Then aborts the service calls of slow requests, so that they end with an answer. */
async function drain({
  log,
  backends,
  engine,
  slackReceiver: { inFlight },
  forceStop,
  budget,
}: StopDeps): Promise<void> {
  const limitMs = budget.limit(DRAIN_LIMIT_MS)
  const ended = Promise.all([inFlight.waitUntilIdle(limitMs), engine.drain(limitMs)])
  // The engine's own limit doesn't count a database that hangs.
  await waitUnlessForced(Promise.race([ended, pause(limitMs)]), forceStop)
  if (inFlight.count === 0) return
  // Aborts the service calls. The connection to Slack stays open, so that people get an answer.
  const answerMs = budget.limit(ANSWER_LIMIT_MS)
  await Promise.race([backends.service[Symbol.asyncDispose](), pause(answerMs)])
  const stillRunning = await inFlight.waitUntilIdle(budget.limit(ANSWER_LIMIT_MS))
  if (stillRunning > 0) log.warn({ left: stillRunning }, 'Stopping although some requests are still running.')
}
