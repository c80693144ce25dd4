import { type Child, serveCalls, startChild } from './child.ts'
import { type TurnWatch, watchTurns } from './event-loop.ts'

/** A server under measurement, in its own process. */
export interface Server extends AsyncDisposable {
  readonly url: string
  /** Runs a full garbage collection. */
  collectGarbage(): Promise<void>
  startUsage(): Promise<void>
  /** The CPU time of the whole process with all its threads since `startUsage`. */
  readCpuMicros(): Promise<number>
  /** Watches the turns of the event loop until `readLongestTurnMs`. */
  watchTurns(): Promise<void>
  /** The most CPU time that one turn took since `watchTurns`. */
  readLongestTurnMs(): Promise<number>
}

/** Starts `bench/servers/<file>`, which must call `serveMeasured`. */
export async function startServer(file: string, settings: object = {}): Promise<Server> {
  const child: Child = await startChild(`servers/${file}`, settings)
  return {
    // The handlers of `serveMeasured` return these types.
    url: child.ready as string,
    readCpuMicros: async () => (await child.call('readCpuMicros')) as number,
    collectGarbage: async () => void (await child.call('collectGarbage')),
    startUsage: async () => void (await child.call('startUsage')),
    watchTurns: async () => void (await child.call('watchTurns')),
    readLongestTurnMs: async () => (await child.call('readLongestTurnMs')) as number,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

/** Runs in the server's process. `start` starts the server and resolves with its address. */
export function serveMeasured<Settings>(start: (settings: Settings) => Promise<string>): void {
  let cpuBefore = process.cpuUsage()
  let turns: TurnWatch | undefined
  serveCalls(async (settings) => ({
    // The benchmark passes the settings that this server declares.
    ready: await start(settings as Settings),
    handlers: {
      collectGarbage: () => globalThis.gc?.(),
      startUsage() {
        cpuBefore = process.cpuUsage()
      },
      readCpuMicros() {
        const { user, system } = process.cpuUsage(cpuBefore)
        return user + system
      },
      watchTurns() {
        turns = watchTurns()
      },
      readLongestTurnMs: () => turns?.stop(),
    },
  }))
}
