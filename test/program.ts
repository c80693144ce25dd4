import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const BUNDLER = join(ROOT, 'bin', 'bundle.ts')
const PAUSE_MS = 50
const MOST_PAUSES = 2400

/** With room for what a start makes: collected in the small steps in which Node begins, it takes a fifth longer. */
export const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--min-semi-space-size=16']

/** What Node is given to run in a process of its own: flags and the file, and where it is compiled once for the whole run. */
export interface Program {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The app in one file, as it is shipped, or a test's program around it: that starts in a fourth of the time that its sources
 * take. Made once in a run, by whoever starts it first; the others wait until it is whole.
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

/** Made by whoever comes first, of all processes of a run; the others wait until it is whole. */
export function madeOnce(folder: string, make: () => void): void {
  if (isFirst(folder))
    try {
      make()
    } finally {
      // Also where it failed: then who waits finds nothing there, and says so.
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

/** Making a folder is what only one process can do. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
