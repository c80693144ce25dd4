import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const BUNDLER = join(ROOT, 'bin', 'bundle.ts')
const SIGNALMAN = join(ROOT, 'src', 'cli', 'signalman.ts')
/** The programs of tests that import the app. */
const CHILD = /^test\b.*child\.ts$/
const PAUSE_MS = 50
const MAX_PAUSES = 2400

/** A larger young generation than Node's default makes a start a fifth faster. */
export const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--min-semi-space-size=16']

/** How to run a program in its own process: Node's arguments, with the file, and variables for the compile cache. */
export interface Program {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * Bundles a program that imports the app, because a bundle starts four times as fast as the sources. In each test run, the first
 * process that needs the bundle builds it, and the others wait.
 */
export function bundleProgram(file: string): Program {
  const shared = process.env.TEST_PROGRAMS
  const source = resolve(ROOT, file)
  if (shared === undefined) return { args: [...NODE_FLAGS, source], env: {} }
  const folder = buildBundle(shared, source)
  const name = basename(file, '.ts')
  // Each program has its own cache, because the first one that writes a cache decides which functions are in it.
  return {
    args: [...NODE_FLAGS, join(folder, `${name}.mjs`)],
    env: { NODE_COMPILE_CACHE: join(folder, `cache-${name}`) },
  }
}

/** Builds the bundle that contains a program, and returns its folder. */
function buildBundle(shared: string, source: string): string {
  if (source === SIGNALMAN) return buildSignalman(shared)
  const path = relative(ROOT, source)
  // A single build for all children, because they share the app, and parsing it is most of the work.
  if (CHILD.test(path)) return runBundler(join(shared, 'children'), findChildren)
  return runBundler(join(shared, path.replaceAll(/[\\/.]/g, '-')), () => [source])
}

const findChildren = () => globSync('test/**/*child.ts', { cwd: ROOT }).map((path) => join(ROOT, path))

function runBundler(folder: string, findSources: () => readonly string[]): string {
  runOncePerTestRun(folder, () => runNode([BUNDLER, ...findSources(), '--folder', folder]))
  return folder
}

/** Builds what `npm run build` puts into `dist/`, and returns the folder with it. */
export function buildSignalman(shared: string): string {
  const folder = join(shared, 'signalman')
  runOncePerTestRun(folder, () => runNode([join(ROOT, 'bin', 'dist.cjs'), '--folder', folder]))
  return folder
}

/** Runs the work in the first process of a test run that calls this for the folder. The others wait until it has finished. */
export function runOncePerTestRun(folder: string, work: () => void): void {
  if (claimFolder(folder))
    try {
      work()
    } finally {
      // Written even after a failure, so that the others stop waiting and fail with the reason.
      writeFileSync(join(folder, 'done'), '')
    }
  for (let pause = 0; !existsSync(join(folder, 'done')); pause += 1) {
    if (pause === MAX_PAUSES) throw new Error(`${folder} wasn’t created in time.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
}

export const runNode = (args: readonly string[]): void =>
  void execFileSync(process.execPath, [...NODE_FLAGS, ...args], {
    timeout: MAX_PAUSES * PAUSE_MS,
  })

/** Creates the folder. Returns false if another process has already created it. */
function claimFolder(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}
