import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { StoreError } from './errors.ts'
import type { Schema } from './schema.ts'

/**
 * The worker's code is a string instead of a module, so that it also works in a single bundled file. Its connection is read-only
 * and sees every commit of any process. When it waits, only its thread waits.
 */
const WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads')
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(workerData.file, { timeout: 5000 })
database.exec('pragma query_only = on')
const statements = new Map()
function prepare(sql) {
  const cached = statements.get(sql)
  if (cached !== undefined) return cached
  if (statements.size >= 50) statements.delete(statements.keys().next().value)
  const statement = database.prepare(sql)
  statements.set(sql, statement)
  return statement
}
parentPort.on('message', (request) => {
  if (request === 'close') {
    database.close()
    parentPort.close()
    return
  }
  const { id, sql, parameters } = request
  try {
    parentPort.postMessage({ id, rows: prepare(sql).all(...parameters) })
  } catch (error) {
    parentPort.postMessage({ id, fault: { message: error.message, code: error.code, errcode: error.errcode } })
  }
})
`

/** A reply from the worker. */
type Answer =
  | { id: number; rows: unknown[] }
  | { id: number; fault: { message: string; code?: string; errcode?: number } }

/**
 * Reads a SQLite file on another thread, so that reads neither block the event loop nor wait for writes. The first read starts
 * the thread. If it exits unexpectedly, its pending reads fail with a StoreError, a warning is emitted, and the next read starts
 * another thread.
 */
export function openSqliteReader(file: string) {
  const thread = createReaderThread(file)
  const dialect: Dialect = {
    createAdapter: () => new ReaderAdapter(),
    createDriver: () => new ReaderDriver(thread),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
  const rows = new Kysely<Schema>({ dialect })
  return {
    rows,
    async [Symbol.asyncDispose](): Promise<void> {
      await rows.destroy()
      await thread.close()
    },
  }
}

function createReaderThread(file: string) {
  const waiting = new Map<number, PromiseWithResolvers<unknown[]>>()
  let worker: Worker | undefined
  let isClosed = false
  let lastId = 0

  function ensureWorker(): Worker {
    if (worker !== undefined) return worker
    const newWorker = new Worker(WORKER_SOURCE, {
      eval: true,
      name: 'reading',
      workerData: { file },
      // Without this process's environment, which contains secrets, and without its Node options.
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    let cause: unknown
    newWorker.on('message', (answer: Answer) => resolveRequest(newWorker, answer))
    newWorker.on('error', (error) => (cause = error))
    newWorker.on('exit', () => {
      if (worker === newWorker) worker = undefined
      if (!isClosed || waiting.size > 0) failPending(cause)
    })
    worker = newWorker
    return newWorker
  }

  function resolveRequest(from: Worker, answer: Answer): void {
    const request = waiting.get(answer.id)
    waiting.delete(answer.id)
    // An idle thread must not keep the process alive.
    if (waiting.size === 0 && !isClosed) from.unref()
    if ('rows' in answer) request?.resolve(answer.rows)
    else request?.reject(Object.assign(new Error(answer.fault.message), answer.fault))
  }

  function failPending(cause: unknown): void {
    const error = new StoreError(
      'unreachable',
      `The thread that reads the database ${file} exited unexpectedly.`,
      {
        cause,
      },
    )
    process.emitWarning(`${error.message} ${cause instanceof Error ? cause.message : ''}`.trim())
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  return {
    async query({ sql, parameters }: CompiledQuery): Promise<unknown[]> {
      if (isClosed) throw new StoreError('unreachable', `The database ${file} is closed.`)
      const thread = ensureWorker()
      const answer = Promise.withResolvers<unknown[]>()
      const id = ++lastId
      thread.ref()
      thread.postMessage({ id, sql, parameters })
      waiting.set(id, answer)
      return await answer.promise
    },
    async close(): Promise<void> {
      isClosed = true
      if (worker === undefined) return
      const exited = new Promise((resolve) => worker?.once('exit', resolve))
      worker.ref()
      // The thread processes messages in order, so it answers every earlier read before it closes.
      worker.postMessage('close')
      await exited
    },
  }
}

/** The thread has its own queue, so Kysely doesn't need to serialize statements. */
class ReaderAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class ReaderDriver extends DummyDriver {
  readonly #connection: DatabaseConnection

  constructor(thread: ReturnType<typeof createReaderThread>) {
    super()
    this.#connection = {
      async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
        // The compiled query returns rows of this type.
        return { rows: (await thread.query(query)) as Row[] }
      },
      streamQuery: () => {
        throw new Error('The read-only connection can’t stream rows.')
      },
    }
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }
  override async beginTransaction(): Promise<void> {
    throw new Error('The read-only connection has no transactions.')
  }
}
