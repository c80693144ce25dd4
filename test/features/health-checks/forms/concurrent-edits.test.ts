import { expect, it } from 'vitest'
import { matchRows } from '../../../../src/features/health-checks/files/match-rows.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { createClient, PRODUCTION } from '../../../service/vendor.ts'
import { startWorld } from '../../../world.ts'
import { checkNamed, startListing } from '../shifting-listing.ts'

it('keeps a server address that was set after the modal was opened', async () => {
  await using world = await startWorld({
    checks: [{ name: 'web', target: 'www.example.com' }, { name: 'other' }],
  })
  const { member } = world.slack
  const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
  await member.command('/hc', 'edit web')
  await world.service.change(uuid, { http_server_address: '192.0.2.7' })
  await member.submit({ 'Seconds between checks': '90' }, { until: 'Saved' })
  expect(await world.service.check(uuid)).toMatchObject({ frequency: '90', http_server_address: '192.0.2.7' })
})

it('keeps the spaces around an unchanged name', async () => {
  await using world = await startWorld({ checks: [{ name: ' web ', target: 'www.example.com' }] })
  const { member } = world.slack
  const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('*')
  await member.command('/hc', `edit ${uuid}`)
  await member.submit({ 'Seconds between checks': '90' }, { until: 'Saved' })
  expect(await world.service.check(uuid)).toMatchObject({ name: ' web ', frequency: '90' })
})

it('matches rows by UUID, even for identical checks, and never falls back to the name if the UUID doesn’t exist', async () => {
  const [check, identical] = [checkNamed('web'), { ...checkNamed('web'), uuid: 'uuid-2' }]
  await using vendor = await startListing({ reads: [{ pages: [[check, identical]], totals: [2] }] })
  await using service = createClient(vendor.url)
  const readRows = (...lines: string[]) =>
    readFile(Buffer.from(['name,protocol,target,port,frequency,customer_id,uuid', ...lines].join('\n')))
  const api = service.with(PRODUCTION)
  const cells = 'web,HTTPS,web.example.com,443,60,1,'
  const matched = await matchRows(api, await readRows(`${cells}uuid-web`, `${cells}uuid-2`))
  expect(matched.bad).toEqual([])
  expect(matched.pairs.map(({ check }) => check?.uuid)).toEqual(['uuid-web', 'uuid-2'])
  const unmatched = await matchRows(api, await readRows('web,HTTPS,new.example.com,443,60,1,uuid-gone'))
  expect(unmatched.pairs).toEqual([])
  expect(unmatched.bad).toMatchObject([
    { column: 'uuid', reason: expect.stringContaining('No health check has this UUID') },
  ])
})
