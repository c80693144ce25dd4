import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { type Beat, createBeat } from './beat.ts'
import type { Changes } from './read-cache.ts'
import type { Schema } from './schema.ts'

/** On it every trigger of `019-word-of-workspaces` names, in the transaction that changes something, whose it is. */
const CHANNEL = 'signalman_changed'
/** Named, so that PostgreSQL reads it once. */
const BEAT = { name: 'beat', text: 'select 1' }
/** For when nobody reads. */
const BEAT_AT_LEAST_EVERY_MS = 2000
const ANSWERS_WITHIN_MS = 2000
const MOST_PAUSE_MS = 5000

/**
 * Listens on a connection of its own for what any process changes, from the first time that it is asked. PostgreSQL sends
 * what is to be heard before it answers: a beat, which is a query of nothing on that connection, proves that everything was heard
 * that was changed before it was sent. Without such a proof the mark is undefined: while the connection is down, or silent, or
 * does not pass on what is said (a pooler in between).
 */
export function listenForChanges(
  url: string,
  rows: Kysely<Schema>,
  random: () => number = Math.random,
): Changes & AsyncDisposable {
  const stopping = new AbortController()
  const listeners: ((ownerId: string) => void)[] = []
  let changes = 0
  let beat: Beat | undefined
  let listening: Promise<void> | undefined

  async function listen(): Promise<void> {
    for (let attempt = 1; !stopping.signal.aborted; attempt += 1) {
      const isProven = await oneConnection().catch(() => false)
      if (isProven) attempt = 1
      const most = Math.min(MOST_PAUSE_MS, 100 * 2 ** attempt)
      await pause(random() * most, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
  }

  /** Until it breaks, or the app stops. Resolves with whether it was of any use. */
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
    // Before `connect`: unheard, an error would end the process.
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
      // Nobody has heard what was changed before.
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

  /** Whether it came to pass in time; sooner over when the app stops. */
  async function within(ms: number, event: Promise<void>): Promise<boolean> {
    const late = pause(ms, false, { ref: false, signal: stopping.signal }).catch(() => false)
    return Promise.race([event.then(() => true), late])
  }

  return {
    async mark() {
      listening ??= listen()
      const proving = beat
      // Another connection in the meantime has not heard what this one was asked about.
      return proving !== undefined && (await proving.isHeard()) && proving === beat ? changes : undefined
    },
    hear: (listener) => void listeners.push(listener),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await listening
    },
  }
}
