import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { serveCalls } from './calls.ts'
import { type Child, startChild } from './child.ts'
import { type Hold, measureHold } from './hold.ts'

/** What a server used between two points. */
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
  collect(): Promise<void>
  begin(): Promise<void>
  end(): Promise<Usage>
  /** Starts to measure the delay of the event loop. */
  watch(): Promise<void>
  /** The longest delay since `watch`. */
  endWatch(): Promise<Hold>
}

/** Starts `bench/servers/<file>`, which must call `serveMeasured`. */
export async function startServer(file: string, settings: object = {}): Promise<Server> {
  const child: Child = await startChild(`servers/${file}`, settings)
  return {
    // `serveMeasured` returns all of them.
    url: child.ready as string,
    end: async () => (await child.call('end')) as Usage,
    async collect() {
      await child.call('collect')
    },
    async begin() {
      await child.call('begin')
    },
    async watch() {
      await child.call('watch')
    },
    endWatch: async () => (await child.call('held')) as Hold,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** Runs in the server's process: `start` resolves with its address. Usage is counted from then on. */
export function serveMeasured<Settings>(start: (settings: Settings) => Promise<string>): void {
  serveCalls(async (settings) => {
    // The benchmark that starts this server passes the settings that it declares.
    const url = await start(settings as Settings)
    return { ready: url, handlers: createMeter() }
  })
}

function createMeter() {
  let scavengesMs: number[] = []
  let before = process.cpuUsage()
  const observer = new PerformanceObserver((list) => {
    // Entries of the type `gc` have their kind: https://nodejs.org/api/perf_hooks.html#performanceentrydetail
    const entries = list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[]
    for (const { detail, duration } of entries) {
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR) scavengesMs.push(duration)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  let end = Promise.withResolvers<void>()
  let hold: Promise<Hold> | undefined
  return {
    collect() {
      globalThis.gc?.()
    },
    begin() {
      observer.takeRecords()
      scavengesMs = []
      before = process.cpuUsage()
    },
    end(): Usage {
      const { user, system } = process.cpuUsage(before)
      // In kilobytes: https://nodejs.org/api/process.html#processresourceusage
      const peakBytes = process.resourceUsage().maxRSS * 1024
      globalThis.gc?.()
      return { cpuMicros: user + system, scavengesMs, peakBytes, residentBytes: process.memoryUsage.rss() }
    },
    watch() {
      end = Promise.withResolvers()
      hold = measureHold(() => end.promise)
    },
    held() {
      end.resolve()
      return hold
    },
  }
}
