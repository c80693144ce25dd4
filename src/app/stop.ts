import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { HttpServer, SocketMode } from '@signalman/slack'
import type { Outside } from './outside.ts'
import type { Receiving } from './receive.ts'

/** How much time a load balancer has to see in `/readyz` that it should stop sending requests. */
const LAME_DUCK_MS = 3000
/** If `/readyz` was requested within this time, a load balancer uses it. */
const PROBED_WITHIN_MS = 60_000
/** How long running requests and work may take before service calls are aborted and work is released. */
const DRAIN_LIMIT_MS = 10_000
/** How long aborted requests then have to tell people their outcome. */
const ANSWER_LIMIT_MS = 2000

/** How far shutdown has progressed. */
export interface Stopping {
  /** `/readyz` reports not ready. */
  isDraining: boolean
  /** New requests are refused. */
  isRefusing: boolean
}

interface StopDeps {
  log: Log
  outside: Outside
  engine: Pick<Engine, 'drain'>
  receiving: Receiving
  sockets: SocketMode | undefined
  front: HttpServer
  /** Once aborted, stopping doesn't wait for anything. */
  hurry: AbortSignal
}

/**
 * Stops accepting requests. After the lame-duck phase, the engine claims no more work either. Running requests and work have
 * 10 s to finish; then the engine releases the rest for other processes. A second signal skips both waits. Outgoing connections
 * (Slack, the service, the database) stay open until `app.ts` closes them.
 */
export async function stop(stopping: Stopping, deps: StopDeps): Promise<void> {
  const { sockets, front, hurry } = deps
  stopping.isDraining = true
  if (sockets) await sockets[Symbol.asyncDispose]()
  // Requests that the load balancer sends before it notices are handled normally.
  else if (front.wasReadinessRequestedWithin(PROBED_WITHIN_MS))
    await unlessHurried(pause(LAME_DUCK_MS), hurry)
  stopping.isRefusing = true
  await drain(deps)
}

/** Resolves when the work ends, or on a second signal. */
async function unlessHurried(work: Promise<unknown>, hurry: AbortSignal): Promise<void> {
  const hurried = Promise.withResolvers<void>()
  const onAbort = () => hurried.resolve()
  hurry.addEventListener('abort', onAbort, { once: true })
  if (hurry.aborted) onAbort()
  await Promise.race([work, hurried.promise])
  hurry.removeEventListener('abort', onAbort)
}

/** Lets requests and work finish. Then aborts the service calls of slow requests, so that they end with an answer. */
async function drain({ log, outside, engine, receiving: { inFlight }, hurry }: StopDeps): Promise<void> {
  await unlessHurried(
    Promise.all([inFlight.waitUntilIdle(DRAIN_LIMIT_MS), engine.drain(DRAIN_LIMIT_MS)]),
    hurry,
  )
  if (inFlight.count === 0) return
  // Aborts the service calls. The connection to Slack stays open, so that people get an answer.
  await outside.service[Symbol.asyncDispose]()
  const stillRunning = await inFlight.waitUntilIdle(ANSWER_LIMIT_MS)
  if (stillRunning > 0) log.warn({ left: stillRunning }, 'Stopping although some requests are still running.')
}
