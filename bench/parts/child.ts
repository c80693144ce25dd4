import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'

const BENCH = join(import.meta.dirname, '..')
/** To begin to watch in 10,000 workspaces takes minutes. */
const CALL_TIMEOUT_MS = 600_000
/** Node flags for every child. Signalman runs with the last one, so the programs that it's compared with get the same heap settings. */
const FLAGS = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--max-semi-space-size=8']

/** Messages to a child: its settings first, then one call at a time. */
type ToChild = { settings: unknown } | { call: string; argument: unknown }
/** A child's response to each message. */
type FromChild = { result: unknown } | { fault: string }

/** A separate process, so that its CPU time is counted separately. */
export interface Child<Ready = string> extends AsyncDisposable {
  /** The first message from the child, which says that it's ready. Usually its address. */
  readonly ready: Ready
  /** Calls one of the child's handlers, one at a time. Throws the handler's error. */
  call<Result = void>(name: string, argument?: unknown): Promise<Result>
}

/** Starts `bench/<file>` with these settings. Ignores its standard output, and forwards its standard error. */
export async function startChild<Ready = string>(
  file: string,
  settings: unknown = {},
): Promise<Child<Ready>> {
  const child = fork(join(BENCH, file), [], {
    execArgv: FLAGS,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // Piped instead of inherited, so that an orphan doesn't keep this process's output open.
  child.stderr?.pipe(process.stderr, { end: false })
  try {
    // Whoever names the file and the call knows what it returns.
    const ready = (await exchange(child, file, { settings })) as Ready
    return {
      ready,
      call: async <Result>(name: string, argument: unknown) =>
        (await exchange(child, file, { call: name, argument })) as Result,
      [Symbol.asyncDispose]: () => stop(child),
    }
  } catch (error) {
    await stop(child)
    throw error
  }
}

async function exchange(child: ChildProcess, file: string, message: ToChild): Promise<unknown> {
  const listeners = new AbortController()
  const timer = setTimeout(() => listeners.abort(), CALL_TIMEOUT_MS)
  try {
    const answer = once(child, 'message', { signal: listeners.signal })
    const end = once(child, 'exit', { signal: listeners.signal })
    child.send(message)
    const [received] = await Promise.race([
      answer,
      end.then(([code]) => [{ fault: `the process exited with code ${code}` }]),
    ])
    // The child runs `serveCalls`, which sends nothing else.
    const response = received as FromChild
    if ('fault' in response) throw new Error(`bench/${file}: ${response.fault}`)
    return response.result
  } finally {
    clearTimeout(timer)
    listeners.abort()
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const end = once(child, 'exit')
  child.kill('SIGKILL')
  await end
}

/** What a child process offers its parent. */
export interface Calls {
  /** The child's first message, which says that it's ready. Usually its address. */
  ready: unknown
  /** The functions that the parent can call by name. */
  handlers?: Readonly<Record<string, (argument: unknown) => unknown>>
}

/** Runs in the child: calls `start` with the parent's settings, then handles calls until the parent disconnects. */
export function serveCalls<Settings>(start: (settings: Settings) => Promise<Calls>): void {
  let handlers: Calls['handlers']

  async function handleMessage(message: ToChild): Promise<unknown> {
    if ('settings' in message) {
      // The benchmark passes the settings that this child declares.
      const calls = await start(message.settings as Settings)
      handlers = calls.handlers
      // If a test run has a compile cache, saves it now, because the parent kills this process. Otherwise, this does nothing.
      flushCompileCache()
      return calls.ready
    }
    const handler = handlers?.[message.call]
    if (!handler) throw new Error(`there is no call "${message.call}"`)
    return handler(message.argument)
  }

  const send = (answer: FromChild) => void process.send?.(answer)
  process.on('message', (message) => {
    // The parent uses `startChild`, which sends nothing else.
    handleMessage(message as ToChild).then(
      (result) => send({ result }),
      (error: unknown) =>
        send({ fault: error instanceof Error ? (error.stack ?? error.message) : 'unknown' }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}
