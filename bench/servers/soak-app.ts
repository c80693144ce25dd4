import { createWriteStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { serveCalls } from '../parts/calls.ts'

export interface SoakAppSettings {
  folder: string
  environment: Readonly<Record<string, string>>
}

/** The resources of the app's process at one moment. */
export interface Resources {
  residentBytes: number
  /** Memory after a full garbage collection. */
  heapBytes: number
  /** Open files, sockets, and pipes, counted by the kernel. */
  handles: number
  /** The number of error lines in the log so far. */
  errors: number
}

/** The whole app, like `signalman serve`, with its database, journal, and log in one folder. */
serveCalls(async (settings) => {
  // The soak test passes these settings.
  const { folder, environment } = settings as SoakAppSettings
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
      measure(): Resources {
        const residentBytes = process.memoryUsage.rss()
        globalThis.gc?.()
        const heapBytes = process.memoryUsage().heapUsed
        // https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html; on other systems, the resources that Node counts.
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
