import { expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../packages/runtime/src/durations.ts'
import type { Outage } from '../../../src/domain/outages/outage.ts'
import { startWorld, type World } from '../../world.ts'

it('excludes the time before a health check was created from its observed time', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }] })
  setHistory(world, [])
  expect(await runCommand(world, 'history web-1')).toMatch(/\*Observed\*\d+ (s|min) of 7 d/)
  expect(await runCommand(world, 'history')).toContain('*Observed*2 d of 7 d')
})

it('counts observed time from a check’s first outage if the service reports a later creation date', async () => {
  await using world = await startWorld({ checks: [{ name: 'web-1' }] })
  setHistory(world, [createOutage(3, 2)])
  const text = await runCommand(world, 'history web-1')
  expect(text).toContain('*Total downtime*1 h')
  expect(text).toContain('*Observed*3 h of 7 d')
})

const createOutage = (startHoursAgo: number, endHoursAgo: number): Outage => ({
  id: 'outage',
  check: { uuid: 'web', name: 'web-1' },
  startedAt: new Date(Date.now() - startHoursAgo * HOUR_MS),
  endedAt: new Date(Date.now() - endHoursAgo * HOUR_MS),
  ending: 'recovered',
  isBaseline: false,
  downs: [
    {
      from: new Date(Date.now() - startHoursAgo * HOUR_MS),
      to: new Date(Date.now() - endHoursAgo * HOUR_MS),
    },
  ],
})

/** Sets the history: observed for the last two days, with these outages. */
function setHistory({ app }: World, outages: readonly Outage[]): void {
  const from = new Date(Date.now() - 2 * DAY_MS)
  Object.assign(app.store.watching.history, {
    listObserved: async () => [{ from, to: new Date() }],
    listOutages: async () => outages,
  })
}

const runCommand = async ({ slack }: World, line: string): Promise<string> =>
  (await slack.member.command('/hc', line)).text.replaceAll('\n', '')
