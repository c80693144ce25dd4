import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { Front, SocketMode } from '@signalman/slack'
import type { Outside } from './outside.ts'
import type { Receiving } from './receive.ts'

/** A balancer that goes by `/readyz` has this long to notice that it should send no more requests. */
const LAME_DUCK_MS = 3000
/** A balancer that has asked `/readyz` within this time goes by it. */
const WATCHED_MS = 60_000
/** Requests and work under way have this long to finish before they are cut off from the service, or given back. */
const DRAIN_LIMIT_MS = 10_000
/** After that cut, people have to be told within this time what became of their requests. */
const LAST_WORDS_LIMIT_MS = 2000

/** How far the process has come with stopping. */
export interface Stopping {
  /** `/readyz` says no. */
  isDraining: boolean
  /** New requests are turned away. */
  isRefusing: boolean
}

interface StopParts {
  log: Log
  outside: Outside
  engine: Pick<Engine, 'drain'>
  receiving: Receiving
  sockets: SocketMode | undefined
  front: Front
  /** Once it aborts, nothing is waited for any more. */
  hurry: AbortSignal
}

/**
 * Takes no more requests. After the lame duck the engine claims no more work either; what is under way of both has 10 s to finish,
 * and then what the engine still does is given back. Whoever is in a hurry waits for neither. The ways out (Slack, the service, the
 * database) stay open: `app.ts` closes them afterwards.
 */
export async function stop(stopping: Stopping, parts: StopParts): Promise<void> {
  const { sockets, front, hurry } = parts
  stopping.isDraining = true
  if (sockets) await sockets[Symbol.asyncDispose]()
  // Requests that the balancer sends here before it has noticed are taken like any other.
  else if (front.readinessAskedWithin(WATCHED_MS)) await unlessHurried(pause(LAME_DUCK_MS), hurry)
  stopping.isRefusing = true
  await drain(parts)
}

/** Resolves with the work's end, or as soon as somebody is in a hurry. */
async function unlessHurried(work: Promise<unknown>, hurry: AbortSignal): Promise<void> {
  const hurried = Promise.withResolvers<void>()
  const hear = () => hurried.resolve()
  hurry.addEventListener('abort', hear, { once: true })
  if (hurry.aborted) hear()
  await Promise.race([work, hurried.promise])
  hurry.removeEventListener('abort', hear)
}

/** Lets requests and work finish. Requests that take too long are cut off from the service, and their people are told. */
async function drain({ log, outside, engine, receiving: { inFlight }, hurry }: StopParts): Promise<void> {
  await unlessHurried(Promise.all([inFlight.drained(DRAIN_LIMIT_MS), engine.drain(DRAIN_LIMIT_MS)]), hurry)
  if (inFlight.count === 0) return
  // People are told of the cut before the way to Slack is closed.
  await outside.service[Symbol.asyncDispose]()
  const left = await inFlight.drained(LAST_WORDS_LIMIT_MS)
  if (left > 0) log.warn({ left }, 'Stopping although some requests still run.')
}
