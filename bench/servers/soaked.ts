import { createWriteStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { serveCalls } from '../parts/calls.ts'

export interface SoakedSettings {
  folder: string
  environment: Readonly<Record<string, string>>
}

/** What the app's process holds at one moment. */
export interface Holding {
  residentBytes: number
  /** Once everything that is garbage has been collected. */
  heapBytes: number
  /** Files, sockets and pipes that are open, by the kernel's count. */
  handles: number
  /** Lines of the log that tell of an error, so far. */
  errors: number
}

/** The whole app as `signalman serve` runs it, with its database, journal and log in one folder. */
serveCalls(async (settings) => {
  // The soak gives what is declared above.
  const { folder, environment } = settings as SoakedSettings
  const config = readConfig({
    ...environment,
    DATABASE_URL: `sqlite:${join(folder, 'signalman.db')}`,
    OUTCOME_JOURNAL: join(folder, 'journal'),
    HOST: '127.0.0.1',
    PORT: '0',
  })
  const output = createWriteStream(join(folder, 'log'))
  let errors = 0
  const log = createLog(config.logLevel, {
    write(line) {
      if (/^\{"level":"(error|fatal)"/.test(line)) errors += 1
      output.write(line)
    },
  })
  const app = await startApp({ config, log })
  return {
    ready: app.url,
    handlers: {
      hold(): Holding {
        const residentBytes = process.memoryUsage.rss()
        globalThis.gc?.()
        const heapBytes = process.memoryUsage().heapUsed
        // https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html; elsewhere what Node itself waits for.
        const handles =
          process.platform === 'linux'
            ? readdirSync('/proc/self/fd').length
            : process.getActiveResourcesInfo().length
        return { residentBytes, heapBytes, handles, errors }
      },
      stop: () => app[Symbol.asyncDispose](),
    },
  }
})
