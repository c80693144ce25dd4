import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const BENCH = join(import.meta.dirname, '..')
/** The timeout of a call to a child, so that one that hangs ends the run. */
const CALL_LIMIT_MS = 120_000
/** The shipped program runs with the last of these flags, and so do its peers. */
const FLAGS = ['--expose-gc', '--disable-warning=ExperimentalWarning', '--max-semi-space-size=8']

/** Messages to a child: its settings first, then one call at a time. */
export type ToChild = { settings: unknown } | { call: string; argument: unknown }
/** A child's answer to each of them. */
export type FromChild = { result: unknown } | { fault: string }

/** A separate process, so that its CPU time is counted separately. */
export interface Child extends AsyncDisposable {
  /** The child's message when it was ready. */
  readonly ready: unknown
  /** Calls one of the child's handlers, one at a time. Throws the handler's error. */
  call(name: string, argument?: unknown): Promise<unknown>
}

/** Starts `bench/<file>` with these settings. Discards its log, and passes on its errors. */
export async function startChild(file: string, settings: unknown = {}): Promise<Child> {
  const child = fork(join(BENCH, file), [], {
    execArgv: FLAGS,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  // Through its own pipe, so that an orphan doesn't keep this process's output open.
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
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), CALL_LIMIT_MS)
  try {
    const answer = once(child, 'message', { signal: limit.signal })
    const end = once(child, 'exit', { signal: limit.signal })
    child.send(message)
    const [first] = await Promise.race([answer, end.then(([code]) => [{ fault: `it ended with ${code}` }])])
    // The other side is `serveCalls`, which sends nothing else.
    const said = first as FromChild
    if ('fault' in said) throw new Error(`bench/${file}: ${said.fault}`)
    return said.result
  } finally {
    clearTimeout(timer)
    limit.abort()
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const end = once(child, 'exit')
  child.kill('SIGKILL')
  await end
}
