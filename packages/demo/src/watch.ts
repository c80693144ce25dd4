import { setTimeout as wait } from 'node:timers/promises'
import type { Driver } from '@signalman/playground/driver'

/** The channel that watches the checks, and where approvers get the cards of orders. */
export const OPERATIONS = 'C0OPERATNS'

const RETRY_MS = 100

/** The playground's admin watches all checks in #operations. No watch can page sooner. Resolves after the first poll. */
export async function watchOperations({ admin }: Driver, hasPolled: () => Promise<boolean>): Promise<void> {
  const line = 'watch all --escalate "5m @on-call"'
  await admin.command('/hc', line, { channel: 'operations', until: 'now watches' })
  while (!(await hasPolled())) await wait(RETRY_MS)
}
