import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import { describe, expect, it } from 'vitest'
import { applyRetention, ROWS_LEFT } from '../../../src/bot/retention/audit-retention.ts'
import { createLog } from '../../../src/log.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const DAY_MS = 86_400_000
const TITLE = 'More audit entries have expired than Signalman deletes at once'

/** One row a day, 400 days ago, and a retention period of 365 days. */
async function addExpiredRows(world: World, days: number) {
  const { audit, settings } = world.app.store
  for (let day = 0; day < days; day += 1)
    await audit.append({
      ...{ workspaceId: WORKSPACE, at: new Date(Date.now() - (400 - day) * DAY_MS), actor: { userId: 'U1' } },
      ...{ verb: '/hc edit', object: `day ${day}`, outcome: 'done', reference: `r${day}` },
    })
  await audit.decide(WORKSPACE, async (decisions) => ({
    outcome: await settings.decide(decisions, AUDIT_RETENTION_DAYS, () => 365),
    auditEvent: {
      ...{ workspaceId: WORKSPACE, at: new Date(), actor: { userId: 'U1' }, verb: '/hc access' },
      ...{ object: 'how long the audit log is kept', outcome: 'done', reference: 'days' },
    },
  }))
}

const sweep = (world: World, runningMs: number) =>
  applyRetention(world.app.store, createLog('silent'), () => runningMs)
const countEdits = async (world: World) =>
  (await world.app.store.audit.search({ workspaceId: WORKSPACE, verb: '/hc edit', limit: 100 })).length
const listDms = async (world: World) =>
  (await world.slack.admin.messages('dm')).filter((message) => JSON.stringify(message).includes(TITLE))

describe('expired audit entries', () => {
  it('notifies an admin once how many there are, who can delete them after a question', async () => {
    await using world = await startWorld({ access: 'closed' })
    const { admin } = world.slack
    await addExpiredRows(world, 9)
    await sweep(world, 0)
    expect(await countEdits(world)).toBe(7)
    expect(await world.app.store.settings.get(WORKSPACE, ROWS_LEFT)).toBe(7)
    await admin.until('the DM', ({ messages }) => JSON.stringify(messages).includes(TITLE))
    const [dm] = await listDms(world)
    expect(JSON.stringify(dm)).toMatch(/7 entries of the audit log are past the retention period of 365 days/)
    expect(JSON.stringify(dm)).toMatch(/According to it, the time is \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    // The next removals don't notify anyone again.
    await sweep(world, 20 * 3_600_000)
    expect(await countEdits(world)).toBe(5)
    const question = await admin.click(dm, 'Delete 7 expired audit entries', { until: 'permanently?' })
    expect(await countEdits(world)).toBe(5)
    await admin.click(question.message, 'Delete 5 expired audit entries', { until: 'Deleting 5 expired' })
    await expect.poll(() => countEdits(world), { timeout: 20_000 }).toBe(0)
    const readRowsLeft = () => world.app.store.settings.get(WORKSPACE, ROWS_LEFT)
    await expect.poll(readRowsLeft, { timeout: 20_000 }).toBe(0)
    expect(await listDms(world)).toHaveLength(1)
    expect(await world.app.store.audit.verify(WORKSPACE)).toMatchObject({ faults: [] })
    const none = await admin.command('/hc', 'audit --delete-expired', { until: 'past the retention' })
    expect(none.text).toContain('No audit entries are past the retention period of 365 days.')
  })

  it('are deleted only after a question that has the right number, whatever someone types', async () => {
    await using world = await startWorld({ access: 'closed' })
    const { admin } = world.slack
    await addExpiredRows(world, 9)
    await sweep(world, 0)
    const [oldest] = await world.app.store.audit.search({ workspaceId: WORKSPACE, object: 'day 2', limit: 1 })
    const before = `--before ${(oldest?.sequence ?? 0) + 3}`
    for (const typed of [before, `${before} --rows 2`, `${before} --rows 99`]) {
      const line = `audit --delete-expired ${typed}`
      const { text } = await admin.command('/hc', line, { until: 'permanently?' })
      expect(text, typed).toContain('Delete 3 expired audit entries permanently?')
    }
    const line = 'audit --delete-expired --rows 7'
    const all = await admin.command('/hc', line, { until: 'permanently?' })
    expect(all.text).toContain('Delete 7 expired audit entries permanently?')
    const none = await admin.command('/hc', `audit --delete-expired --before 1`, { until: 'before row' })
    expect(none.text).toContain('No expired audit entries are before row 1.')
    expect(await countEdits(world)).toBe(7)
    const question = await admin.command('/hc', `audit --delete-expired ${before}`, { until: 'permanently?' })
    await admin.click(question.message, 'Delete 3 expired audit entries', { until: 'Deleting 3 expired' })
    await admin.command('/hc', 'audit', { until: /deleted\s+3 expired audit entries/ })
    await expect.poll(() => countEdits(world), { timeout: 20_000 }).toBe(4)
  })

  it('says nothing about entries that the next removal deletes anyway', async () => {
    await using world = await startWorld({ access: 'closed' })
    await addExpiredRows(world, 2)
    await sweep(world, 0)
    expect(await countEdits(world)).toBe(0)
    await world.app.store.audit.append({
      ...{ workspaceId: WORKSPACE, at: new Date(), actor: { userId: 'U1' }, verb: '/hc edit' },
      ...{ outcome: 'done', reference: 'new' },
    })
    await sweep(world, 3_600_000)
    expect(await world.app.store.settings.get(WORKSPACE, ROWS_LEFT)).toBeUndefined()
  })
})
