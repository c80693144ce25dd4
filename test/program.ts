import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const BUNDLER = join(ROOT, 'bin', 'bundle.ts')
const PAUSE_MS = 50
const MOST_PAUSES = 2400

/** A larger young generation makes a start a fifth faster than Node's default. */
export const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--min-semi-space-size=16']

/** How to run a program in its own process: flags and the file, and the shared compile cache. */
export interface Program {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The app, or a test's program around it, as one bundled file, which starts four times as fast as its sources. Built once per run
 * by the first process that needs it; the others wait.
 */
export function bundled(file: string): Program {
  const shared = process.env.TEST_PROGRAMS
  const source = resolve(ROOT, file)
  if (shared === undefined) return { args: [...NODE_FLAGS, source], env: {} }
  const folder = join(shared, relative(ROOT, source).replaceAll(/[\\/.]/g, '-'))
  const path = join(folder, `${basename(file, '.ts')}.mjs`)
  madeOnce(folder, () => runNode([BUNDLER, source, '--folder', folder]))
  return { args: [...NODE_FLAGS, path], env: { NODE_COMPILE_CACHE: join(folder, 'cache') } }
}

/** Runs `make` in only one process of a test run; the others wait until it has finished. */
export function madeOnce(folder: string, make: () => void): void {
  if (isFirst(folder))
    try {
      make()
    } finally {
      // Written even after a failure, so that the others stop waiting and fail with the reason.
      writeFileSync(join(folder, 'over'), '')
    }
  for (let pause = 0; !existsSync(join(folder, 'over')); pause += 1) {
    if (pause === MOST_PAUSES) throw new Error(`${folder} was not made.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
}

export const runNode = (args: readonly string[]): void =>
  void execFileSync(process.execPath, [...NODE_FLAGS, ...args], {
    timeout: MOST_PAUSES * PAUSE_MS,
  })

/** Creating a folder succeeds in only one process. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
