import { setTimeout as wait } from 'node:timers/promises'
import type { Driver } from '@signalman/playground/driver'

/** The channel that watches the checks, and where approvers get the cards of orders. */
export const OPERATIONS = 'C0OPERATNS'

const RETRY_MS = 100

/**
 * Sets the workspace up as its admin does, by Signalman's own commands. Member has the roles of both groups, Admin has every role, and
 * Newcomer has none. No watch can page sooner. Resolves after the first poll.
 */
export async function setUpWorkspace(
  { admin, load }: Driver,
  hasPolled: () => Promise<boolean>,
): Promise<void> {
  const members = ['newcomer']
  await load({
    people: [{ name: 'newcomer', realName: 'Newcomer' }],
    channels: ['general', 'operations'].map((name) => ({ name, members })),
  })
  const shown = { channel: 'general', until: 'Saved: ' }
  for (const given of ['@on-call operator', '@approvers approver'])
    await admin.command('/hc', `grant ${given}`, shown)
  await admin.command('/cert-order', 'settings', {
    channel: 'general',
    until: ({ view }) => Boolean(view?.view.submit),
  })
  await admin.submit({ 'Approvals channel': OPERATIONS }, { until: 'Settings saved' })
  await admin.close({ all: true })
  const line = 'watch all --escalate "5m @on-call"'
  await admin.command('/hc', line, { channel: 'operations', until: 'now watches' })
  while (!(await hasPolled())) await wait(RETRY_MS)
}
