import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { IS_LONG } from './test/long.ts'

/**
 * What measures memory or the event loop, or waits, is killed or goes on for most of a minute: each has a process of its own, early.
 * The others begin with the longest files, and what is long in few lines would keep the whole run waiting at its end.
 */
const ALONE = [
  'test/acts/**/*.test.ts',
  'test/service/listing.test.ts',
  'test/bench/**/*.test.ts',
  'test/views/**/*.test.ts',
  'test/features/watching/histories.test.ts',
]
/** One seed for the whole run, so that a failed file can be repeated with the same random choices. */
process.env.SEED ??= String(randomInt(2 ** 31))
process.stdout.write(`Random choices follow from SEED=${process.env.SEED}\n`)

const ALL = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    // Node runs these sources as they are; transformed, each call into another module is a look-up.
    experimental: { viteModuleRunner: false },
    // Tests wait for something half of their time: with a process for each core half the machine would stand still, and with one and
    // a half a third of it did.
    maxWorkers: availableParallelism() * 2,
    maxConcurrency: 3,
    testTimeout: IS_LONG ? 6 * 3_600_000 : 240_000,
    hookTimeout: 240_000,
    setupFiles: ['./test/stuck-worker.ts', './test/leaked-servers.ts', './test/fast-check-seed.ts'],
    // As long as a browser may take to show something on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // Whatever the tests start in processes of their own has its types stripped and is compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/signalman-tests') },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE, globalSetup: './test/shared-programs.ts' } },
      // One after the other in few processes: no module here remembers anything, so that nothing is left behind.
      {
        extends: true,
        test: {
          name: 'together',
          include: ALL,
          exclude: ALONE,
          isolate: false,
          globalSetup: ['./test/shared-page.ts', './test/shared-programs.ts'],
        },
      },
    ],
  },
})
