import type { Message } from '@signalman/playground'
import { describe, expect, it } from 'vitest'
import { ENVIRONMENTS } from '../../../src/domain/environment.ts'
import type { RecordedCheck } from '../../../src/features/watching/rows/recorded-checks.ts'
import { createSandboxControl, type SandboxControl } from '../../sandbox-control.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { startWatchedWorld } from './watched-world.ts'

/** The first line about a check that exists. */
const CURRENT = /^(?:Uptime of web-1|web-1 was up)/
const DOWN = { status: 'UNHEALTHY', target: 'shop.example.com' } as const

/** The answer, whatever else the app posts meanwhile. */
async function runHistory({ slack }: World, typed: string, person = 'U0MEMBER01') {
  const until = /As of|on record match|No health check/
  const { message } = await slack.user(person).command('/hc', `history ${typed}`, { until })
  if (!message) throw new Error('The answer isn’t a message.')
  return message
}

/** Whether **History of the other** leads to this check. */
const leadsTo = (history: Message, uuid: string): boolean =>
  JSON.stringify(history.blocks).includes(`/hc history ${uuid} --days`)

/** The checks that incidents remember, in both environments. */
async function listRecorded({ app }: World): Promise<RecordedCheck[]> {
  const { findRecordedChecks } = app.store.watching
  const found = ENVIRONMENTS.map((environment) =>
    findRecordedChecks({ workspaceId: WORKSPACE, environment }, () => true),
  )
  return (await Promise.all(found)).flat()
}

const untilRecorded = (world: World, isMeant: (one: RecordedCheck) => boolean) =>
  expect.poll(async () => (await listRecorded(world)).some(isMeant)).toBe(true)

async function addRecorded(world: World, name: string, service: SandboxControl = world.service) {
  const uuid = await service.addCheck({ name, ...DOWN })
  await untilRecorded(world, ({ check }) => check.uuid === uuid)
  return uuid
}

/** Both ways in which a check disappears, and what its history then says. */
const DELETIONS = [
  {
    how: 'with Signalman',
    says: /^web-1 was deleted <!date/,
    ofButtons: /\(deleted, /g,
    async remove({ slack: { member } }: World, uuid: string) {
      await member.command('/hc', `delete ${uuid}`, { until: ({ view }) => view !== undefined })
      await member.submit({ name: 'web-1' }, { until: 'Deleted “web-1”' })
      await member.close({ all: true })
    },
  },
  {
    how: 'elsewhere',
    says: /^web-1 is no longer in the service, noticed <!date/,
    ofButtons: /\(no longer in the service, noticed /g,
    async remove(world: World, uuid: string) {
      await world.service.remove(uuid)
      await untilRecorded(world, ({ check, missedAt }) => check.uuid === uuid && missedAt !== undefined)
    },
  },
] as const

describe.each(DELETIONS)('the history of a check that was deleted $how', ({ says, ofButtons, remove }) => {
  it('is found by its names, its ID, its target, and a pattern, by guests too, but not instead of a check that has the name', async () => {
    const { world } = await startWatchedWorld({
      checks: [{ name: 'web-10', target: 'www.example.com' }],
      guests: 'can-view',
    })
    await using _world = world
    const uuid = await addRecorded(world, 'web-0')
    await world.service.change(uuid, { name: 'web-1', target: DOWN.target })
    await world.service.setStatus(uuid, 'UNHEALTHY')
    await untilRecorded(world, ({ names }) => names.has('web-1'))
    const renamed = await runHistory(world, 'web-0')
    expect(renamed.text).toMatch(CURRENT)
    expect(renamed.text).toContain('It was named “web-0” before.')
    await remove(world, uuid)
    for (const typed of ['web-0', 'WEB-1', '“web-1”', uuid, 'shop.example.com', 'web-1 --days 3', 'web-0*']) {
      const message = await runHistory(world, typed)
      expect(message.text, typed).toMatch(says)
      expect(message.text, typed).toContain('down <!date')
      expect(message.text, typed).not.toContain('still down')
      expect(message.text, typed).not.toMatch(/Observed|^Show$/m)
    }
    expect((await runHistory(world, 'web-1', 'U0GUEST001')).text).toContain('last 90 days')
    expect((await runHistory(world, 'web-10')).text).toMatch(/^Uptime of web-10|^web-10 was up/)
    expect((await runHistory(world, 'web-2')).text).toContain('No health check is named “web-2”')
  })

  it('leads to the check that has the name now, and back', async () => {
    const { world } = await startWatchedWorld()
    await using _world = world
    const uuid = await addRecorded(world, 'web-1')
    await remove(world, uuid)
    const next = await addRecorded(world, 'web-1')
    const current = await runHistory(world, 'web-1')
    expect(current.text).toMatch(CURRENT)
    expect(current.text).toContain('Another health check on record had this name.')
    expect(leadsTo(current, uuid)).toBe(true)
    const old = await runHistory(world, uuid)
    expect(old.text).toMatch(says)
    expect(old.text).toContain('Another health check has this name now.')
    expect(leadsTo(old, next)).toBe(true)
    await remove(world, next)
    const question = await runHistory(world, 'web-1')
    expect(question.text).toContain('2 health checks on record match “web-1”. Which one?')
    expect(JSON.stringify(question.blocks).match(ofButtons)).toHaveLength(2)
  })
})

it('says how many deleted checks there are if it asks which of the latest ones', async () => {
  const { world } = await startWatchedWorld()
  await using _world = world
  const uuids: string[] = []
  for (let count = 0; count < 6; count += 1)
    uuids.push(await world.service.addCheck({ name: 'web-1', customer_id: count + 1, ...DOWN }))
  for (const uuid of uuids) await untilRecorded(world, ({ check }) => check.uuid === uuid)
  for (const uuid of uuids) await DELETIONS[1].remove(world, uuid)
  const question = await runHistory(world, 'web-1')
  expect(question.text).toContain('6 health checks on record match “web-1”. Here are the latest 5.')
  expect(JSON.stringify(question.blocks).match(DELETIONS[1].ofButtons)).toHaveLength(5)
})

it('shows the history of a deleted check that never was down', async () => {
  const { world } = await startWatchedWorld({ checks: [{ name: 'web-1' }] })
  await using _world = world
  const [check] = await world.service.checksNamed('web-1')
  await DELETIONS[0].remove(world, check?.uuid ?? '')
  const { text } = await runHistory(world, 'web-1')
  expect(text).toMatch(DELETIONS[0].says)
  expect(text).toMatch(/Uptime: not known\nOutages: (?:none|not known)$/m)
})

it('keeps the history from before a deletion that was undone', async () => {
  const { world } = await startWatchedWorld()
  await using _world = world
  const { member } = world.slack
  const uuid = await addRecorded(world, 'web-1')
  await DELETIONS[0].remove(world, uuid)
  const offer = await member.command('/hc', 'undo', { until: 'Undo your last change' })
  await member.click(offer.message, 'Undo', { until: /Started|Undone/ })
  await expect.poll(async () => world.service.checksNamed('web-1')).not.toEqual([])
  const restored = await runHistory(world, 'web-1')
  expect(restored.text).toContain('Another health check on record had this name.')
  expect(leadsTo(restored, uuid)).toBe(true)
  const before = await runHistory(world, uuid)
  expect(before.text).toMatch(DELETIONS[0].says)
  expect(before.text).toContain('Outages: ')
})

it('names the other environment if a check is on record only there', async () => {
  const { world } = await startWatchedWorld({}, { environment: 'ote' })
  await using _world = world
  const { sandbox } = world
  const ote = createSandboxControl({ ...sandbox, productionUrl: sandbox.oteUrl })
  const uuid = await addRecorded(world, 'web-1', ote)
  await ote.remove(uuid)
  const message = await runHistory(world, 'web-1')
  expect(message.text).toContain('No health check is named “web-1”. One in OTE is on record.')
  await world.slack.member.click(message, 'History in OTE', {
    // The card of the outage may be edited meanwhile.
    until: /web-1 \(OTE\) is no longer in the service/,
  })
})
