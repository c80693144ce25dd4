import { expect, it } from 'vitest'
import { startWorld } from '../../../world.ts'
import { applyPreview, downloadFile, importFile, waitForDm } from '../files/csv-files.ts'

const PREVIEWED = '? This would '

it('says the same of one health check and of many that are renamed out of a watch', async () => {
  await using world = await startWorld({
    checks: ['alpha', 'beta', 'gamma', 'blog'].map((name) => ({ name })),
  })
  const { member, admin } = world.slack
  await admin.command('/hc', 'watch al* be* ga*', { until: 'now watches' })
  const one = await member.command('/hc', 'edit gamma --name delta', { until: PREVIEWED })
  expect((await applyPreview(world, one, 'Change 1'))?.text).toMatch(
    /Its new name isn’t watched in .+, where the old one was\./s,
  )
  const uuids = await Promise.all(
    ['alpha', 'beta', 'blog'].map(async (name) => (await world.service.checksNamed(name))[0]?.uuid),
  )
  const rows = ['x-alpha', 'x-beta', 'x-blog'].map((name, at) => `${uuids[at]},${name}`)
  const many = await importFile(world, ['uuid,name', ...rows].join('\n'))
  expect((await applyPreview(world, many, 'Change 3'))?.text).toMatch(
    /New names that aren’t watched in .+, where the old ones were: x-alpha, x-beta\./s,
  )
})

it('deletes nothing of many unless Slack takes the file that brings them back, and says why', async () => {
  const alerts = [['ann@example.com'], ['bob@example.com']]
  await using world = await startWorld({
    checks: [{ name: 'shop', alerts }, { name: 'shop 2', alerts }, { name: 'blog' }],
  })
  const { slack, service } = world
  await slack.faults({ method: 'files.getUploadURLExternal', kind: 'error', error: 'file_uploads_disabled' })
  const preview = await slack.member.command('/hc', 'delete shop*', { until: PREVIEWED })
  const ended = await applyPreview(world, preview, 'Delete 2')
  expect(ended?.text).toContain('Deleted 0 of 2 health checks.')
  expect(ended?.text).toContain('2 not started.')
  expect(ended?.text).toContain('Slack doesn’t accept this file in this workspace (file_uploads_disabled).')
  expect(await service.requests('DELETE')).toEqual([])
  await slack.faults()
  const again = await slack.member.command('/hc', 'delete shop*', { until: PREVIEWED })
  await service.faults({ method: 'DELETE', path: '/healthcheck', kind: 'hold' })
  await slack.member.click(again.message, 'Delete 2', { until: 'Started.' })
  // The file is there before anything is deleted.
  expect((await downloadFile(world)).text).toContain('ann@example.com; bob@example.com')
  expect(await service.countChecks()).toBe(3)
  await service.faults()
  const deleted = await waitForDm(world, 'Deleted 2 health checks.')
  expect((await slack.member.click(deleted, 'Go back…', { until: PREVIEWED })).text).toContain('create 2')
})

it('answers two presses of one plan alike, and changes once', async () => {
  await using world = await startWorld({ checks: [{ name: 'shop' }, { name: 'blog' }] })
  const { member } = world.slack
  const { message } = await member.command('/hc', 'edit shop --frequency 30', { until: PREVIEWED })
  const until = /Changed 1|applied or stopped|nothing was saved/
  const answers = await Promise.all([1, 2].map(() => member.click(message, 'Change 1', { until })))
  for (const { text } of answers) expect(text).toContain('Changed 1 health check.')
  expect(await world.service.requests('PUT')).toHaveLength(1)
  expect((await member.messages('dm')).filter(({ text }) => text.includes('Your change: '))).toEqual([])
})

it('offers the other server address, and the check, after a change of one', async () => {
  await using world = await startWorld({
    checks: [
      { name: 'shop', target: 'shop.example.com', http_server_address: '192.0.2.7' },
      { name: 'blog' },
    ],
  })
  const { member } = world.slack
  const preview = await member.command('/hc', 'edit shop --target www.example.com', { until: PREVIEWED })
  const ended = await applyPreview(world, preview, 'Change 1')
  expect(ended?.text).toContain('Kept the server address 192.0.2.7. The service connects to it')
  expect((await member.click(ended, 'Follow DNS', { until: PREVIEWED })).text).toContain('from DNS')
  expect((await member.click(ended, 'Show it', { until: 'www.example.com' })).text).toContain('shop')
})
