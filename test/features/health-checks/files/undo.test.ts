import { expect, it } from 'vitest'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld } from '../../../world.ts'
import { downloadFile, importFile, waitForDm } from './csv-files.ts'

const share = shareWorld()

it('counts what became of server addresses that nobody set, and has the ones from before in the file', async () => {
  const targets = { 'web-1': 'web-1.example.com', 'web-2': '127.0.0.1', 'web-3': 'web-3.example.com' }
  await using world = await startWorld({
    checks: Object.entries(targets).map(([name, target]) => ({
      name,
      target,
      ...(target === '127.0.0.1' && { http_server_address: '127.0.0.1' }),
    })),
  })
  const preview = await world.slack.member.command('/hc', 'edit web-* --target new.example.com')
  await world.slack.member.click(preview.message, 'Change 3', { until: 'Started.' })
  const done = await waitForDm(world, 'Changed 3 health checks.')
  expect(done?.text).toContain('Server addresses kept: 2. To follow DNS instead,')
  expect(done?.text).toContain('Server addresses that the service replaced: 1.')
  const uuids = await Promise.all(
    Object.keys(targets).map(async (name) => (await world.service.checksNamed(name))[0]?.uuid),
  )
  // What came from DNS comes from DNS again.
  expect((await downloadFile(world)).text.trim().split(/\r?\n/)).toEqual([
    'uuid,health_check,environment,target,http_server_address',
    `${uuids[0]},web-1,production,web-1.example.com,`,
    `${uuids[1]},web-2,production,127.0.0.1,resolve`,
    `${uuids[2]},web-3,production,web-3.example.com,`,
  ])
})

it('names every field of a new check in the preview, and asks for the unit of more than a day', async () => {
  const world = await share({ name: 'web-1', target: 'w.example.com' })
  const rows = [
    'new-1,HTTPS,n1.example.com,443,60000,7',
    'new-2,HTTPS,n2.example.com,443,120000,7',
    'new-3,HTTPS,n3.example.com,443,120000 ms,7',
    'new-4,HTTPS,n4.example.com,443,2 min,7',
  ]
  const { text } = await importFile(
    world,
    `name,protocol,target,port,frequency,customer_id\n${rows.join('\n')}\n`,
  )
  expect(text).toContain('every 60000 s (16 h 40 min), customer 7')
  expect(text).toContain('frequency: 120000 s is more than a day. Add the unit: s, ms, min, or h.')
  expect(text.match(/every 120 s, customer 7/g)).toHaveLength(2)
})
