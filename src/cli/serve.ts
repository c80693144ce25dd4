import { flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'
import { startApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { readBuild } from '../version.ts'
import { openOutput } from './output.ts'
import { hearStopSignals } from './stop-signals.ts'
import type { OperatorVerb } from './verbs.ts'

const HELP = `
Runs until SIGTERM or SIGINT: then it takes no more work, finishes what runs, and exits with 0; a second one, a second later or
more, waits for nothing.
A wrong configuration is told whole, with exit code 1.

Read from the environment: the variables in docs/variables.md.
`

export const serve: OperatorVerb = {
  help: HELP,
  flags: {},
  async run(args, environment, signals = hearStopSignals()) {
    // Nothing has begun that would have to be finished.
    signals.onHurry(() => process.exit(1))
    parseArgs({ args: [...args], options: {} })
    const config = readConfig(environment)
    const output = openOutput()
    const log = createLog(config.logLevel, output)
    log.info(readBuild(), 'Signalman is starting.')
    for (const note of config.ignored) log.warn(note)
    const app = await startApp({ config, log })
    log.info({ url: app.url }, 'Signalman is listening.')
    // The next start reads what this one compiled, however this one ends. Without a compile cache it does nothing.
    flushCompileCache()
    const signal = await signals.first
    log.info({ signal }, 'Stopping.')
    signals.onHurry(() => {
      log.warn('A second signal: what still runs is not waited for.')
      app.hurry()
    })
    await app[Symbol.asyncDispose]()
    log.info('Stopped.')
    await output?.written()
    process.exit(0)
  },
}
