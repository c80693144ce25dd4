import { fstatSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { startApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { readBuild, VERSION } from '../version.ts'
import { operatorVerb } from './operator-verb.ts'
import { listenForStopSignals } from './stop-signals.ts'

/** How many bytes of unread output to buffer. Lines beyond that are dropped. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
const FLUSH_TIMEOUT_MS = 500

/**
 * Opens standard output for the log if it is a pipe, so that writing never blocks, even if the reader is slow or gone. Returns
 * undefined for a file or a terminal, which need no such care.
 */
function openOutput() {
  const fd = 1
  const stats = fstatSync(fd)
  if (!stats.isFIFO() && !stats.isSocket()) return undefined
  const pipe = new Socket({ fd, readable: false, writable: true })
  pipe.unref()
  let isClosed = false
  let dropped = 0
  pipe.on('error', () => {
    isClosed = true
  })
  return {
    write(line: string): void {
      if (isClosed) return
      if (pipe.writableLength > MAX_BUFFERED_BYTES) {
        dropped += 1
        return
      }
      if (dropped > 0)
        pipe.write(
          `{"level":"warn","dropped":${dropped},"msg":"Dropped log lines, because the reader of the pipe was too slow."}\n`,
        )
      dropped = 0
      pipe.write(line)
    },
    /** Resolves when everything is written, or after half a second. */
    flush: () =>
      new Promise<void>((resolve) => {
        if (isClosed || pipe.writableLength === 0) return resolve()
        setTimeout(resolve, FLUSH_TIMEOUT_MS)
        pipe.write('', () => resolve())
      }),
  }
}

/**
 * Once a large listing has survived a few collections, V8 allocates the rows of all listings in the old generation, which costs
 * an eighth of the CPU of `/hc list`. This turns that off. Node doesn't accept the flag in NODE_OPTIONS.
 */
const NO_PRETENURING = '--no-allocation-site-pretenuring'

const HELP = `
Runs until SIGTERM or SIGINT. Then it stops accepting work, finishes what is running, and exits with 0. A second signal, sent
at least a second later, ends it immediately. If the configuration has problems, it lists all of them and exits with 1.

Read from the environment: the variables in docs/variables.md.
`

export const serve = operatorVerb({
  help: HELP,
  flags: {},
  async run(_, environment, signals = listenForStopSignals()) {
    setFlagsFromString(NO_PRETENURING)
    // During startup, no requests are running, so a second signal can end the process immediately.
    signals.onSecondSignal(() => process.exit(1))
    const config = readConfig(environment)
    const output = openOutput()
    const log = createLog(config.logLevel, output)
    log.info({ version: VERSION }, 'Signalman is starting.')
    const app = await startApp({ config, log })
    log.info({ url: app.url, ...(await readBuild()) }, 'Signalman is listening.')
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
    await output?.flush()
    process.exit(0)
  },
})
