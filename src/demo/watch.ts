import { setTimeout as wait } from 'node:timers/promises'
import type { Driver } from '@signalman/playground/driver'
import type { Check } from './sandbox-calls.ts'
import { UNSTEADY } from './targets.ts'

/** The channel that watches the checks, and where approvers get the cards of orders. */
export const OPERATIONS = 'C0OPERATNS'

/**
 * Leaves out the checks that keep going up and down, because they would fill the channel, and those that are already down, because the
 * next outage would join their card. No watch can page sooner.
 */
const writeWatch = (leftOut: readonly string[]): string =>
  `watch all ${leftOut.map((name) => `--not "${name}"`).join(' ')} --escalate "5m @on-call"`

const RETRY_MS = 100

/** The playground's admin watches the checks in #operations. Resolves after the first poll. */
export async function watchOperations(
  { admin }: Driver,
  down: readonly Check[],
  hasPolled: () => Promise<boolean>,
): Promise<void> {
  const leftOut = [...UNSTEADY, ...down.map(({ name }) => name)]
  await admin.command('/hc', writeWatch(leftOut), { channel: 'operations', until: 'now watches' })
  while (!(await hasPolled())) await wait(RETRY_MS)
}
