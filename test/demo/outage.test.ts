import { expect, it } from 'vitest'
import { DEMO_OUTAGES, ESCALATE_AFTER_MS, scheduleOutages, watchOperations } from '../../src/demo/outage.ts'
import { WAIT_TIMEOUT_MS } from '../features/watching/watched-world.ts'
import { startWorld, WORKSPACE } from '../world.ts'

const [SHORT, ESCALATED, IN_MAINTENANCE] = DEMO_OUTAGES
const findEnd = (outage = SHORT): number => (outage?.afterMs ?? 0) + (outage?.durationMs ?? 0)

it('posts a maintenance window, and an outage that escalates and recovers', async () => {
  await using world = await startWorld({
    checks: DEMO_OUTAGES.map(({ check }) => ({ name: check, status: 'HEALTHY' })),
    watchEveryMs: 250,
    workTimes: { pollMs: 50 },
  })
  const { slack, app, sandbox } = world
  await watchOperations(slack, async () => true)
  const readTexts = async () => (await slack.member.messages('operations')).map(({ text }) => text).join('\n')
  const timeLimit = { timeout: WAIT_TIMEOUT_MS }
  await expect.poll(readTexts, timeLimit).toMatch(/(?:Started|Ended): maintenance of Media\*/)
  const countPolls = async () =>
    (await app.store.watching.history.findPollStatus(WORKSPACE, 'production'))?.polls ?? 0
  await expect.poll(countPolls, timeLimit).toBeGreaterThan(0)
  using _ = scheduleOutages(
    sandbox,
    DEMO_OUTAGES.map((outage) => ({ ...outage, afterMs: 0, durationMs: 600_000 })),
  )
  // Checks that go down in one poll share a card.
  await expect.poll(readTexts, timeLimit).toContain(`🔴 Down · ${SHORT?.check}`)
  // If the test reads the card late, the outage has already escalated.
  await expect.poll(readTexts, timeLimit).toMatch(/Paged next: @\W*on-call|Nobody has been on it/)
  using _end = scheduleOutages(sandbox, [
    { check: SHORT?.check ?? '', afterMs: 600_000, durationMs: -600_000 },
  ])
  await expect.poll(readTexts, timeLimit).toContain(`🟢 Up · ${SHORT?.check}`)

  const watches = await app.store.watching.watches.list(WORKSPACE)
  expect(watches).toMatchObject([
    { escalation: [{ afterMs: ESCALATE_AFTER_MS, responders: [{ isGroup: true }] }] },
  ])
})

it('pages someone, and shows an outage during maintenance, within two minutes', () => {
  const escalatesAtMs = (ESCALATED?.afterMs ?? 0) + ESCALATE_AFTER_MS
  expect(escalatesAtMs).toBeLessThan(110_000)
  // There is enough time to see the outage escalate and end.
  expect(findEnd(ESCALATED)).toBeGreaterThan(escalatesAtMs + 20_000)
  expect(findEnd(ESCALATED)).toBeLessThan(120_000)
  // This outage must end within the maintenance, which lasts for the demo's first minute.
  expect(findEnd(IN_MAINTENANCE)).toBeLessThan(60_000)
})
