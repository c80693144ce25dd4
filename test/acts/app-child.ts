// Runs the app in its own process, which tests kill at any moment. Its leases expire quickly.
import { flushCompileCache } from 'node:module'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { LONG_DEADLINES, UNLIMITED } from '../relaxed-limits.ts'
import { CALL_TIMEOUT_MS, LEASE_MS, MAX_PAUSE_MS, SETTLE_MS } from './times.ts'

const app = await startApp({
  budgets: UNLIMITED,
  requestDeadlines: LONG_DEADLINES,
  config: readConfig(process.env),
  log: createLog('info'),
  workTimes: {
    leaseMs: LEASE_MS,
    pollMs: 50,
    retryMs: 50,
    progressIntervalMs: 50,
    settleMs: SETTLE_MS,
    maxPauseMs: MAX_PAUSE_MS,
  },
  orderTimes: { settleMs: SETTLE_MS, waitMs: 5000 },
  serviceLimits: {
    timeouts: {
      connectMs: CALL_TIMEOUT_MS,
      headersMs: CALL_TIMEOUT_MS,
      bodyMs: CALL_TIMEOUT_MS,
      totalMs: CALL_TIMEOUT_MS,
    },
    retry: { attempts: 1 },
  },
})
// Saves the compile cache now, because a killed process can't. It makes the next start a third faster.
flushCompileCache()
process.stdout.write(`"url":"${app.url}"\n`)
