import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { listening } from './listening.ts'

/** It answers within this, or the run ends. */
const START_LIMIT_MS = 30_000
/** What does not end within this is killed. */
const END_LIMIT_MS = 30_000
const LOOK_EVERY_MS = 1

export interface Started {
  /** From its start to its first answer to `/healthz`. */
  startMs: number
  /** The memory that it holds once it has been left alone for a while, in megabytes. */
  idleMb: number
}

/** Starts a program that listens on PORT, sees how long that takes and what it then holds, and ends it. */
export async function startProgram(
  command: readonly [file: string, ...args: string[]],
  options: { node?: string; env: Readonly<Record<string, string>>; idleMs: number },
): Promise<Started> {
  const port = await freePort()
  const { PATH = '' } = process.env
  const began = performance.now()
  const child = spawn(options.node ?? process.execPath, [...command], {
    env: { PATH, PORT: String(port), ...options.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // By a pipe of its own: were it left behind, it would hold nobody who reads what this process says.
  child.stderr.pipe(process.stderr, { end: false })
  const ended = once(child, 'exit')
  try {
    while (!(await answers(port))) {
      const isOver = child.exitCode !== null || performance.now() - began > START_LIMIT_MS
      if (isOver) throw new Error(`${command.join(' ')} did not answer.`)
      await pause(LOOK_EVERY_MS)
    }
    const startMs = performance.now() - began
    await pause(options.idleMs)
    return { startMs, idleMb: await residentMb(child.pid ?? 0) }
  } finally {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
    await ended
    clearTimeout(timer)
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await listening(server))
  server.close()
  await once(server, 'close')
  return Number(port)
}

/** Whatever the status, somebody answers. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(true))
    })
    asked.on('error', () => resolve(false)).end()
  })
}

/** `ps` counts in kilobytes. */
async function residentMb(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}
