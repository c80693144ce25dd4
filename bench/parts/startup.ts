import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { listen } from './listen.ts'

/** How long the program may take until its first response. */
const START_TIMEOUT_MS = 30_000
/** How long the program may take to exit after SIGTERM before it's killed. */
const EXIT_TIMEOUT_MS = 30_000
const POLL_MS = 1

export interface StartupSample {
  /** The time from the start of the process to its first response at `/healthz`. */
  startMs: number
  /** The memory of the process in megabytes, after it was idle for a while. */
  idleMb: number
}

/** Starts a program that listens on PORT, measures its startup time and memory, and stops it. */
export async function measureStartup(
  command: readonly [file: string, ...args: string[]],
  options: { node?: string; env: Readonly<Record<string, string>>; idleMs: number },
): Promise<StartupSample> {
  const port = await freePort()
  const { PATH = '' } = process.env
  const startedAt = performance.now()
  const child = spawn(options.node ?? process.execPath, [...command], {
    env: { PATH, PORT: String(port), ...options.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // Piped instead of inherited, so that an orphan doesn't keep this process's output open.
  child.stderr.pipe(process.stderr, { end: false })
  const ended = once(child, 'exit')
  try {
    while (!(await responds(port))) {
      const hasFailed = child.exitCode !== null || performance.now() - startedAt > START_TIMEOUT_MS
      if (hasFailed) throw new Error(`${command.join(' ')} exited or didn’t answer in time.`)
      await pause(POLL_MS)
    }
    const startMs = performance.now() - startedAt
    await pause(options.idleMs)
    return { startMs, idleMb: await residentMb(child.pid ?? 0) }
  } finally {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_TIMEOUT_MS)
    await ended
    clearTimeout(timer)
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await listen(server))
  server.close()
  await once(server, 'close')
  return Number(port)
}

/** Whether the program responds, with any status. */
function responds(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(true))
    })
    probe.on('error', () => resolve(false)).end()
  })
}

/** The memory of a process in megabytes. `ps` reports kilobytes. */
async function residentMb(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}
