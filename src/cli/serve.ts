import { fstatSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { startApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { readBuild } from '../version.ts'
import { listenForStopSignals } from './stop-signals.ts'
import { operatorVerb } from './verbs.ts'

/** How much unread output to buffer. Anything beyond it is dropped. */
const MOST_BYTES = 4 * 1024 * 1024
const LAST_LINES_MS = 500

/**
 * Standard output for a log, if it is a pipe: writing never blocks, even if the reader is slow or gone. Undefined for a file or a
 * terminal, whose writes never wait.
 */
function openOutput(fd = 1) {
  const kind = fstatSync(fd)
  if (!kind.isFIFO() && !kind.isSocket()) return undefined
  const pipe = new Socket({ fd, readable: false, writable: true })
  pipe.unref()
  let isGone = false
  let dropped = 0
  pipe.on('error', () => {
    isGone = true
  })
  return {
    write(line: string): void {
      if (isGone) return
      if (pipe.writableLength > MOST_BYTES) {
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
    written: () =>
      new Promise<void>((resolve) => {
        if (isGone || pipe.writableLength === 0) return resolve()
        setTimeout(resolve, LAST_LINES_MS)
        pipe.write('', () => resolve())
      }),
  }
}

const HELP = `
Runs until SIGTERM or SIGINT. Then it stops accepting work, finishes what is running, and exits with 0. A second signal, sent
at least a second later, ends it immediately. If the configuration has problems, it lists all of them and exits with 1.

Read from the environment: the variables in docs/variables.md.
`

export const serve = operatorVerb({
  help: HELP,
  flags: {},
  async run(_, environment, signals = listenForStopSignals()) {
    // Nothing has started yet that would have to finish.
    signals.onHurry(() => process.exit(1))
    const config = readConfig(environment)
    const output = openOutput()
    const log = createLog(config.logLevel, output)
    log.info(readBuild(), 'Signalman is starting.')
    for (const note of config.ignored) log.warn(note)
    const app = await startApp({ config, log })
    log.info({ url: app.url }, 'Signalman is listening.')
    // Lets the next start reuse the compiled code, however this process ends. Without a compile cache, it does nothing.
    flushCompileCache()
    const signal = await signals.first
    log.info({ signal }, 'Stopping.')
    signals.onHurry(() => {
      log.warn('Received a second signal. Exiting without waiting for running requests.')
      app.hurry()
    })
    await app[Symbol.asyncDispose]()
    log.info('Stopped.')
    await output?.written()
    process.exit(0)
  },
})
