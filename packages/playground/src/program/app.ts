import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

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

/** Options for starting an app. */
export interface AppOptions {
  /** The working directory; the current one by default. */
  cwd?: string
  /**
   * Additional environment variables; undefined removes one. `SLACK_API_URL` isn't allowed.
   */
  env?: Readonly<Record<string, string | undefined>>
}

export type AppProcess = ReturnType<typeof startAppProcess>

const MAX_OUTPUT_LENGTH = 20_000
const REPORTED_LINES = 20
const FINAL_OUTPUT_WAIT_MS = 2000

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

/** Starts an app as a child process. `stop` sends SIGTERM, and SIGKILL 5 s later, to the app and everything that it has started. */
export function startAppProcess(
  [program = '', ...args]: readonly string[],
  environment: Record<string, string>,
  cwd: string | undefined,
) {
  const child = spawn(program, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  })
  let printedText = ''
  const addOutput = (text: string) => {
    printedText = (printedText + text).slice(-MAX_OUTPUT_LENGTH)
  }
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', addOutput)
  let exitDescription = ''
  const exited = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      addOutput(`${program} couldn't be started: ${error.message}\n`)
      exitDescription = 'with code 127'
      resolve(127)
    })
    child.once('exit', (code, signal) => {
      exitDescription = signal === null ? `with code ${code}` : `by ${signal}`
      resolve(code ?? 1)
    })
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    /** Resolves with the exit code. */
    exited,
    /** The last 20,000 characters that the app printed, and how it exited. */
    output: () =>
      exitDescription === ''
        ? printedText
        : `${printedText.trimEnd()}\nThe app exited ${exitDescription}.`.trimStart(),
    /** Resolves when the app exits, with a message about how it exited and its last lines of output. */
    async describeExit(): Promise<string> {
      await exited
      // Waits for the rest of the output, but not long, because the app's own child processes may keep the pipe open.
      await Promise.race([closed, sleep(FINAL_OUTPUT_WAIT_MS, undefined, { ref: false })])
      const lastLines = printedText.trim().split('\n').slice(-REPORTED_LINES).join('\n')
      return `The app exited ${exitDescription}.${lastLines === '' ? '' : ` Its last output:\n${lastLines}`}`
    },
    async stop(): Promise<number> {
      const descendants = child.pid === undefined || exitDescription !== '' ? [] : listDescendants(child.pid)
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), KILL_DELAY_MS)
      const code = await exited
      clearTimeout(timer)
      await endOrphans(descendants)
      return code
    },
  }
}
