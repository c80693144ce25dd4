import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { makeFolder } from '../../../databases/databases.ts'
import { startWorld } from '../../../world.ts'
import { writeFromOutside } from '../../../write-from-outside.ts'

const HOLD_READS = { method: 'GET', path: '/healthcheck', kind: 'hold' } as const

it('runs one export per person at a time, and says if the previous one is still running', async () => {
  await using world = await startWorld({ checks: [{ name: 'web' }] })
  const { member, admin } = world.slack
  await world.service.faults(HOLD_READS)
  await member.command('/hc', 'export')
  const again = await member.command('/hc', 'export --status HEALTHY', { until: 'Your previous export' })
  expect(again.text).toContain('You’ll get its result in a DM.')
  expect(again.text).toContain('Nothing was changed.')
  const { text } = await admin.command('/hc', 'export')
  expect(text).toContain('I’ll send you the file in a DM')
  await world.service.faults()
  await member.until('the export', ({ messages }) => JSON.stringify(messages).includes('Exported 1'))
  expect((await member.command('/hc', 'export')).text).toContain('I’ll send you the file in a DM')
})

it('finishes an export after a database outage', async () => {
  using folder = makeFolder()
  const path = join(folder.path, 'signalman.db')
  await using world = await startWorld({
    checks: [{ name: 'web' }],
    environment: { DATABASE_URL: `sqlite:${path}` },
    workTimes: { leaseMs: 600, pollMs: 20 },
  })
  using database = new DatabaseSync(path)
  await world.service.faults(HOLD_READS)
  await world.slack.member.command('/hc', 'export')
  const running = database.prepare(
    "select count(*) as jobs from work where kind = 'health-checks.export' and state = 'running'",
  )
  await expect.poll(() => running.get()?.jobs).toBe(1)
  await writeFromOutside(database, 'alter table work rename to work_away')
  await world.service.faults()
  await expect.poll(() => world.log.join()).toContain('Work could not be released')
  await writeFromOutside(database, 'alter table work_away rename to work')
  const done = database.prepare(
    "select count(*) as jobs from work where kind = 'health-checks.export' and state = 'done'",
  )
  await expect.poll(() => done.get()?.jobs).toBe(1)
  const messages = JSON.stringify(await world.slack.member.messages('dm'))
  expect(messages).toContain('Exported 1 health check')
})

it('says for how many health checks the file shows ? instead of the alerts', async () => {
  await using world = await startWorld({
    checks: [{ name: 'web' }, { name: 'mail', alerts: [['ann@example.com']] }],
  })
  const { member } = world.slack
  const [web] = await world.service.checksNamed('web')
  const body = { message: 'OK', data: [{ id: 7, type: 'SMS', recipients: ['+31 6'] }] }
  const path = `/healthcheck/v1/healthchecks/${web?.uuid}/alerts`
  await world.service.faults({ method: 'GET', path, kind: 'body', body, times: 9 })
  await member.command('/hc', 'export')
  const text = await member.see(/Exported 2 health checks[\s\S]*/)
  expect(text).toContain('For 1 health check, Signalman can’t write the alerts in a cell')
  await world.service.faults()
  await member.command('/hc', 'export --protocol HTTPS')
  await member.until(
    'the second export',
    ({ messages }) => JSON.stringify(messages).split('Exported 2').length > 2,
  )
  const texts = (await member.messages('dm')).map((message) => message.text)
  expect(texts.filter((exported) => exported.includes('The file shows ?'))).toHaveLength(1)
})
