import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')

export interface Running extends AsyncDisposable {
  readonly child: ChildProcess
  /** Everything on standard output and standard error so far. */
  readonly output: () => string
  /** Resolves with the first match of `pattern` in the output; rejects when the process ends without one. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** Runs `signalman VERB …` from the sources. */
export const runSignalman = (
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Running => run('src/cli/signalman.ts', { ...options, args: [...args] })

/** Sources are compiled once in a run of the tests. What is shipped has a cache of its own, which this would replace. */
function compileCacheFor(file: string): Record<string, string> {
  const cache = process.env.NODE_COMPILE_CACHE
  return cache && file.endsWith('.ts') ? { NODE_COMPILE_CACHE: cache } : {}
}

/** Runs a file, of the project unless its path is absolute, in a process of its own, with exactly these variables beside PATH. */
export function run(
  file: string,
  options: { args?: string[]; env?: Record<string, string>; cwd?: string } = {},
): Running {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', resolve(ROOT, file), ...(options.args ?? [])],
    {
      cwd: options.cwd ?? ROOT,
      env: { PATH: process.env.PATH ?? '', ...compileCacheFor(file), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      for (const listen of listeners) listen()
    })
  }
  const ended = once(child, 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null,
  )

  function waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output)
        if (!found) return
        listeners.delete(look)
        resolve(found)
      }
      listeners.add(look)
      look()
      ended.then(() => reject(new Error(`${file} ended without ${pattern}. It said:\n${output}`)))
    })
  }

  return {
    child,
    output: () => output,
    waitFor,
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}
