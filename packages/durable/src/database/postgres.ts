import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import {
  Kysely,
  type KyselyPlugin,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely'
import pg from 'pg'
import type { Database } from './database.ts'
import { DatabaseUnavailable, errorCode, isServerRejection, StoreError } from './errors.ts'
import { describePostgresError } from './faults.ts'
import { LOCK_TIMEOUT_MS } from './make-tables.ts'
import type { Schema } from './schema.ts'

/** An arbitrary constant that no other program in this database uses. */
const MIGRATION_LOCK = 0x7369676e

const POOL: pg.PoolConfig = {
  max: 10,
  connectionTimeoutMillis: 5000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
}

interface Target {
  readonly connectionString: string
  readonly application_name: string
}

/** For a server that doesn't answer. Longer than the server's own timeout, whose error is more specific. */
const TIMEOUTS: pg.PoolConfig = {
  statement_timeout: 10_000,
  query_timeout: 15_000,
  idle_in_transaction_session_timeout: 30_000,
}

/** Creates a pool for a PostgreSQL URL. Connects on the first query. */
export function openPostgres(
  url: string,
  name: string,
  plugin: KyselyPlugin,
): Omit<Database, 'model' | 'erasureGuard'> {
  const target = { connectionString: verifyCertificates(url), application_name: name }
  const rows = openClient(target, TIMEOUTS).withPlugin(plugin)
  const runInTurn = createTurns()
  return {
    kind: 'postgres',
    file: undefined,
    rows,
    // A commit doesn't block this process on PostgreSQL, so a relaxed one gains nothing.
    relaxed: (work) => work(rows),
    withLock: (workspaceId, work) =>
      runInTurn(workspaceId, () =>
        rows.transaction().execute(async (transaction) => {
          await takeLock(transaction, workspaceId)
          return await work(transaction)
        }),
      ),
    takeLock,
    withExclusiveLock: (work) =>
      withClient(target, async (client) => {
        // A pooler may refuse the settings of the connections that all later statements use.
        const { rows: found } = await sql<{ server_encoding: string }>`show server_encoding`.execute(rows)
        refuseEncoding(found[0]?.server_encoding)
        return await retryWhileLocked(() =>
          client.transaction().execute(async (transaction) => {
            await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
            return await work(transaction)
          }),
        )
      }),
    async [Symbol.asyncDispose]() {
      await rows.destroy()
    },
  }
}

/** Any other can't store every character, or doesn't know where one ends. */
function refuseEncoding(encoding: string | undefined): void {
  if (encoding === 'UTF8') return
  throw new StoreError(
    'unusable',
    `The PostgreSQL database has the encoding ${encoding}: create one with UTF8 (createdb --encoding=UTF8 --template=template0).`,
  )
}

/**
 * Runs on a separate connection, because a long read, or a wait for another process's migration, must not hit the timeouts of
 * requests.
 */
async function withClient<T>(target: Target, work: (client: Kysely<Schema>) => Promise<T>): Promise<T> {
  const client = openClient(target, { max: 1 })
  try {
    return await work(client)
  } catch (error) {
    throw explainPostgres(error, target.connectionString)
  } finally {
    await client.destroy()
  }
}

/**
 * Either `lock_timeout` expired, which only migrate.ts sets, or the server detected a deadlock. It checks for deadlocks after the
 * same time, so either may come first.
 */
const LOCK_ERRORS: ReadonlySet<string> = new Set(['55P03', '40P01'])
const MAX_TRIES = 40

/** Retries after a pause that lets waiting statements run. */
async function retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!LOCK_ERRORS.has(errorCode(error)) || attempt === MAX_TRIES) throw error
      await setTimeout(LOCK_TIMEOUT_MS / 2 + randomInt(LOCK_TIMEOUT_MS))
    }
  }
}

/** What pg does for these modes anyway. It warns about each, because it will change what they mean. */
const verifyCertificates = (url: string): string =>
  /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')

function openClient(target: Target, options: pg.PoolConfig): Kysely<Schema> {
  const pool = new pg.Pool({ ...POOL, ...options, ...target })
  // Without a listener, the error of an idle connection that the server closes would end the process. The pool drops the
  // connection.
  pool.on('error', () => undefined)
  // The pool doesn't listen while a connection is in use. If it breaks then, only its query must fail.
  pool.on('connect', (connection) => connection.on('error', () => undefined))
  return new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: discardStuckConnections(pool, target.connectionString) }),
  })
}

/** pg's error message when its own timeout ends a query (pg 8, lib/query.js). */
const TIMEOUT_MESSAGE = 'Query read timeout'

/** Discards a connection whose query timed out: it still waits for that answer, so every later query on it would fail. */
function discardStuckConnections(pool: pg.Pool, url: string): PostgresPool {
  /** Throws DatabaseUnavailable unless the server itself rejected the request. */
  async function answered<T>(response: Promise<T>): Promise<T> {
    try {
      return await response
    } catch (error) {
      if (isServerRejection(error)) throw error
      const explained = explainPostgres(error, url)
      throw new DatabaseUnavailable(error, explained instanceof StoreError ? explained.message : undefined)
    }
  }

  return {
    async connect() {
      const connection = await answered(pool.connect())
      let isStuck = false
      const query = (text: string, values: unknown[]): Promise<unknown> => {
        const response = connection.query(text, values.map(withoutNul))
        response.catch((error: unknown) => {
          isStuck ||= error instanceof Error && error.message === TIMEOUT_MESSAGE
        })
        return answered(response)
      }
      // Kysely's driver uses these two methods of a pooled connection, and the object as a key.
      return { query, release: () => connection.release(isStuck) } as unknown as PostgresPoolClient
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

/** PostgreSQL has no text with NUL, which names of the service and texts of people may have, and refuses the whole statement. */
const withoutNul = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value

/** Turns an error of the driver or of the server into a StoreError that says what is wrong. Returns any other error as it is. */
function explainPostgres(thrown: unknown, url: string): unknown {
  const error = thrown instanceof DatabaseUnavailable ? thrown.cause : thrown
  const fault = error instanceof StoreError ? undefined : describePostgresError(error)
  if (fault === undefined) return error
  return new StoreError('unreachable', `PostgreSQL at ${formatHost(url)} ${fault}.`, { cause: error })
}

/** Only the host and port, because the rest of the URL contains the password. */
function formatHost(url: string): string {
  const { host, searchParams } = URL.parse(url) ?? {}
  return host || searchParams?.get('host') || 'the given address'
}

/** Waits for others of this process before a connection is taken: there are few, and whoever waits for a lock holds one. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const turn = Promise.allSettled([last.get(name)]).then(work)
    last.set(name, turn)
    try {
      return await turn
    } finally {
      if (last.get(name) === turn) last.delete(name)
    }
  }
}

/** Two names with the same hash share a lock, which only makes them wait for each other. */
async function takeLock(transaction: Kysely<Schema>, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction)
}
