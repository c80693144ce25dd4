// Starts the app in its own process, for tests that kill it. Its leases expire fast enough for a test.
import { flushCompileCache } from 'node:module'
import { startApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/log.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../relaxed-limits.ts'

const app = await startApp({
  budgets: UNLIMITED,
  requestDeadlines: LONG_DEADLINES,
  config: readConfig(process.env),
  log: createLog('info'),
  workTimes: { leaseMs: 600, pollMs: 50, progressIntervalMs: 200, settleMs: 500 },
})
// Writes the compile cache now, because a killed process wouldn't. It makes the next start a third faster.
flushCompileCache()
process.stdout.write(`"url":"${app.url}"\n`)
