import { flushCompileCache } from 'node:module'
import { startApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { createLog } from './log.ts'
import { StoreError } from './store/store.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  const app = await startApp({ config, log })
  log.info({ url: app.url }, 'Signalman is listening.')
  // The next start reads what this one compiled, however this one ends. Without a compile cache it does nothing.
  flushCompileCache()
  const stop = async (signal: NodeJS.Signals) => {
    log.info({ signal }, 'Stopping.')
    await app[Symbol.asyncDispose]()
    log.info('Stopped.')
    process.exit(0)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

try {
  await main()
} catch (error) {
  // What the operator can mend is one plain message; anything else is a bug and shows its stack.
  const isTheirs = error instanceof ConfigError || error instanceof StoreError || isListenError(error)
  process.stderr.write(`${isTheirs ? (error as Error).message : String((error as Error).stack ?? error)}\n`)
  process.exit(1)
}

function isListenError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen'
}
