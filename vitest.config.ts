import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // As long as a browser may take to show something on a busy machine.
    expect: { poll: { timeout: 8000 } },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  },
})
