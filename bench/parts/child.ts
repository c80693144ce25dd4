import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const BENCH = join(import.meta.dirname, '..')
const CALL_TIMEOUT_MS = 120_000
/**
 * Node flags for every child. Signalman runs with the last two, so the programs that it's compared with get the same heap
 * settings.
 */
const FLAGS = [
  '--expose-gc',
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=8',
  '--no-allocation-site-pretenuring',
]

/** Messages to a child: its settings first, then one call at a time. */
export type ToChild = { settings: unknown } | { call: string; argument: unknown }
/** A child's response to each message. */
export type FromChild = { result: unknown } | { fault: string }

/** A separate process, so that its CPU time is counted separately. */
export interface Child extends AsyncDisposable {
  /** The first message from the child, which says that it's ready. Usually its address. */
  readonly ready: unknown
  /** Calls one of the child's handlers, one at a time. Throws the handler's error. */
  call(name: string, argument?: unknown): Promise<unknown>
}

/** Starts `bench/<file>` with these settings. Ignores its standard output, and forwards its standard error. */
export async function startChild(file: string, settings: unknown = {}): Promise<Child> {
  const child = fork(join(BENCH, file), [], {
    execArgv: FLAGS,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // Piped instead of inherited, so that an orphan doesn't keep this process's output open.
  child.stderr?.pipe(process.stderr, { end: false })
  try {
    const ready = await exchange(child, file, { settings })
    return {
      ready,
      call: (name, argument) => exchange(child, file, { call: name, argument }),
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
