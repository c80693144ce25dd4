// A PostgreSQL server for a test run. The first test file that needs the server starts it, and the others share it. While a test file
// uses the server, it holds a lease: an open connection to the lease port. Arguments: the folder to work in, and optionally the process
// ID of the test run. The server stops when no lease has been open for two seconds and, if the process ID is given, that process has ended.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { FAST_FOLDER } from '../fast-folder.ts'
import { findFreePort } from '../free-port.ts'
import { migrate, openDatabase } from './open.ts'
import { type Binaries, findBinaries } from './postgres-binaries.ts'

const LINGER_MS = 2000
const FIRST_LEASE_MS = 30_000
const PORT_ATTEMPTS = 5
const READY_ATTEMPTS = 300
const READY_PAUSE_MS = 50

/** Doesn't wait for the disk, because the data needn't survive a crash. No database exists for long enough to need vacuuming. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  io_method: 'sync',
  max_wal_size: '128MB',
  shared_buffers: '16MB',
  max_connections: '300',
}

/** `postgres.ts` has the same constant. */
const TEMPLATE = 'signalman_template'

const [, , folder, runPid] = process.argv
if (folder === undefined) throw new Error('Name the folder to work in.')

try {
  await serve(folder)
} catch (error) {
  publish(folder, { failure: error instanceof Error ? error.message : String(error) })
  await pause(LINGER_MS)
} finally {
  for (const path of [dataFolder(folder), folder])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
}

function dataFolder(folder: string): string {
  return join(FAST_FOLDER, `${basename(folder)}-data`)
}

async function serve(folder: string): Promise<void> {
  const password = randomBytes(16).toString('hex')
  const binaries = await findBinaries(folder)
  const data = await makeCluster(folder, binaries, password)
  const { server, url } = await startPostgres(data, binaries, password)
  const exited = once(server, 'exit')
  try {
    await makeTemplate(url)
    await serveLeases((leasePort) => publish(folder, { url, leasePort }), exited)
  } finally {
    // Unpublish this server first, so that no test file tries to use it while it stops.
    rmSync(join(folder, 'state.json'), { force: true })
    server.kill('SIGINT')
    await exited
  }
}

/** Writes the state to a temporary file and renames it, so that no reader sees an incomplete file. */
function publish(folder: string, state: object): void {
  const temporaryFile = join(folder, 'state.tmp')
  writeFileSync(temporaryFile, JSON.stringify(state), { mode: 0o600 })
  renameSync(temporaryFile, join(folder, 'state.json'))
}

async function makeCluster(folder: string, { initdb, user }: Binaries, password: string): Promise<string> {
  const data = dataFolder(folder)
  const passwordFile = join(folder, 'password')
  // A killed server may have left a folder with the same name.
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(data, user.uid, user.gid)
    chownSync(passwordFile, user.uid, user.gid)
  }
  const args = [`--pgdata=${data}`, '--username=postgres', '--auth=password', `--pwfile=${passwordFile}`]
  // Each connection hashes the password, by default with 4,096 iterations.
  args.push('-c', 'scram_iterations=1')
  const child = spawn(initdb, [...args, '--no-sync', '--no-locale', '--encoding=UTF8'], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-4000)
  })
  const [code] = await once(child, 'close')
  rmSync(passwordFile)
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${stderr}`)
  return data
}

/** PostgreSQL doesn't accept port 0, so this finds a free port, and tries another if a different process took it in the meantime. */
async function startPostgres(data: string, { postgres, user }: Binaries, password: string) {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
    const port = await findFreePort()
    const server = spawn(postgres, ['-D', data, '-p', String(port), ...settings], {
      ...user,
      cwd: data,
      stdio: 'ignore',
    })
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    if (await waitUntilReady(server, url)) return { server, url }
    server.kill('SIGKILL')
  }
  throw new Error('PostgreSQL did not start.')
}

/** Creates a template database with the current tables. Copying it takes a third of the time that creating the tables takes. */
async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  await using database = await openDatabase(url.replace(/postgres$/, TEMPLATE))
  await database.withExclusiveLock((transaction) => migrate(transaction, new Date()))
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<boolean> {
  for (let attempt = 0; attempt < READY_ATTEMPTS && server.exitCode === null; attempt++) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      await pause(READY_PAUSE_MS)
    }
  }
  return false
}

function isRunning(): boolean {
  try {
    return runPid !== undefined && process.kill(Number(runPid), 0)
  } catch {
    return false
  }
}

/** Accepts leases, and reports the lease port. Resolves when no lease has been open for a while, or when `end` resolves. */
async function serveLeases(reportPort: (port: number) => void, end: Promise<unknown>): Promise<void> {
  const open = new Set<Socket>()
  const { promise: done, resolve } = Promise.withResolvers<void>()
  let timer = setTimeout(check, FIRST_LEASE_MS)
  function check(): void {
    if (isRunning()) timer = setTimeout(check, LINGER_MS)
    else resolve()
  }
  const server = createServer((socket) => {
    clearTimeout(timer)
    open.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      open.delete(socket)
      if (open.size > 0) return
      clearTimeout(timer)
      timer = setTimeout(check, LINGER_MS)
    })
    socket.resume()
    socket.write('granted\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  reportPort((server.address() as AddressInfo).port)
  await Promise.race([done, end])
  clearTimeout(timer)
  server.close()
  for (const socket of open) socket.destroy()
}
