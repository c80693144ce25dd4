import { serveCalls } from './child.ts'
import { type TurnWatch, watchTurns } from './event-loop.ts'

/** Runs in the process of a server under measurement. `start` starts the server and resolves with its address. */
export function serveMeasured<Settings>(start: (settings: Settings) => Promise<string>): void {
  let turns: TurnWatch | undefined
  serveCalls<Settings>(async (settings) => ({
    ready: await start(settings),
    handlers: {
      collectGarbage: () => globalThis.gc?.(),
      /** The CPU time of the whole process with all its threads. */
      readCpuMicros() {
        const { user, system } = process.cpuUsage()
        return user + system
      },
      watchTurns() {
        turns = watchTurns()
      },
      /** The most CPU time that one turn of the event loop took since `watchTurns`. */
      readLongestTurnMs: () => turns?.stop(),
    },
  }))
}
