import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/**
 * A database for a single test. It is on a server that the test run starts, or on the server at `TEST_POSTGRES_URL`. The user in
 * that URL must have a password and be allowed to create databases.
 */
export interface PostgresDatabase extends AsyncDisposable {
  readonly url: string
}

/** The template database that `postgres-server.ts` creates. A server at `TEST_POSTGRES_URL` doesn't have one. */
const TEMPLATE = 'signalman_template'
const ATTEMPTS = 1200
const PAUSE_MS = 50
const MAX_REFUSALS = 20
/** After this many failed attempts to connect, assume that the state file is from a server that was killed. */
const STALE_AFTER = 100

/** The folder of this test run, named after the parent process of all its workers. The user "nobody" must be able to enter it. */
const FOLDER = join(tmpdir(), `signalman-test-postgres-${process.getuid?.() ?? 0}-${process.ppid}`)

/**
 * Creates a database that is empty, or has the current tables if the server has a template with them. Disposing of it drops it.
 * PostgreSQL doesn't need to be installed or running.
 */
export async function startPostgresDatabase(
  initial: 'empty' | 'migrated' = 'empty',
): Promise<PostgresDatabase> {
  const name = `signalman_test_${randomBytes(6).toString('hex')}`
  const server = await createOnServer((lease) => {
    if (lease === undefined) return name
    // Copying the template's files is faster than writing every page to the write-ahead log.
    return `${name} template ${initial === 'migrated' ? TEMPLATE : 'template1'} strategy file_copy`
  })
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      await runStatement(server.url, `drop database ${name} with (force)`)
      server.lease?.destroy()
    },
  }
}

/** Leases the server and creates a database. If the server has died although its lease port was open, gets a new lease and tries again. */
async function createOnServer(describeDatabase: (lease: Lease['lease']) => string): Promise<Lease> {
  for (let attempt = 1; ; attempt++) {
    const server = await leaseServer()
    try {
      await runStatement(server.url, `create database ${describeDatabase(server.lease)}`)
      return server
    } catch (error) {
      server.lease?.destroy()
      // System errors have a code.
      if (attempt === MAX_REFUSALS || (error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
      await pause(PAUSE_MS)
    }
  }
}

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

interface Lease {
  readonly url: string
  readonly lease?: Socket
}

async function leaseServer(): Promise<Lease> {
  const configuredUrl = process.env.TEST_POSTGRES_URL
  if (configuredUrl !== undefined && configuredUrl !== '') return { url: configuredUrl }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const state = readState()
    if (state?.failure !== undefined) throw new Error(`The test PostgreSQL did not start: ${state.failure}`)
    if (state?.url !== undefined && state.leasePort !== undefined) {
      const socket = await openLease(state.leasePort)
      if (socket !== undefined) return { url: state.url, lease: socket }
      if (attempt % STALE_AFTER === 0) rmSync(FOLDER, { recursive: true, force: true })
    } else {
      startServerOnce()
    }
    await pause(PAUSE_MS)
  }
  throw new Error(`The test PostgreSQL did not start within ${(ATTEMPTS * PAUSE_MS) / 1000} s.`)
}

interface ServerState {
  readonly url?: string
  readonly leasePort?: number
  readonly failure?: string
}

function readState(): ServerState | undefined {
  try {
    // Written by our own server, in a folder that startServerOnce has checked to be ours.
    return JSON.parse(readFileSync(join(FOLDER, 'state.json'), 'utf8')) as ServerState
  } catch {
    return undefined
  }
}

/** Starts the server if this process is the one that creates the folder. */
function startServerOnce(): void {
  try {
    mkdirSync(FOLDER, { mode: 0o711 })
  } catch {
    const uid = process.getuid?.()
    if (uid !== undefined && lstatSync(FOLDER, { throwIfNoEntry: false })?.uid !== uid) {
      throw new Error(`${FOLDER} belongs to another user. Remove it.`)
    }
    return
  }
  const script = join(import.meta.dirname, 'postgres-server.ts')
  const options = { detached: true, stdio: 'ignore', cwd: tmpdir() } as const
  const run = process.env.VITEST ? [String(process.ppid)] : []
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, FOLDER, ...run], options).unref()
}

async function openLease(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1')
  // Any of these events may come first. An error is followed by `close`.
  socket.on('error', () => undefined)
  const closed = once(socket, 'close').then(() => false)
  const granted = once(socket, 'data').then(
    () => true,
    () => false,
  )
  return (await Promise.race([granted, closed])) ? socket : undefined
}
