import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { bundled, NODE_FLAGS, type Program } from './program.ts'

/** Longer than anything here takes on the busiest machine. A test's own timeout wouldn't say what it was waiting for. */
const LIMIT_MS = 180_000
const ROOT = resolve(import.meta.dirname, '..')

export interface Running extends AsyncDisposable {
  readonly child: ChildProcess
  /** Everything on standard output and standard error so far. */
  readonly output: () => string
  /** Resolves with the first match of `pattern` in the output. Rejects if the process ends without one, or after a long time. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  /** The exit code, or the signal that ended it. Rejects after a long time. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** Kills a process when its test ends, even by a timeout, so that it doesn't slow down the other tests. */
export function endsWithItsTest<C extends ChildProcess>(child: C): C {
  try {
    onTestFinished(() => void child.kill('SIGKILL'))
  } catch {
    // A hook started it for several tests, and ends it.
  }
  return child
}

/** Waits with a time limit, and fails with this message. */
function soon<T>(what: Promise<T>, fault: () => string): Promise<T> {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new Error(fault())), LIMIT_MS)
  return Promise.race([what, limit.promise]).finally(() => clearTimeout(timer))
}

/** Runs `signalman VERB …`. */
export const runSignalman = (
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Running => run('src/cli/signalman.ts', { ...options, args: [...args] })

/** Files that contain the app, alone or with parts of a test. */
const WITH_THE_APP = /(?:child|signalman)\.ts$/

/** Sources are compiled once per test run. The bundled program has its own cache, which this variable would replace. */
function programOf(file: string): Program {
  if (WITH_THE_APP.test(file)) return bundled(file)
  const cache = process.env.NODE_COMPILE_CACHE
  const env = cache && file.endsWith('.ts') ? { NODE_COMPILE_CACHE: cache } : {}
  return { args: [...NODE_FLAGS, resolve(ROOT, file)], env }
}

/** Runs a file of the project, or at an absolute path, in its own process, with only these variables and PATH. */
export function run(
  file: string,
  options: { args?: string[]; env?: Record<string, string>; cwd?: string; isGroup?: boolean } = {},
): Running {
  const program = programOf(file)
  return heard(
    file,
    spawn(process.execPath, [...program.args, ...(options.args ?? [])], {
      cwd: options.cwd ?? ROOT,
      env: { PATH: process.env.PATH ?? '', ...program.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // In a process group of its own.
      detached: options.isGroup ?? false,
    }),
  )
}

/** Collects the output of a process. It is killed when its test ends. */
export function heard(
  file: string,
  started: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable },
): Running {
  const child = endsWithItsTest(started)
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

  const soFar = (): string => ` It said:\n${output}`

  function waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output)
        if (!found) return
        listeners.delete(look)
        resolve(found)
      }
      listeners.add(look)
      look()
      ended.then(() => reject(new Error(`${file} ended without ${pattern}.${soFar()}`)))
    })
    return soon(found, () => `${file} has not said ${pattern}.${soFar()}`)
  }

  return {
    child,
    output: () => output,
    waitFor,
    get ended() {
      return soon(ended, () => `${file} has not ended.${soFar()}`)
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
      // Its child processes may still have the other ends open.
      child.stdout.destroy()
      child.stderr.destroy()
    },
  }
}
