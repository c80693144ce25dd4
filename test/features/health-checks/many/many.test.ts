import { describe, expect, it } from 'vitest'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { startWorld, WORKSPACE, type World } from '../../../world.ts'

const FLEET: CheckSeed[] = Array.from({ length: 12 }, (_, index) => ({
  name: `web-${String(index + 1).padStart(2, '0')}`,
  target: `www${index + 1}.example.com`,
  alerts: [['ann@example.com', 'bob@example.com']],
}))
const MAIL: CheckSeed = { name: 'mail', protocol: 'TCP', target: 'mx.example.com', port: 25 }
const HEADER = 'name,protocol,target,port,frequency,customer_id,alerts'

async function waitForDm({ slack: { member } }: World, expected: string) {
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  return (await member.messages('dm')).findLast((message) => message.text.includes(expected))
}

/** Every check with its alerts, without values that the service generates. */
async function readChecks({ service }: World) {
  const found = await service.checksNamed('*')
  const checks = await Promise.all(
    found.map(async ({ uuid }) => {
      const { name, protocol, target, port, frequency, customer_id, verify_ssl } = await service.check(uuid)
      const alerts = (await service.alerts(uuid)).map(({ recipients }) => recipients)
      return { name, protocol, target, port, frequency, customer_id, verify_ssl, alerts }
    }),
  )
  return checks.sort((first, second) => String(first.name).localeCompare(String(second.name)))
}

async function downloadFile(world: World) {
  const { member } = world.slack
  await member.until('a file', ({ messages }) => JSON.stringify(messages).includes('"files":[{'))
  const file = (await member.messages('dm')).flatMap(({ files }) => files ?? []).at(-1)
  return (await fetch(`${world.playground.url}${file?.href}`)).text()
}

async function importFile(world: World, content: string) {
  const { member } = world.slack
  const { id } = await member.upload('checks.csv', content, 'text/csv')
  await member.command('/hc', 'import')
  return member.submit({ 'CSV file': [id] }, { until: 'checks.csv: ' })
}

/** Types the command, applies its preview, and imports the file of what was before. */
async function changeAndRestore(world: World, line: string, button: string) {
  const { member } = world.slack
  const before = await readChecks(world)
  const preview = await member.command('/hc', line)
  expect(preview.text).toContain('Nothing has changed yet.')
  expect(await readChecks(world)).toEqual(before)
  await member.click(preview.message, button, { until: 'Started.' })
  const report = await waitForDm(world, 'Done: ')
  const after = await readChecks(world)
  const undo = await importFile(world, await downloadFile(world))
  const [label = ''] = /Create \d+|Change \d+/.exec(JSON.stringify(undo.view)) ?? []
  await member.click(undo.view, label, { until: 'Started.' })
  await waitForDm(world, 'Done: checks.csv')
  return { before, preview, report, after, restored: await readChecks(world) }
}

describe('a change of many health checks', () => {
  it('edits them, and importing the file of what was before restores them', async () => {
    await using world = await startWorld({ checks: [...FLEET, MAIL] })
    const { before, preview, report, after, restored } = await changeAndRestore(
      world,
      'edit web-* --frequency 30 --verify-ssl no',
      'Change 12',
    )
    expect(preview.text).toContain('change 12? Nothing has changed yet.')
    expect(report?.text).toContain('12 of 12 health checks.')
    expect(after.filter(({ frequency }) => frequency === '30')).toHaveLength(12)
    expect(after.find(({ name }) => name === 'mail')).toEqual(before.find(({ name }) => name === 'mail'))
    expect(restored).toEqual(before)
    const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, verb: '/hc edit', limit: 50 })
    expect(rows[0]).toMatchObject({ outcome: 'done', before: { frequency: 60 }, after: { frequency: 30 } })
  })

  it('deletes them, and importing the file creates them again with their alerts', async () => {
    await using world = await startWorld({ checks: [...FLEET.slice(0, 3), MAIL] })
    const { before, after, restored } = await changeAndRestore(world, 'delete web-*', 'Delete 3')
    expect(after.map(({ name }) => name)).toEqual(['mail'])
    expect(restored).toEqual(before)
  })

  it('replaces a recipient', async () => {
    await using world = await startWorld({ checks: [...FLEET.slice(0, 3), MAIL] })
    const { before, after, restored } = await changeAndRestore(
      world,
      'recipients ann@example.com --replace-with cat@example.com',
      'Change 3',
    )
    expect(after[1]?.alerts).toEqual([['bob@example.com', 'cat@example.com']])
    expect(restored).toEqual(before)
  })

  it('lists the checks that email an address, and changes nothing', async () => {
    await using world = await startWorld({ checks: [...FLEET.slice(0, 2), MAIL] })
    const { text } = await world.slack.member.command('/hc', 'recipients ann@example.com')
    expect(text).toContain('ann@example.com gets emails about 2 health checks.')
    expect(text).toContain('web-01 and web-02')
  })

  it('skips a check that somebody has changed since the preview', async () => {
    await using world = await startWorld({ checks: FLEET.slice(0, 2) })
    const { member } = world.slack
    const preview = await member.command('/hc', 'edit web-* --frequency 30')
    const [first] = await world.service.checksNamed('web-01')
    await world.service.change(first?.uuid ?? '', {
      name: 'web-01',
      target: 'www1.example.com',
      frequency: 90,
    })
    await member.click(preview.message, 'Change 2', { until: 'Started.' })
    const report = await waitForDm(world, 'Ended: ')
    expect(report?.text).toContain('1 of 2 health checks.')
    expect(report?.text).toContain('Its frequency is now every 90 s, not every 60 s.')
    expect((await readChecks(world)).map(({ frequency }) => frequency)).toEqual(['90', '30'])
  })

  it('finds out what became of a creation whose answer was lost, and never sends it twice', async () => {
    await using world = await startWorld({ serviceLimits: { retry: { attempts: 1 } } })
    const { member } = world.slack
    const preview = await importFile(world, `${HEADER}\nnew,HTTPS,new.example.com,443,60,1,ann@example.com\n`)
    await world.service.faults({
      method: 'POST',
      path: '/healthcheck/v1/healthchecks',
      kind: 'drop-reply',
      times: 1,
    })
    await member.click(preview.view, 'Create 1', { until: 'Started.' })
    await waitForDm(world, 'Done: checks.csv')
    expect(await readChecks(world)).toMatchObject([{ name: 'new', alerts: [['ann@example.com']] }])
    const posts = await world.service.requests('POST')
    expect(
      posts.filter(({ path }: { path: string }) => path === '/healthcheck/v1/healthchecks'),
    ).toHaveLength(1)
  })
})
