// Changes one condition, limit, or call at a time, and runs the tests that should notice. `npm run mutants`, or for some files
// `npm run mutants -- FILE…`, with the environment variables SEED (which mutants), MUTANTS (how many), and AREA (one area). Fails if a
// mutant survives that isn't in equivalent.ts.
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRandom } from '../random.ts'
import { AREAS, findArea, findNearTests } from './areas.ts'
import { EQUIVALENT_MUTANTS } from './equivalent.ts'
import { listMutants, type Mutant } from './list-mutants.ts'

const ROOT = new URL('../..', import.meta.url)
const VITEST = ['bin/node.cjs', 'node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--reporter', 'dot']
const HOOK = new URL('load-mutant.mjs', import.meta.url).href
/** A mutant that makes the tests take this many times as long is noticed: it made something endless. */
const MAX_SLOWDOWN = 4
const MIN_TIMEOUT_MS = 60_000
const MAX_MEASURE_MS = 30 * 60_000

/** Tests without an end are as good a sign as a failed one. */
type Outcome = 'survived' | 'killed' | 'timed out'

/** What load-mutant.mjs changes. */
interface LoadedChange extends Pick<Mutant, 'start' | 'end' | 'replacement'> {
  url: string
}

const NO_CHANGE: LoadedChange = { url: '', start: 0, end: 0, replacement: '' }

interface Candidate extends Mutant {
  path: string
  code: string
}

const seed = Number(process.env.SEED ?? 1)
const random = createRandom(seed)
const files = process.argv.slice(2)
const areas =
  files.length > 0
    ? files.map((file) => findArea(file))
    : AREAS.filter(({ name }) => process.env.AREA === undefined || name === process.env.AREA)
if (areas.length === 0)
  throw new Error(`There is no area ${process.env.AREA}. Areas: ${AREAS.map(({ name }) => name).join(', ')}.`)
const total = Number(process.env.MUTANTS ?? (files.length > 0 ? 20 : 200))

const survivors: string[] = []
let killed = 0
let equivalent = 0

async function tryArea({ name, sources, far = [] }: (typeof areas)[number], count: number): Promise<void> {
  const near = findNearTests(sources)
  const stages = [createOwnTests(name, [...near, ...far]), createTests(name, near), createTests(name, far)]
  for (const candidate of choose(listCandidates(sources), count)) {
    const description = describe(candidate)
    if (isEquivalent(candidate)) {
      equivalent += 1
      process.stdout.write(`equivalent ${description}\n`)
      continue
    }
    const outcome = await runUntilNoticed(stages, candidate)
    if (outcome === 'survived') survivors.push(description)
    else killed += 1
    process.stdout.write(`${outcome.padEnd(9)}  ${description}\n`)
  }
}

async function runUntilNoticed(
  stages: readonly ((candidate: Candidate) => Promise<Outcome>)[],
  candidate: Candidate,
): Promise<Outcome> {
  for (const run of stages) {
    const outcome = await run(candidate)
    if (outcome !== 'survived') return outcome
  }
  return 'survived'
}

/** The tests that have the name of the changed file or import it. Most mutants die there, within seconds. */
function createOwnTests(name: string, all: readonly string[]): (candidate: Candidate) => Promise<Outcome> {
  const byPath = new Map<string, (candidate: Candidate) => Promise<Outcome>>()
  return async (candidate) => {
    const tests = listOwnTests(all, candidate.path)
    if (tests.length === 0) return 'survived'
    const run = byPath.get(candidate.path) ?? createTests(name, tests)
    byPath.set(candidate.path, run)
    return await run(candidate)
  }
}

function listOwnTests(all: readonly string[], path: string): string[] {
  const globs = all.map((test) => (test.endsWith('.ts') ? test : `${test}/**/*.test.ts`))
  const name = basename(path, '.ts')
  return globSync(globs, { cwd: ROOT })
    .filter((test) => basename(test, '.test.ts') === name || listImports(test).includes(path))
    .toSorted()
}

const listImports = (test: string): string[] =>
  Array.from(readFileSync(new URL(test, ROOT), 'utf8').matchAll(/from '(\.[^']+)'/g), ([, file = '']) =>
    join(dirname(test), file),
  )

function listCandidates(sources: readonly string[]): Candidate[] {
  const paths = globSync([...sources], { cwd: ROOT }).toSorted()
  return paths.flatMap((path) => {
    const code = readFileSync(new URL(path, ROOT), 'utf8')
    return listMutants(code).map((mutant) => ({ ...mutant, path, code }))
  })
}

function choose(candidates: Candidate[], count: number): Candidate[] {
  const left = [...candidates]
  const chosen: Candidate[] = []
  while (chosen.length < count && left.length > 0) chosen.push(...left.splice(random.below(left.length), 1))
  return chosen
}

/** Runs tests against mutants. First, it runs them without one, to see that they pass and how long they take. */
function createTests(name: string, tests: readonly string[]): (candidate: Candidate) => Promise<Outcome> {
  // Without a name, Vitest would run the whole suite.
  if (tests.length === 0) return async () => 'survived'
  let timeoutMs: Promise<number> | undefined
  async function measureTimeout(): Promise<number> {
    const start = performance.now()
    const outcome = await runTests(tests, loadWith(NO_CHANGE), MAX_MEASURE_MS)
    if (outcome !== 'survived')
      throw new Error(`The tests of ${name} fail without a mutant: ${tests.join(' ')}`)
    return Math.max(MIN_TIMEOUT_MS, (performance.now() - start) * MAX_SLOWDOWN)
  }
  return async ({ path, start, end, replacement }) => {
    timeoutMs ??= measureTimeout()
    const env = loadWith({ url: pathToFileURL(readPath(path)).href, start, end, replacement })
    return await runTests(tests, env, await timeoutMs)
  }
}

/** Loads a change with every program that the tests start. */
const loadWith = (change: LoadedChange): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import=${HOOK}`,
  MUTANT: JSON.stringify(change),
})

const readPath = (path: string): string => new URL(path, ROOT).pathname

/** Runs the tests until the first one fails. Ends their whole process group. */
async function runTests(
  tests: readonly string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<Outcome> {
  const child = spawn(process.execPath, [...VITEST, ...tests], {
    cwd: ROOT,
    env: { ...process.env, SEED: String(seed), ...env },
    stdio: 'ignore',
    detached: true,
  })
  let isTimeout = false
  const timer = setTimeout(() => {
    isTimeout = true
    endGroup(child.pid)
  }, timeoutMs)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  endGroup(child.pid)
  if (isTimeout) return 'timed out'
  return code === 0 ? 'survived' : 'killed'
}

/** A mutant may leave programs behind that its tests started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}

const readLine = ({ code, line }: Candidate): string => (code.split('\n')[line - 1] ?? '').trim()

const describe = (candidate: Candidate): string =>
  `${relative('.', candidate.path)}:${candidate.line} ${clip(candidate.original)} → ${clip(candidate.replacement)}   ${clip(readLine(candidate))}`

const clip = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 100)

const isEquivalent = (candidate: Candidate): boolean =>
  EQUIVALENT_MUTANTS.some(
    ({ path, code, original, replacement }) =>
      path === candidate.path &&
      code === readLine(candidate) &&
      original === candidate.original &&
      replacement === candidate.replacement,
  )

process.stdout.write(`${total} mutants, SEED=${seed}\n`)
for (const [index, area] of areas.entries()) {
  const count = Math.floor(((index + 1) * total) / areas.length) - Math.floor((index * total) / areas.length)
  await tryArea(area, count)
}
process.stdout.write(`${killed} killed, ${survivors.length} survived, ${equivalent} equivalent\n`)
for (const survivor of survivors) process.stdout.write(`${survivor}\n`)
process.exitCode = survivors.length === 0 ? 0 : 1
