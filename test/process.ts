import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { bundleProgram, NODE_FLAGS, type Program } from './program.ts'

/** Longer than anything takes on a busy machine. Fails before the test's own timeout, which wouldn't say what the test waited for. */
const TIMEOUT_MS = 600_000
const ROOT = resolve(import.meta.dirname, '..')

export interface RunningProcess extends AsyncDisposable {
  readonly child: ChildProcess
  /** Everything on standard output and standard error so far. */
  readonly output: () => string
  /** Resolves with the first match of `pattern` in the output. Rejects if the process exits without one, or after a long time. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  /** The exit code, or the signal that ended it. Rejects after a long time. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** Kills a process when its test ends, even by a timeout, so that it doesn't slow down the other tests. */
export function killAfterTest<C extends ChildProcess>(child: C): C {
  try {
    onTestFinished(() => void child.kill('SIGKILL'))
  } catch {
    // Outside of a test: a hook started the process for several tests, and ends it.
  }
  return child
}

/** Waits with a timeout. After the timeout, it rejects with a description of the problem. */
function withTimeout<T>(promise: Promise<T>, describeProblem: () => string): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(describeProblem())), TIMEOUT_MS)
  return Promise.race([promise, timeout.promise]).finally(() => clearTimeout(timer))
}

export const runSignalman = (
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): RunningProcess => runFile('src/cli/signalman.ts', { ...options, args: [...args] })

/** The programs that import the whole app. They start faster when bundled. */
const CONTAINS_APP = /(?:child|signalman)\.ts$/

/** Returns how to run a file. All sources share a compile cache in a test run. Each bundled program has its own. */
function findProgram(file: string): Program {
  if (CONTAINS_APP.test(file)) return bundleProgram(file)
  const cache = process.env.NODE_COMPILE_CACHE
  const env: Record<string, string> = cache && file.endsWith('.ts') ? { NODE_COMPILE_CACHE: cache } : {}
  return { args: [...NODE_FLAGS, resolve(ROOT, file)], env }
}

/** Runs a file in its own process, with only these variables and PATH. The path is absolute, or relative to the project. */
export function runFile(
  file: string,
  options: {
    args?: string[]
    env?: Record<string, string>
    cwd?: string
    isGroup?: boolean
    /** Whether the process reads from its standard input. */
    hasInput?: boolean
  } = {},
): RunningProcess {
  const program = findProgram(file)
  return collectOutput(
    file,
    spawn(process.execPath, [...program.args, ...(options.args ?? [])], {
      cwd: options.cwd ?? ROOT,
      env: { PATH: process.env.PATH ?? '', ...program.env, ...options.env },
      stdio: [options.hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // A detached process has its own process group.
      detached: options.isGroup ?? false,
      // Both outputs are pipes.
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>,
  )
}

/** Collects the output of a process, and kills it when its test ends. */
export function collectOutput(
  file: string,
  started: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable },
): RunningProcess {
  const child = killAfterTest(started)
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      for (const listen of listeners) listen()
    })
  }
  const exited = once(child, 'exit')
  const ended = once(child, 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null,
  )

  const describeOutput = (): string => ` Its output:\n${output}`

  function waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    const match = new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const result = pattern.exec(output)
        if (!result) return
        listeners.delete(check)
        resolve(result)
      }
      listeners.add(check)
      check()
      ended.then(() => reject(new Error(`${file} ended without ${pattern}.${describeOutput()}`)))
    })
    return withTimeout(match, () => `${file} hasn’t printed ${pattern}.${describeOutput()}`)
  }

  return {
    child,
    output: () => output,
    waitFor,
    get ended() {
      return withTimeout(ended, () => `${file} hasn’t ended.${describeOutput()}`)
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
      // Grandchildren may still hold the other ends of these pipes open.
      child.stdout.destroy()
      child.stderr.destroy()
    },
  }
}
