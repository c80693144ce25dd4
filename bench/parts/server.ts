import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { serveCalls } from './calls.ts'
import { type Child, startChild } from './child.ts'
import { type Hold, holdOf } from './hold.ts'

/** What a server used between two marks. */
export interface Usage {
  /** Processor time of the whole process, all its threads, in microseconds. */
  cpuMicros: number
  /** How long each collection of young objects stopped it, in milliseconds. */
  scavengesMs: number[]
  /** The most memory that the process has held since its start, in bytes. */
  peakBytes: number
  /** What it holds now, once collected, in bytes. */
  residentBytes: number
}

/** A server under measurement, in a process of its own. */
export interface Server extends AsyncDisposable {
  readonly url: string
  /** Collects everything that is garbage. */
  collect(): Promise<void>
  begin(): Promise<void>
  end(): Promise<Usage>
  /** From now on it is seen how long the event loop is held at a time. */
  watch(): Promise<void>
  /** How long it was held since then. */
  held(): Promise<Hold>
}

/** Starts `bench/servers/<file>`, which must call `serveMeasured`. */
export async function startServer(file: string, settings: object = {}): Promise<Server> {
  const child: Child = await startChild(`servers/${file}`, settings)
  return {
    // All of them are what `serveMeasured` gives.
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
    held: async () => (await child.call('held')) as Hold,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** The server's own side: `start` resolves with its address; what it uses is counted from here. */
export function serveMeasured<Settings>(start: (settings: Settings) => Promise<string>): void {
  serveCalls(async (settings) => {
    // The question that starts this server gives the settings that it declares.
    const url = await start(settings as Settings)
    return { ready: url, handlers: createMeter() }
  })
}

function createMeter() {
  let scavengesMs: number[] = []
  let before = process.cpuUsage()
  const observer = new PerformanceObserver((list) => {
    // Entries of the type `gc` carry their kind: https://nodejs.org/api/perf_hooks.html#performanceentrydetail
    const entries = list.getEntries() as (PerformanceEntry & { detail?: { kind?: number } })[]
    for (const { detail, duration } of entries) {
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR) scavengesMs.push(duration)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  let over = Promise.withResolvers<void>()
  let holding: Promise<Hold> | undefined
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
      over = Promise.withResolvers()
      holding = holdOf(() => over.promise)
    },
    held() {
      over.resolve()
      return holding
    },
  }
}
