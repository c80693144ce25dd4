import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The time between SIGTERM and SIGKILL. */
const KILL_DELAY_MS = 5000
const CHECK_INTERVAL_MS = 20

/** Tests whether nothing listens on a port. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Below the ports that Linux assigns itself (from 32768), so that no connection has the port by the time the app listens on it. */
const FIRST_PORT = 30_000
const PORTS = 2768
const MAX_TRIES = 50

/** Finds a free port. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST_PORT + randomInt(PORTS)
    if (await isFree(port)) return port
  }
  throw new Error('There is no free port for the app.')
}

const MAX_OUTPUT_LENGTH = 20_000
const REPORTED_LINES = 20
const FINAL_OUTPUT_WAIT_MS = 2000
const READY_TIMEOUT_MS = 30_000
const READY_CHECK_INTERVAL_MS = 50

/** The IDs of the processes that a process has started, and of those that they have started. None if there is no `ps`. */
function listDescendants(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const processes = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const descendants = [pid]
  for (const parent of descendants)
    descendants.push(...processes.flatMap(([id = 0, parentId]) => (parentId === parent ? [id] : [])))
  return descendants.slice(1)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function kill(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids.filter(isRunning)) process.kill(pid, signal)
}

/**
 * Ends processes that outlived the command that started them: `npm start` and `npx` end a shell between them and the app, and the app
 * then goes on.
 */
async function endOrphans(pids: readonly number[]): Promise<void> {
  kill(pids, 'SIGTERM')
  const deadline = performance.now() + KILL_DELAY_MS
  while (pids.some(isRunning) && performance.now() < deadline) await sleep(CHECK_INTERVAL_MS)
  kill(pids, 'SIGKILL')
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const finish = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}

/** Stops calls of Node apps to the real Slack. */
const GUARD = fileURLToPath(new URL('no-slack.cjs', import.meta.url))

/**
 * Starts an app as a child process with additional environment variables. `stop` sends SIGTERM, and SIGKILL 5 s later, to the app and
 * everything that it has started.
 */
export function startAppProcess([program = '', ...args]: readonly string[], variables: NodeJS.ProcessEnv) {
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --require ${JSON.stringify(GUARD)}`.trim()
  const child = spawn(program, args, {
    env: { ...process.env, ...variables, NODE_OPTIONS },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printedText = ''
  const addOutput = (text: string) => {
    printedText = (printedText + text).slice(-MAX_OUTPUT_LENGTH)
  }
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', addOutput)
  let exitDescription = ''
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      addOutput(`${program} couldn't be started: ${error.message}\n`)
      exitDescription = 'with code 127'
      resolve()
    })
    child.once('exit', (code, signal) => {
      exitDescription = signal === null ? `with code ${code}` : `by ${signal}`
      resolve()
    })
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  /** Resolves when the app exits, with a message about how it exited and its last lines of output. */
  async function describeExit(): Promise<string> {
    await exited
    // Waits for the rest of the output, but not long, because the app's own child processes may keep the pipe open.
    await Promise.race([closed, sleep(FINAL_OUTPUT_WAIT_MS, undefined, { ref: false })])
    const lastLines = printedText.trim().split('\n').slice(-REPORTED_LINES).join('\n')
    return `The app exited ${exitDescription}.${lastLines === '' ? '' : ` Its last output:\n${lastLines}`}`
  }
  return {
    describeExit,
    /** The last 20,000 characters that the app printed. */
    output: () => printedText,
    /** Resolves when the app listens on a port of 127.0.0.1. Rejects if it exits first or takes over 30 s. */
    async listensOn(port: number): Promise<void> {
      for (let waitedMs = 0; waitedMs < READY_TIMEOUT_MS; waitedMs += READY_CHECK_INTERVAL_MS) {
        if (await isListening(port)) return
        if (exitDescription !== '') throw new Error(`The app wasn't ready yet. ${await describeExit()}`)
        await sleep(READY_CHECK_INTERVAL_MS)
      }
      throw new Error(
        `The app doesn't listen on PORT, which is ${port}, after ${READY_TIMEOUT_MS / 1000} s.\n${printedText}`.trimEnd(),
      )
    },
    async stop(): Promise<void> {
      const descendants = child.pid === undefined || exitDescription !== '' ? [] : listDescendants(child.pid)
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), KILL_DELAY_MS)
      await exited
      clearTimeout(timer)
      await endOrphans(descendants)
    },
  }
}
