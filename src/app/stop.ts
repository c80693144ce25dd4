import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { HttpServer, SocketMode } from '@signalman/slack'
import type { Outside } from './outside.ts'
import type { Receiving } from './receive.ts'

/** How long a load balancer that uses `/readyz` has to notice that it should stop sending requests. */
const LAME_DUCK_MS = 3000
/** A load balancer that polled `/readyz` within this time uses it. */
const WATCHED_MS = 60_000
/** How long running requests and work may take before their service calls are aborted, or they are given back. */
const DRAIN_LIMIT_MS = 10_000
/** After that, people must be notified of the outcome of their requests within this time. */
const LAST_WORDS_LIMIT_MS = 2000

/** How far shutdown has progressed. */
export interface Stopping {
  /** `/readyz` reports not ready. */
  isDraining: boolean
  /** New requests are refused. */
  isRefusing: boolean
}

interface StopParts {
  log: Log
  outside: Outside
  engine: Pick<Engine, 'drain'>
  receiving: Receiving
  sockets: SocketMode | undefined
  front: HttpServer
  /** Once aborted, nothing is waited for anymore. */
  hurry: AbortSignal
}

/**
 * Stops accepting requests. After the lame-duck phase, the engine claims no more work either. Running requests and work have
 * 10 s to finish; then the engine gives back the rest. A second signal skips both. Outgoing connections (Slack, the service,
 * the database) stay open until `app.ts` closes them.
 */
export async function stop(stopping: Stopping, parts: StopParts): Promise<void> {
  const { sockets, front, hurry } = parts
  stopping.isDraining = true
  if (sockets) await sockets[Symbol.asyncDispose]()
  // Requests that the load balancer sends before it notices are handled normally.
  else if (front.readinessAskedWithin(WATCHED_MS)) await unlessHurried(pause(LAME_DUCK_MS), hurry)
  stopping.isRefusing = true
  await drain(parts)
}

/** Resolves when the work ends, or on a second signal. */
async function unlessHurried(work: Promise<unknown>, hurry: AbortSignal): Promise<void> {
  const hurried = Promise.withResolvers<void>()
  const hear = () => hurried.resolve()
  hurry.addEventListener('abort', hear, { once: true })
  if (hurry.aborted) hear()
  await Promise.race([work, hurried.promise])
  hurry.removeEventListener('abort', hear)
}

/** Lets requests and work finish. Service calls of slow requests are aborted, and their people notified. */
async function drain({ log, outside, engine, receiving: { inFlight }, hurry }: StopParts): Promise<void> {
  await unlessHurried(Promise.all([inFlight.drained(DRAIN_LIMIT_MS), engine.drain(DRAIN_LIMIT_MS)]), hurry)
  if (inFlight.count === 0) return
  // People are notified before the connection to Slack is closed.
  await outside.service[Symbol.asyncDispose]()
  const left = await inFlight.drained(LAST_WORDS_LIMIT_MS)
  if (left > 0) log.warn({ left }, 'Stopping although some requests are still running.')
}
