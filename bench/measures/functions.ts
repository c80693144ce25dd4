import type { Executed } from '../executed-functions.ts'
import type { Goal } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'

/** The most functions and files for each request of `executed-functions.ts`. */
const GOALS: Readonly<Record<string, Executed>> = {
  '/hc list → its answer': { functions: 250, files: 62 },
  'press Edit → window → saved': { functions: 560, files: 110 },
  'order submitted → approved → sent': { functions: 800, files: 135 },
  'watch poll → card': { functions: 380, files: 70 },
}
const REASON = 'The architecture page says which promise each of them keeps.'

/** Counts what somebody reads who wants to follow a request through the code. */
export async function countFunctions(): Promise<readonly Goal[]> {
  await using child = await startChild<Readonly<Record<string, Executed>>>('executed-functions.ts')
  return Object.entries(child.ready).flatMap(([request, { functions, files }]) => {
    const { functions: mostFunctions = 0, files: mostFiles = 0 } = GOALS[request] ?? {}
    return [
      { goal: `Functions, ${request}`, atMost: mostFunctions, reached: functions, reason: REASON },
      { goal: `Files with them, ${request}`, atMost: mostFiles, reached: files, reason: REASON },
    ]
  })
}
