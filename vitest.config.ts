import { availableParallelism } from 'node:os'
import { join, matchesGlob, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { IS_LONG } from './test/long.ts'

/** Tests that take long for their size. Files start in order of size, so these would start last and delay the whole run. */
const LONG = [
  'test/demo.test.ts',
  'test/{acts,bench,demo,e2e,growth,real,replicas,views}/*',
  '**/{hostile-files,job-work,killed-steps,kills,large-orders,other-environment}.test.ts',
  '**/{packed,readiness,resumed-export,taken-over}.test.ts',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const startsFirst = ({ moduleId }: TestSpecification): boolean =>
      LONG.some((pattern) => matchesGlob(relative(import.meta.dirname, moduleId), pattern))
    return [...sorted.filter(startsFirst), ...sorted.filter((file) => !startsFirst(file))]
  }
}

// All random choices follow from one seed. It's the same for every run, so that a change is judged by what it changed. The nightly
// workflow draws a new one.
process.env.SEED ||= '1'
process.stdout.write(`SEED=${process.env.SEED}. Set it to repeat the random choices of this run.\n`)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    pool: 'forks',
    // Test files share a few processes. No module keeps state, so they can't affect each other.
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Node runs these sources directly. If Vite transformed them, each call into another module would be a property lookup.
    experimental: { viteModuleRunner: false },
    // Tests of processes and browsers, which start first, spend three quarters of their time waiting.
    maxWorkers: availableParallelism() * 4,
    testTimeout: IS_LONG ? 6 * 3_600_000 : 900_000,
    hookTimeout: 900_000,
    globalSetup: ['./test/shared-page.ts', './test/shared-programs.ts'],
    setupFiles: ['./packages/playground/src/program/no-slack.cjs', './test/set-up.ts'],
    // Long enough for a browser on a busy machine.
    expect: { poll: { timeout: 240_000 } },
    // Most objects of a test are garbage after it. With a larger young generation, collecting them takes a sixth less CPU time.
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      '--min-semi-space-size=32',
      '--max-semi-space-size=32',
    ],
    // Child processes of the tests share a cache of stripped and compiled code.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/signalman-tests') },
  },
})
