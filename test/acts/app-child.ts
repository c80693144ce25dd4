// The app in its own process, which can be killed at any moment. Its leases expire quickly.
import { flushCompileCache } from 'node:module'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { PATIENT_APP, UNLIMITED } from '../patience.ts'
import { CALLS_MS, LEASE_MS, SETTLE_MS, STANDSTILL_MS } from './times.ts'

const app = await startApp({
  budgets: UNLIMITED,
  answerTimes: PATIENT_APP,
  config: readConfig(process.env),
  log: createLog('info'),
  workTimes: {
    leaseMs: LEASE_MS,
    pollMs: 50,
    retryMs: 50,
    progressIntervalMs: 50,
    settleMs: SETTLE_MS,
    maxPauseMs: STANDSTILL_MS,
  },
  orderTimes: { settleMs: SETTLE_MS, waitMs: 5000 },
  serviceLimits: {
    timeouts: { connectMs: CALLS_MS, headersMs: CALLS_MS, bodyMs: CALLS_MS, totalMs: CALLS_MS },
    retry: { attempts: 1 },
  },
})
// A killed process writes no compile cache, and with one the next start takes a third less time.
flushCompileCache()
process.stdout.write(`"url":"${app.url}"\n`)
