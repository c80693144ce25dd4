import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time between SIGTERM and SIGKILL. */
const PATIENCE_MS = 5000

/** Tries to listen on a port; 0 finds a free one. Returns the port, or undefined if it's taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      // A server that listens on TCP has an address object.
      const found = (server.address() as AddressInfo).port
      server.close(() => resolve(found))
    })
  })
}

/** Bolt's default port if it's free, otherwise any other. */
export async function freePort(wanted = 3000): Promise<number> {
  const port = (await tryPort(wanted)) ?? (await tryPort(0))
  if (port === undefined) throw new Error('There is no free port for the app.')
  return port
}

/** Options for starting an app. */
export interface AppSetting {
  /** The working directory; the current one by default. */
  cwd?: string
  /** More environment variables. `NODE_OPTIONS` and `PYTHONPATH` are merged; an address that isn't the playground's is refused. */
  env?: Readonly<Record<string, string>>
  /** Collects the output for `printed` instead of showing it. */
  isQuiet?: boolean
}

export type AppProcess = ReturnType<typeof startAppProcess>

const KEPT_LETTERS = 20_000
const LAST_LINES = 20
const LAST_WORDS_MS = 2000

/** Starts an app as a child process. `stop` sends SIGTERM, and SIGKILL 5 s later. */
export function startAppProcess(
  [program = '', ...args]: readonly string[],
  environment: Record<string, string>,
  { cwd, isQuiet = false }: AppSetting = {},
) {
  const child = spawn(program, args, {
    env: environment,
    stdio: ['ignore', isQuiet ? 'pipe' : 'inherit', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  })
  let printed = ''
  const keep = (text: string) => {
    printed = (printed + text).slice(-KEPT_LETTERS)
  }
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', keep)
  if (!isQuiet) child.stderr?.pipe(process.stderr)
  let how = ''
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      const words = `${program} cannot be started: ${error.message}\n`
      if (isQuiet) keep(words)
      else process.stderr.write(words)
      how = 'with code 127'
      resolve(127)
    })
    child.once('exit', (code, signal) => {
      how = signal === null ? `with code ${code}` : `by ${signal}`
      resolve(code ?? 1)
    })
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    /** Its exit code, once it has one. */
    ended,
    /** The end of its output so far (only stderr if it isn't quiet), and how it exited. */
    printed: () => (how === '' ? printed : `${printed.trimEnd()}\nThe app has ended, ${how}.`.trimStart()),
    /** Resolves when it exits, with how it exited and the last lines it printed. */
    async end(): Promise<string> {
      await ended
      // With a limit, because its own child processes may keep the output open.
      await Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { ref: false })])
      const last = printed.trim().split('\n').slice(-LAST_LINES).join('\n')
      return `The app has ended, ${how}.${last === '' ? '' : ` The last that it printed:\n${last}`}`
    },
    async stop(): Promise<number> {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
      const code = await ended
      clearTimeout(timer)
      return code
    },
  }
}
