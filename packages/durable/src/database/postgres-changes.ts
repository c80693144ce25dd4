import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { fullJitterMs } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Changes } from './read-cache.ts'
import type { Schema } from './schema.ts'

/** The triggers of `tellChanges` (migrating.ts) send the owner's id on it, in the transaction that changes something. */
const CHANNEL = 'rows_changed'
/** Named, so that PostgreSQL parses it once. */
const BEAT = { name: 'beat', text: 'select 1' }
/** While nobody reads. */
const BEAT_AT_LEAST_EVERY_MS = 2000
const ANSWERS_WITHIN_MS = 2000
const MOST_PAUSE_MS = 5000

/**
 * Listens on its own connection for changes by any process, from the first request for a version on. PostgreSQL sends
 * notifications before it answers: a beat (an empty query on that connection) proves that every change from before it was heard.
 * Without this proof the version is undefined: the connection is down or silent, or passes on no notifications (a pooler in
 * between).
 */
export function listenForChanges(url: string, rows: Kysely<Schema>): Changes & AsyncDisposable {
  const stopping = new AbortController()
  const listeners: ((ownerId: string) => void)[] = []
  let changes = 0
  let beat: Beat | undefined
  let listening: Promise<void> | undefined

  async function listen(): Promise<void> {
    for (let attempt = 1; !stopping.signal.aborted; attempt += 1) {
      const isProven = await oneConnection().catch(() => false)
      if (isProven) attempt = 1
      const pauseMs = fullJitterMs(attempt, { baseMs: 200, mostMs: MOST_PAUSE_MS })
      await pause(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
  }

  /** Listens until the connection breaks or the app stops. Resolves with whether notifications came through. */
  async function oneConnection(): Promise<boolean> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'signalman',
      keepAlive: true,
      connectionTimeoutMillis: ANSWERS_WITHIN_MS,
      query_timeout: ANSWERS_WITHIN_MS,
    })
    const isOver = Promise.withResolvers<void>()
    const isHeard = Promise.withResolvers<void>()
    const proof = randomUUID()
    // Before `connect`: an error without a listener would end the process.
    client.on('error', () => isOver.resolve()).on('end', () => isOver.resolve())
    client.on('notification', ({ payload = '' }) => {
      if (payload === proof) isHeard.resolve()
      else if (payload === '') changes += 1
      else for (const listener of listeners) listener(payload)
    })
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      await sql`select pg_notify(${CHANNEL}, ${proof})`.execute(rows)
      if (!(await within(ANSWERS_WITHIN_MS, isHeard.promise))) return false
      // Earlier changes were not heard.
      changes += 1
      beat = createBeat(() => client.query(BEAT))
      beat.broken.then(isOver.resolve)
      while (!stopping.signal.aborted && !(await within(BEAT_AT_LEAST_EVERY_MS, isOver.promise)))
        await beat.isHeard()
      return true
    } finally {
      beat = undefined
      await client.end().catch(() => undefined)
    }
  }

  /** Whether the event came in time; ends early when the app stops. */
  async function within(ms: number, event: Promise<void>): Promise<boolean> {
    const late = pause(ms, false, { ref: false, signal: stopping.signal }).catch(() => false)
    return Promise.race([event.then(() => true), late])
  }

  return {
    async version() {
      listening ??= listen()
      const proving = beat
      // A new connection since then has not heard the changes before it.
      return proving !== undefined && (await proving.isHeard()) && proving === beat ? changes : undefined
    },
    hear: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await listening
    },
  }
}

/** An answered beat is proof for this long, so that the reads of one request share one. */
const TRUSTED_MS = 50
/** A beat without an answer by then is not waited for; until it is answered, nothing is proved. */
const LATE_MS = 250

interface Beat {
  /** Whether the other side answered, in time, a beat of a moment ago or one that is sent now. */
  isHeard(): Promise<boolean>
  /** Resolves when it will never answer again. */
  readonly broken: Promise<void>
}

/** Asks a connection for signs of life on demand, one at a time. */
export function createBeat(
  ask: () => Promise<unknown>,
  stopwatch: () => number = () => performance.now(),
): Beat {
  const broken = Promise.withResolvers<void>()
  let provenAt = Number.NEGATIVE_INFINITY
  let answered: Promise<boolean> | undefined

  function send(): Promise<boolean> {
    const sentAt = stopwatch()
    const late = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => {
      // Later calls do not wait for it.
      answered = late.promise
      late.resolve(false)
    }, LATE_MS)
    const asked = ask().then(
      () => {
        // The answer proves only what came before the beat was sent.
        provenAt = sentAt
        return true
      },
      () => {
        broken.resolve()
        return false
      },
    )
    const settled = asked.finally(() => {
      clearTimeout(timer)
      answered = undefined
    })
    return Promise.race([settled, late.promise])
  }

  return {
    broken: broken.promise,
    async isHeard() {
      if (stopwatch() - provenAt < TRUSTED_MS) return true
      answered ??= send()
      return answered
    },
  }
}
