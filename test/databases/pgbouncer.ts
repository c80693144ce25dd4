import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../free-port.ts'
import { killAfterTest } from '../process.ts'
import { makeFolder } from './databases.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
/** The user "nobody", because PgBouncer refuses to run as root. */
const NOBODY = 65_534

/** Whether PgBouncer is installed here (Debian's package `pgbouncer`). */
export const hasPgbouncer = existsSync(PROGRAM)

/** Settings that Signalman runs with. */
export const TRANSACTION_MODE = {
  pool_mode: 'transaction',
  ignore_startup_parameters: 'statement_timeout, idle_in_transaction_session_timeout',
}

/** Starts PgBouncer in front of a database, with its own defaults and these settings. */
export async function startPgbouncer(target: string, settings: Readonly<Record<string, string>>) {
  await using disposables = new AsyncDisposableStack()
  const folder = disposables.use(makeFolder())
  const { hostname, port: targetPort, pathname, username, password } = new URL(target)
  const port = await findFreePort()
  const ini = join(folder.path, 'pgbouncer.ini')
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'any',
    unix_socket_dir: '',
    ...settings,
  }
  writeFileSync(
    ini,
    `[databases]
app = host=${hostname} port=${targetPort} dbname=${pathname.slice(1)} user=${username} password=${password}
[pgbouncer]
${Object.entries(all)
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')}
`,
  )
  chmodSync(folder.path, 0o755)
  const asNobody = process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }
  const child = killAfterTest(spawn(PROGRAM, [ini], { stdio: 'ignore', ...asNobody }))
  disposables.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  for (let attempt = 0; !(await canConnect(port)); attempt += 1) {
    if (attempt === 200 || child.exitCode !== null) throw new Error('PgBouncer did not start.')
    await pause(50)
  }
  const resources = disposables.move()
  return {
    url: `postgres://app@127.0.0.1:${port}/app`,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return isOpen
}
