import { flushCompileCache } from 'node:module'
import { startApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { createLog, openLogOutput } from '../log.ts'
import { readBuild, VERSION } from '../version.ts'
import { operatorVerb } from './operator-verb.ts'
import { listenForStopSignals } from './stop-signals.ts'
import { createDefaultFolder } from './store-from-environment.ts'

const HELP = `
Runs until SIGTERM or SIGINT. Then it stops accepting work, finishes what is running, and exits with 0. A second signal, sent
at least a second later, ends it immediately. If the configuration has problems, it lists all of them and exits with 1.

Read from the environment: the variables in docs/variables.md.
`

export const serve = operatorVerb({
  help: HELP,
  flags: {},
  async run(_, environment, signals = listenForStopSignals()) {
    // During startup, no requests are running, so a second signal can end the process immediately.
    signals.onSecondSignal(() => process.exit(1))
    const config = readConfig(environment)
    createDefaultFolder(config.databaseUrl)
    const output = openLogOutput()
    const log = createLog(config.logLevel, output)
    log.info({ version: VERSION }, 'Signalman is starting.')
    const app = await startApp({ config, log })
    log.info({ url: app.url, ...(await readBuild()) }, 'Signalman is listening.')
    if (environment.SLACK_SIGNING_SECRET?.trim() && 'appToken' in config.slack.receive)
      log.info('SLACK_SIGNING_SECRET isn’t used, because SLACK_APP_TOKEN turns on Socket Mode.')
    // Lets the next start reuse the compiled code, even if this process is killed. Does nothing without a compile cache.
    flushCompileCache()
    const signal = await signals.first
    log.info({ signal }, 'Stopping.')
    signals.onSecondSignal(() => {
      log.warn('Received a second signal. Exiting without waiting for running requests.')
      app.forceStop()
    })
    await app[Symbol.asyncDispose]()
    log.info('Stopped.')
    await output.flush()
    process.exit(0)
  },
})
