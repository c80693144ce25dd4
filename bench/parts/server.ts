import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { serveCalls } from './calls.ts'
import { type Child, startChild } from './child.ts'
import { type BlockingTimes, measureBlocking } from './event-loop-blocking.ts'

/** The resources that a server used since `startUsage`. */
export interface Usage {
  /** The CPU time of the whole process with all its threads, in microseconds. */
  cpuMicros: number
  /** The duration of each minor garbage collection in milliseconds. */
  scavengesMs: number[]
  /** The process's peak memory in bytes. */
  peakBytes: number
  /** Its memory after a garbage collection in bytes. */
  residentBytes: number
}

/** A server under measurement, in its own process. */
export interface Server extends AsyncDisposable {
  readonly url: string
  /** Runs a full garbage collection. */
  collectGarbage(): Promise<void>
  startUsage(): Promise<void>
  /** Returns the usage since `startUsage`. */
  readUsage(): Promise<Usage>
  startBlockingMeasurement(): Promise<void>
  /** Returns how long the event loop was blocked since `startBlockingMeasurement`. */
  endBlockingMeasurement(): Promise<BlockingTimes>
}

/** Starts `bench/servers/<file>`, which must call `serveMeasured`. */
export async function startServer(file: string, settings: object = {}): Promise<Server> {
  const child: Child = await startChild(`servers/${file}`, settings)
  return {
    // The handlers of `serveMeasured` return these types.
    url: child.ready as string,
    readUsage: async () => (await child.call('readUsage')) as Usage,
    async collectGarbage() {
      await child.call('collectGarbage')
    },
    async startUsage() {
      await child.call('startUsage')
    },
    async startBlockingMeasurement() {
      await child.call('startBlockingMeasurement')
    },
    endBlockingMeasurement: async () => (await child.call('endBlockingMeasurement')) as BlockingTimes,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** Runs in the server's process. `start` starts the server and resolves with its address. */
export function serveMeasured<Settings>(start: (settings: Settings) => Promise<string>): void {
  serveCalls(async (settings) => {
    // The benchmark passes the settings that this server declares.
    const url = await start(settings as Settings)
    return { ready: url, handlers: createMeter() }
  })
}

function createMeter() {
  let scavengesMs: number[] = []
  let cpuBefore = process.cpuUsage()
  const observer = new PerformanceObserver((list) => {
    // Entries of the type `gc` have their kind: https://nodejs.org/api/perf_hooks.html#performanceentrydetail
    const entries = list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[]
    for (const { detail, duration } of entries) {
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR) scavengesMs.push(duration)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  let measurementEnd = Promise.withResolvers<void>()
  let blockingTimes: Promise<BlockingTimes> | undefined
  return {
    collectGarbage() {
      globalThis.gc?.()
    },
    startUsage() {
      observer.takeRecords()
      scavengesMs = []
      cpuBefore = process.cpuUsage()
    },
    readUsage(): Usage {
      const { user, system } = process.cpuUsage(cpuBefore)
      // In kilobytes: https://nodejs.org/api/process.html#processresourceusage
      const peakBytes = process.resourceUsage().maxRSS * 1024
      globalThis.gc?.()
      return { cpuMicros: user + system, scavengesMs, peakBytes, residentBytes: process.memoryUsage.rss() }
    },
    startBlockingMeasurement() {
      measurementEnd = Promise.withResolvers()
      blockingTimes = measureBlocking(() => measurementEnd.promise)
    },
    endBlockingMeasurement() {
      measurementEnd.resolve()
      return blockingTimes
    },
  }
}
