import { expect, it } from 'vitest'
import { createPeople, findPerson } from '../../../src/bot/access/actor.ts'
import { commandBeforeDeactivation } from '../../late-command.ts'
import { startWorld } from '../../world.ts'
import { createMember } from './member.ts'

/** Nothing listens at this address, so Slack's events don't reach the app. */
const UNREACHABLE_URL = 'http://127.0.0.1:9'

const OUTCOME = /Created 1|Reference: |Nothing was changed/
const NEW = { Target: 'www.example.com', 'Customer ID': '1' }

it('looks the person up in Slack before every change, even right after the previous lookup', async () => {
  await using world = await startWorld({ access: 'closed' })
  const { admin } = world.slack
  await admin.command('/hc', 'create')
  expect((await admin.submit({ ...NEW, Name: 'first' }, { until: OUTCOME })).text).toContain('Created 1')
  await admin.close({ all: true })
  await admin.command('/hc', 'create')
  world.playground.setAppUrl(UNREACHABLE_URL)
  await admin.updateAccount({ role: 'member' })
  world.playground.setAppUrl(world.app.url)
  const refused = await admin.submit({ ...NEW, Name: 'second' }, { until: OUTCOME })
  expect(refused.text).toContain('This needs the operator role')
  expect(await world.service.checksNamed('second')).toEqual([])
})

it('refuses a deactivated account immediately, even for reads', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }] })
  const { member } = world.slack
  expect((await member.command('/hc', 'list')).text).toContain('web')
  await world.service.clearRequests()
  const refused = await commandBeforeDeactivation(world, member, '/hc list')
  expect(refused).toContain('account is deactivated')
  expect(refused).not.toContain('web')
  expect(await world.service.requests()).toEqual([])
})

it('lists at most ten people with the same name, and counts the rest', async () => {
  async function* members() {
    for (let index = 10; index < 23; index += 1)
      yield {
        ...createMember('T1'),
        email: undefined,
        userId: `U0BO0000${index}`,
        handle: `bo${index}`,
        name: 'Bo',
      }
  }
  await expect(findPerson({ members }, 'Bo')).rejects.toThrow('@bo19 (U0BO000019), and 3 more.')
})

it.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['Mars/Olympus', undefined],
])('knows the time zone %s as %s', async (timeZone, known) => {
  const slack = { readPerson: async () => ({ ...createMember('T1'), timeZone }) }
  // Cast: only this is used.
  const clients = { forWorkspace: async () => slack } as unknown as Parameters<typeof createPeople>[0]
  const people = createPeople(clients, () => new Date())
  expect((await people.readPerson({ workspaceId: 'T1' }, 'U1')).timeZone).toBe(known)
})
