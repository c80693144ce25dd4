import { describe, expect, it } from 'vitest'
import { planFile } from '../../../../src/features/health-checks/files/plan.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { createKnownAddresses } from '../../../../src/features/health-checks/rows/known-addresses.ts'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld, type World } from '../../../world.ts'
import { EMPTY_STATE } from '../empty-state.ts'
import { FakeService } from '../jobs/fake-service.ts'

const CHECKS: CheckSeed[] = [
  {
    name: 'web',
    target: 'www.example.com',
    alerts: [['ann@example.com', 'bob@example.com'], ['cat@example.com']],
  },
  { name: 'mail', protocol: 'TCP', target: 'mx.example.com', port: 25 },
  { name: 'old', target: 'old.example.com', http_server_address: '192.0.2.50' },
]

async function waitForDm({ slack: { member } }: World, expected: string) {
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  return (await member.messages('dm')).findLast((message) => message.text.includes(expected))
}

async function exportFile(world: World, line: string): Promise<string> {
  const { member } = world.slack
  await member.command('/hc', line)
  await member.until('a file', ({ messages }) => JSON.stringify(messages).includes('"files":[{'))
  const file = (await member.messages('dm')).flatMap(({ files }) => files ?? []).at(-1)
  return (await fetch(`${world.playground.url}${file?.href}`)).text()
}

async function submitFile(world: World, name: string, content: string) {
  const { member } = world.slack
  await member.close({ all: true }).catch(() => undefined)
  const { id } = await member.upload(name, content, 'text/plain')
  await member.command('/hc', 'import', { until: 'Signalman checks the file' })
  return member.submit({ 'CSV file': [id] }, { until: /rows? in |Nothing to change|Nothing was changed/ })
}

async function readChecks({ service }: World) {
  const found = await service.checksNamed('*')
  const all = await Promise.all(
    found.map(async ({ uuid, name }) => {
      const { port, frequency, target } = await service.check(uuid)
      return [
        name,
        { port, frequency, target, alerts: (await service.alerts(uuid)).map(({ recipients }) => recipients) },
      ]
    }),
  )
  return Object.fromEntries(all)
}

describe('health checks in a file', () => {
  it('are compared row by row, changed to match the file, and restored by Undo', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const before = await readChecks(world)
    const file = await exportFile(world, 'export')
    const same = await submitFile(world, 'a.csv', file)
    expect(same.text).toContain('Nothing to change: all 3 health checks in a.csv already match the service.')
    expect(same.text).toContain(
      'Ignored, because the service sets them: status, created_at, created_by, modified_at, modified_by.',
    )
    const edited = file
      .split('\r\n')
      .filter(Boolean)
      .map((line, index) =>
        `${line},${index === 0 ? 'delete' : ''}`
          .replace(/^(old,.*),$/, '$1,yes')
          .replace('TCP,mx.example.com,25,60', 'TCP,mx.example.com,25,30')
          .replace('cat@example.com', 'dan@example.com'),
      )
      .concat('new,HTTPS,new.example.com,443,60,1,,,,,,,,,eve@example.com,')
      .join('\r\n')
    const plan = await submitFile(world, 'b.csv', edited)
    expect(plan.text).toContain(
      '4 rows in b.csv: 1 new, 2 changed, 1 deleted. 1 person will stop getting some alert emails. Nothing has changed yet.',
    )
    expect(plan.text).toContain('create new (HTTPS new.example.com, port 443, emails eve@example.com)')
    expect(plan.text).toContain('change mail: every 60 s → every 30 s')
    expect(plan.text).toContain('delete old')
    expect(await readChecks(world)).toEqual(before)
    await world.slack.member.click(plan.view, 'Create 1, change 2, delete 1', { until: 'Started.' })
    const report = await waitForDm(world, 'Imported b.csv.')
    expect(report?.text).toContain(
      'Created 1 health check.\nChanged 2 health checks.\nDeleted 1 health check.',
    )
    expect(await readChecks(world)).toMatchObject({
      mail: { frequency: '30' },
      web: { alerts: [['ann@example.com', 'bob@example.com'], ['dan@example.com']] },
      new: { alerts: [['eve@example.com']] },
    })
    await world.service.clearRequests()
    const again = await submitFile(world, 'b.csv', edited)
    expect(again.text).toContain('4 rows in b.csv: 1 can’t be used, 3 unchanged.')
    expect(again.text).toContain('No health check matches this row, so there’s nothing to delete.')
    const writes = (await world.service.requests()).filter(({ method }) => method !== 'GET')
    expect(writes).toEqual([])
    await world.slack.member.close({ all: true })
    await world.slack.member.click(report, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Requested: Undo')
    expect(await readChecks(world)).toEqual(before)
  })
})

describe('someone else’s change between the preview and the button press', () => {
  const HEAD = 'name,protocol,target,port,frequency,customer_id,alerts'
  const ROW = 'web,HTTPS,www.example.com,8443,60,1'

  async function changeBeforeApply(
    world: World,
    file: string,
    change: (uuid: string) => Promise<void>,
    fileName = 'a.csv',
  ) {
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
    const plan = await submitFile(world, fileName, file)
    await change(uuid)
    await world.slack.member.click(plan.view, 'Change 1', { until: 'Started.' })
    const report = await waitForDm(world, `Imported ${fileName}.`)
    return { done: report, uuid, preview: plan.text, now: await world.service.check(uuid) }
  }

  it('is kept if the preview didn’t show the setting, recipients, or server address', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { service, slack } = world
    const { preview, now, done, uuid } = await changeBeforeApply(
      world,
      `${HEAD}\n${ROW},ann@example.com bob@example.com; cat@example.com`,
      async (uuid) => {
        await service.change(uuid, { frequency: 30, http_server_address: '192.0.2.1' })
        await service.addAlert(uuid, ['dan@example.com'])
      },
    )
    expect(preview).toContain('change web: port 443 → 8443')
    const others = { frequency: '30', http_server_address: '192.0.2.1' }
    expect(now).toMatchObject({ port: '8443', ...others })
    expect(await service.alerts(uuid)).toHaveLength(3)
    await slack.member.click(done, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Requested: Undo')
    expect(await service.check(uuid)).toMatchObject({ port: '443', ...others })
    const { http_server_address } = others
    expect(await service.listAllChecks()).toContainEqual(
      expect.objectContaining({ uuid, http_server_address }),
    )
  })

  it('is kept if the preview showed the setting or the recipients, and the row is skipped', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { service } = world
    const { now, done } = await changeBeforeApply(world, `${HEAD}\n${ROW},ann@example.com`, (uuid) =>
      service.change(uuid, { port: 80 }),
    )
    expect(now).toMatchObject({ port: '80' })
    expect(done?.text).toContain('Skipped. Its port is now 80, not 443.')
    await world.slack.member.close({ all: true })
    const second = await changeBeforeApply(
      world,
      `${HEAD}\n${ROW.replace('8443', '80')},ann@example.com`,
      (uuid) => service.addAlert(uuid, ['dan@example.com']),
      'b.csv',
    )
    expect(second.done?.text).toContain('Skipped. Its recipients have changed.')
    expect(await service.alerts(second.uuid)).toHaveLength(3)
  })

  it('isn’t a conflict if the check now matches the file', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { done } = await changeBeforeApply(
      world,
      `${HEAD}\n${ROW},ann@example.com bob@example.com; cat@example.com`,
      async (uuid) => {
        await world.service.change(uuid, { port: 8443 })
      },
    )
    expect(done?.text).toBe('Imported a.csv.\n0 of 1 done, 1 unchanged.')
  })

  it('prevents the deletion of the check', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { member } = world.slack
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('old')
    const plan = await submitFile(world, 'a.csv', 'name,delete\nold,yes\nweb,no\nmail,\n')
    expect(plan.text).toContain('delete old')
    await world.service.change(uuid, { name: 'new', target: 'new.example.com' })
    await member.click(plan.view, 'Delete 1', { until: 'Started.' })
    expect((await waitForDm(world, 'Imported a.csv.'))?.text).toContain(
      'old: Skipped. Its name is now new, not old.',
    )
    expect(await world.service.countChecks()).toBe(3)
  })
})

describe('an imported file', () => {
  const share = shareWorld()

  it('deletes the health checks that a column names, and no others', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const [web] = await world.service.checksNamed('web')
    const file = [
      'name,delete,port,uuid',
      // Other cells of a deleted check don't matter.
      'OLD,Yes,not a port,',
      'mail,no,25,',
      'gone,1,443,',
      'web,perhaps,443,',
      `web,x,443,${web?.uuid}`,
    ].join('\n')
    const otherUuid = web?.uuid.replace(/^../, '00')
    const other = await submitFile(world, 'b.csv', `name,delete,uuid\nmail,yes,${otherUuid}\n`)
    expect(other.text).toContain('No health check has this UUID, but another one has this name.')
    const { text, view } = await submitFile(world, 'a.csv', file)
    expect(text).toContain('5 rows in a.csv: 3 can’t be used, 1 unchanged, 1 deleted.')
    expect(text).toContain('delete old')
    expect(text).toContain('Line 4, delete: No health check matches this row, so there’s nothing to delete.')
    expect(text).toContain('Line 5, delete: Use yes, or leave it empty. It is “perhaps”.')
    expect(text).toContain('Line 6, delete: Use yes, or leave it empty. It is “x”.')
    await world.slack.member.click(view, 'Delete 1', { until: 'Started.' })
    const report = await waitForDm(world, 'Imported a.csv.')
    expect((await world.service.checksNamed('*')).map(({ name }) => name)).toEqual(['mail', 'web'])
    await world.slack.member.close({ all: true })
    await world.slack.member.click(report, 'Undo', { until: 'Started.' })
    await waitForDm(world, 'Requested: Undo')
    expect(await world.service.checksNamed('old')).toHaveLength(1)
  })

  it('needs unique names per customer, and reports conflicts before anything is written', async () => {
    const world = await share({ name: 'web', customer_id: 1 }, { name: 'Taken' })
    const [{ uuid } = { uuid: '' }] = await world.service.checksNamed('web')
    const row = (name: string, customer: number, id = '') =>
      `${name},TCP,a.example.com,25,60,${customer},${id}`
    const file = [
      'name,protocol,target,port,frequency,customer_id,uuid',
      row('new', 1),
      row('NEW', 1).replace('25', '26'),
      row('new', 2),
      row('new', 1),
      row('taken', 1, uuid),
    ].join('\n')
    const { text } = await submitFile(world, 'a.csv', file)
    expect(text).toContain('5 rows in a.csv: 2 new, 3 can’t be used.')
    expect(text).toContain('Line 3, name: Line 2 has the same name and customer')
    expect(text).toContain('Line 5, name: This is the same health check as in line 2.')
    expect(text).toContain('Line 6, name: Another health check of this customer already has this name.')
  })

  it('lists every ignored column, and suggests what it may mean', async () => {
    const world = await share()
    const content =
      'name,protocol,target,port,frequency,customer_id,recipients,verify_sll,Team\nweb,HTTPS,www.example.com,443,60,1,ann@example.com,no,shop'
    const { text } = await submitFile(world, 'a.csv', content)
    expect(text).toContain('1 row in a.csv: 1 new. Nothing has changed yet.')
    expect(text).toContain('Column “recipients” is ignored. Did you mean “alerts”?')
    expect(text).toContain('Column “verify_sll” is ignored. Did you mean “verify_ssl”?')
    expect(text).toMatch(/Column “Team” is ignored\.$/m)
  })

  it('suggests which ignored column may be the missing one', async () => {
    const world = await share()
    const { text } = await submitFile(
      world,
      'a.csv',
      'name,protocol,url,port,frequency,customer_id\nweb,TCP,a.b,1,1,1',
    )
    expect(text).toContain('No health check has this name. To create one, add target.')
    expect(text).toContain('Column “url” is ignored. Did you mean “target”?')
  })
})

it('compares the recipients of more than 5,000 checks', async () => {
  const service = new FakeService('set-only')
  service.addToken('token', 'A')
  const names = Array.from({ length: 5001 }, (_, index) => `web-${index}`)
  const check = { protocol: 'HTTPS', target: 'www.example.com', port: 443, frequency: 60, customerId: 1 }
  for (const name of names) service.create('A', { ...check, name }, [['ann@example.com']])
  service.catchUp()
  const rows = names.map((name, index) => {
    const recipients = index === names.length - 1 ? 'bob@example.com' : 'ann@example.com'
    return `${name},HTTPS,www.example.com,443,60,1,${recipients}`
  })
  const file = ['name,protocol,target,port,frequency,customer_id,alerts', ...rows].join('\n')
  const plan = await planFile(
    { knownAddresses: createKnownAddresses(EMPTY_STATE, { production: 'none', ote: 'none' }) },
    {
      workspaceId: 'T1',
      environment: 'production' as const,
      now: new Date(),
      api: async () => service.api('token'),
    },
    await readFile(Buffer.from(file)),
  )
  expect(plan).toMatchObject({ unchangedCount: 5000, steps: [{ step: { line: 5002 } }], bad: [] })
})
