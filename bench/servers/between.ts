import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { serveMeasured } from '../parts/server.ts'

/** The whole shipped app between a sandbox and a playground, which its environment names. */
serveMeasured(async (environment: Record<string, string>) => {
  const config = readConfig(environment)
  const app = await startApp({ config, log: createLog(config.logLevel) })
  return app.url
})
