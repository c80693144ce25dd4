import type { Executed } from '../executed-functions.ts'
import type { Goal } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'

/** The most functions and files for each request of `executed-functions.ts`, and what of it takes more. */
const GOALS: Readonly<Record<string, Executed & { reason: string }>> = {
  '/hc list → its answer': {
    ...{ functions: 250, files: 62 },
    reason: 'Files that each have one subject stay apart, even if only one of their functions runs.',
  },
  'press Edit → window → saved': {
    ...{ functions: 560, files: 110 },
    reason:
      'It makes and sends the file of what was before, holds the lock of the check, and finds out whether its server address comes from DNS.',
  },
  'watch poll → card': {
    ...{ functions: 380, files: 70 },
    reason: 'It records the post as a step of its work.',
  },
  'order submitted → approved → sent': {
    ...{ functions: 800, files: 135 },
    reason: 'It reads the signing request (CSR), and records each post as a step of its work.',
  },
}

/** Counts what somebody reads who wants to follow a request through the code. */
export async function countFunctions(): Promise<readonly Goal[]> {
  await using child = await startChild<Readonly<Record<string, Executed>>>('executed-functions.ts')
  return Object.entries(GOALS).flatMap(([request, { functions, files, reason }]) => {
    const { functions: executed = Number.NaN, files: inFiles = Number.NaN } = child.ready[request] ?? {}
    return [
      { goal: `Functions, ${request}`, atMost: functions, reached: executed, reason },
      { goal: `Files with them, ${request}`, atMost: files, reached: inFiles, reason },
    ]
  })
}
