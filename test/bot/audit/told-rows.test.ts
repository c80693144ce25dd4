import { AUDIT_KEPT_DAYS } from '@signalman/durable'
import { expect, it } from 'vitest'
import { startWorld, WORKSPACE } from '../../world.ts'

// What is put back or deleted past the app is in test/past-the-app.
it('what people give and save in Slack is in the log as it is stored', async () => {
  await using world = await startWorld({ access: 'closed' })
  const { admin, member } = world.slack
  const { audit, settings } = world.app.store
  const untold = () => world.app.store.untold(WORKSPACE, new Date())
  const save = async (answers: Parameters<typeof admin.submit>[0]) => {
    await admin.command('/hc', 'access', { until: 'Admins: people' })
    await admin.submit(answers, { until: 'It counts from now on' })
  }
  await save({ 'Operators: people': [member.id], 'Keep the audit log': '90 days' })
  await admin.command('/hc', `grant ${member.id} admin 8h`, { until: 'until' })
  await admin.command('/hc', `grant ${member.id} admin 15m`, { until: 'until' })
  expect(await untold()).toEqual([])
  // What is over is missed by nobody.
  expect(await world.app.store.untold(WORKSPACE, new Date(Date.now() + 3_600_000))).toEqual([])
  await save({ 'Operators: people': [], 'Approvers: everyone': ['yes'], 'Keep the audit log': 'For ever' })
  expect(await untold()).toEqual([])
  // Rows that were to be kept for ever, and that somebody had removed all the same.
  const done = {
    actor: { userId: 'system' },
    verb: 'audit.retention',
    object: 'audit log',
    reference: 'r',
  } as const
  const after = { removed: 1, olderThan: new Date().toISOString() }
  await audit.append({ ...done, workspaceId: WORKSPACE, at: new Date(), after, outcome: 'done' })
  expect(await untold()).toEqual([expect.stringMatching(/which were to be kept for ever$/)])
  expect(await settings.get(WORKSPACE, AUDIT_KEPT_DAYS)).toBe(0)
})
