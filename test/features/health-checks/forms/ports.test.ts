import { expect, it } from 'vitest'
import { applyPatch, describePortConflict } from '../../../../src/features/health-checks/rules/compare.ts'
import { findUrlPort } from '../../../../src/features/health-checks/rules/fields.ts'
import { createPlanner } from '../../../../src/features/health-checks/rules/plan.ts'
import { startWorld } from '../../../world.ts'

const CHECK = {
  name: 'shop',
  protocol: 'HTTPS',
  target: 'https://shop.example.com/health',
  port: 443,
  frequency: 60,
  customerId: 1,
  verifySsl: true,
  address: { is: 'resolve' },
} as const

it.each([
  ['https://shop.example.com:8443/health', 8443],
  ['https://shop.example.com:443/', 443],
  ['http://[2001:db8::1]:8080', 8080],
  ['http://[2001:db8::1]/', undefined],
  ['https://shop.example.com/a:8443/', undefined],
  ['https://shop.example.com?x=:1', undefined],
  ['shop.example.com', undefined],
  ['2001:db8::8443', undefined],
])('finds the port that %s names: %s', (target, port) => {
  expect(findUrlPort(target)).toBe(port)
})

it('fills the port from a new URL, and the default port of a new protocol', () => {
  expect(applyPatch(CHECK, { target: 'https://shop.example.com:8443/' }).port).toBe(8443)
  expect(applyPatch(CHECK, { target: 'https://shop.example.com:8443/', port: 9 }).port).toBe(9)
  expect(applyPatch(CHECK, { target: 'https://new.example.com/' }).port).toBe(443)
  expect(applyPatch(CHECK, { protocol: 'HTTP' }).port).toBe(80)
  expect(applyPatch({ ...CHECK, port: 8443 }, { protocol: 'HTTP' }).port).toBe(8443)
  expect(applyPatch(CHECK, { protocol: 'TCP' }).port).toBe(443)
})

it('leaves out a change or a copy that would have two different ports, but not another change of such a check', () => {
  const conflicting = { ...CHECK, target: 'https://shop.example.com:8443/' }
  expect(describePortConflict(conflicting)).toContain('Its target says port 8443, but its port would be 443.')
  expect(describePortConflict(CHECK)).toBeUndefined()
  const current = (fields: typeof CHECK | typeof conflicting) =>
    ({ uuid: 'U', modifiedAt: undefined, state: { fields, alerts: [] } }) as const
  const plan = (set: object, fields: typeof CHECK | typeof conflicting) => {
    const planner = createPlanner(new Set())
    planner.add({ line: 1, is: 'changed', uuid: 'U', set }, current(fields))
    return planner.result()
  }
  expect(plan({ port: 9443 }, conflicting).leftOut).toHaveLength(1)
  expect(plan({ frequency: 30 }, conflicting).steps).toHaveLength(1)
  expect(plan({ port: 8443 }, conflicting).steps).toHaveLength(1)
  const planner = createPlanner(new Set())
  planner.add({ line: 1, is: 'new', to: { fields: { ...conflicting, name: 'copy' }, alerts: [] } })
  expect(planner.result().leftOut).toMatchObject([{ reason: expect.stringContaining('port 8443') }])
})

it('fills the port of the create window, and asks in both windows if the ports differ', async () => {
  await using world = await startWorld({ checks: [{ name: 'web', target: 'www.example.com' }] })
  const { member } = world.slack
  await member.command(
    '/hc',
    'create --name shop2 --target https://shop2.example.com:8443/health --customer 1',
  )
  await member.submit({ 'Seconds between checks': '60' }, { until: 'Created' })
  expect((await world.service.requests('POST')).at(-1)?.body).toMatchObject({ port: 8443 })
  await member.close({ all: true })

  await member.command('/hc', 'create --name shop3 --target https://shop3.example.com:8443/ --customer 1')
  const refused = await member.submit(
    { Port: '443', 'Seconds between checks': '60' },
    { until: 'Which one is right?' },
  )
  expect(refused.text).toContain('The target says port 8443.')
  await member.close({ all: true })

  await member.command('/hc', 'edit web')
  await member.submit({ Target: 'https://www.example.com:8443/' }, { until: 'Which one is right?' })
  expect(await world.service.requests('PUT')).toEqual([])
})
