// The app in a process of its own that can be killed: what it holds lapses soon enough for a test.
import { flushCompileCache } from 'node:module'
import { startApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/log.ts'
import { PATIENT_APP, UNLIMITED } from '../../patience.ts'

const app = await startApp({
  budgets: UNLIMITED,
  answerTimes: PATIENT_APP,
  config: readConfig(process.env),
  log: createLog('info'),
  workTimes: { leaseMs: 600, pollMs: 50, tellMs: 200, settleMs: 500 },
})
// Who is killed leaves no compile cache at its end: the next one starts in two thirds of the time.
flushCompileCache()
process.stdout.write(`"url":"${app.url}"\n`)
