import { setTimeout as wait } from 'node:timers/promises'
import type { Driver } from '@signalman/playground/driver'
import { UNSTEADY } from './targets.ts'

/** The channel that watches the checks, and where approvers get the cards of orders. */
export const OPERATIONS = 'C0OPERATNS'

/**
 * Leaves out the checks that keep going up and down, because they would fill the channel. Every outage gets its own card, so that
 * the next one never has to wait five minutes or appears further up. No watch can escalate sooner.
 */
const WATCH = `watch ${UNSTEADY.map((name) => `--not "${name}"`).join(' ')} --notify every --escalate "1m @on-call"`

const RETRY_MS = 100

/**
 * The playground's admin watches the checks in #operations. Resolves after the first poll, because checks that are already down at the
 * first poll aren't reported.
 */
export async function watchOperations({ admin }: Driver, hasPolled: () => Promise<boolean>): Promise<void> {
  await admin.command('/hc', WATCH, { channel: 'operations' })
  while (!(await hasPolled())) await wait(RETRY_MS)
}
