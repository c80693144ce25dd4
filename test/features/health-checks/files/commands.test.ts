import { describe, expect, it } from 'vitest'
import { type CheckSeed, createSandboxControl } from '../../../sandbox-control.ts'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld, type World } from '../../../world.ts'

const WEB: CheckSeed = { name: 'web', status: 'HEALTHY', target: 'www.example.com' }
const MAIL: CheckSeed = {
  name: '=cmd|calc!A1',
  status: 'UNHEALTHY',
  protocol: 'TCP',
  target: 'mx.example.com',
  port: 25,
}
const HEADER = 'name,protocol,target,port,frequency,customer_id'
const csvRows = (count: number): string =>
  Array.from({ length: count }, (_, index) => `new-${index + 1},HTTPS,shop.example.com,443,60,1`).join('\n')

/** Waits for a direct message to the member with this text. Returns the last one. */
async function waitForDm(world: World, expected: string) {
  const { member } = world.slack
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  const directMessages = await member.messages('dm')
  return directMessages.findLast((message) => message.text.includes(expected))
}

async function downloadFile(world: World) {
  const { member } = world.slack
  await member.until('a file', ({ messages }) => JSON.stringify(messages).includes('"files":[{'))
  const file = (await member.messages('dm')).flatMap(({ files }) => files ?? []).at(-1)
  const text = await (await fetch(`${world.playground.url}${file?.href}`)).text()
  return { name: file?.name ?? '', text }
}

/** Makes the service list the check, but respond as if it was deleted when its details or alerts are read. */
async function deleteDuringRead({ service }: World, name: string): Promise<void> {
  const [found] = await service.checksNamed(name)
  const path = `/healthcheck/v1/healthchecks/${found?.uuid}`
  await service.faults({ method: 'GET', path, kind: 'status', status: 404 })
}

async function submitFile(world: World, content: string | Uint8Array<ArrayBuffer>, name = 'checks.csv') {
  const { member } = world.slack
  const { id } = await member.upload(name, content, 'text/csv')
  await member.command('/hc', 'import')
  return member.submit({ 'CSV file': [id] }, { until: /rows? in |Nothing to change|Nothing was changed/ })
}

const listNames = async (world: World): Promise<string[]> =>
  (await world.service.checksNamed('*')).map(({ name }) => name).sort()

describe('/hc export', () => {
  it('sends you a file with every check, and neutralizes formulas', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    const { text } = await world.slack.member.command('/hc', 'export')
    expect(text).toContain('I’ll send you the file in a DM.')
    await waitForDm(world, 'Exported 2 health checks to the file below.')
    const { name, text: csv } = await downloadFile(world)
    expect(name).toMatch(/^health-checks-\d{4}-\d\d-\d\d\.csv$/)
    const [head, ...rows] = csv.trim().split('\r\n')
    const lines = [head, ...rows.toSorted()]
    expect(lines[0]).toBe(
      'name,protocol,target,port,frequency,customer_id,http_server_address,verify_ssl,status,uuid,created_at,created_by,modified_at,modified_by,alerts',
    )
    expect(lines[1]).toMatch(/^'=cmd\|calc!A1,TCP,mx\.example\.com,25,60,1,,,UNHEALTHY,/)
    expect(lines[2]).toMatch(/^web,HTTPS,www\.example\.com,443,60,1,,true,HEALTHY,/)
    expect(
      (await world.slack.member.messages('dm')).filter((message) => message.text.includes('xport')),
    ).toHaveLength(1)
    expect(await world.slack.admin.messages('general')).toEqual([])
  })

  it('continues if a check is deleted while its alerts are read, and warns that the list may be incomplete', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    await deleteDuringRead(world, 'web')
    await world.slack.member.command('/hc', 'export')
    const message = await waitForDm(world, 'Exported 1 health check to the file below.')
    expect(message?.text).toContain(
      'The service’s list changed during the export or is incomplete, so some health checks may be missing.',
    )
    expect((await downloadFile(world)).text).not.toContain('www.example.com')
  })

  it('exports only the checks that match the filter, and names the filter', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    await world.slack.member.command('/hc', 'export --status UNHEALTHY')
    expect((await waitForDm(world, 'Exported 1 health check'))?.text).toContain('Only down')
    expect((await downloadFile(world)).text).not.toContain('www.example.com')
  })

  it('says if nothing matches, and sends no file', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    const { member } = world.slack
    const { text } = await member.command('/hc', 'export nothing* --env ote')
    expect(text).toContain('If nothing matches, I’ll tell you there.')
    const nothing = await waitForDm(world, 'No health checks (OTE) match, so there’s nothing to export.')
    expect(nothing?.text).toContain('nothing*')
    expect((await member.messages('dm')).flatMap(({ files = [] }) => files)).toEqual([])
  })

  it('doesn’t promise a file of a service without health checks', async () => {
    await using world = await startWorld()
    const { text } = await world.slack.member.command('/hc', 'export')
    expect(text).toContain('If nothing matches, I’ll tell you there.')
    await waitForDm(world, 'No health checks match, so there’s nothing to export.')
  })

  it('reports that the service failed, with a reference', async () => {
    await using world = await startWorld({ serviceLimits: { retry: { attempts: 1 } } })
    await world.service.faults({ method: 'GET', path: '/healthcheck', kind: 'status', status: 500, times: 9 })
    await world.slack.member.command('/hc', 'export')
    const { text = '' } = (await waitForDm(world, 'The service is unreachable or failing.')) ?? {}
    expect(text).toContain('Nothing was changed.')
    expect(text).toMatch(/Reference: [0-9a-f]{10}/)
  })

  it('names the missing scope if Slack rejects the upload', async () => {
    await using world = await startWorld({ checks: [WEB], playground: { missingScopes: ['files:write'] } })
    await world.slack.member.command('/hc', 'export')
    expect(await waitForDm(world, 'the app lacks the scope files:write')).toBeDefined()
  })
})

describe('/hc import', () => {
  const share = shareWorld()

  it('previews the changes, and then makes and audits each one once', async () => {
    await using world = await startWorld({ checks: [WEB] })
    const { member } = world.slack
    const preview = await submitFile(
      world,
      `\ufeff${HEADER.replaceAll(',', ';')}\r\nweb;https;www.example.com;443;60;1\r\nnew;tcp;mx.example.com;25;30;1\r\n`,
    )
    expect(preview.text).toContain('2 rows in checks.csv: 1 new, 1 unchanged. Nothing has changed yet.')
    expect(await world.service.requests('POST')).toEqual([])
    const started = await member.click(preview.view, 'Create 1', { until: 'Started.' })
    expect(started.text).toContain('Follow the progress in our DM')
    await waitForDm(world, 'Imported checks.csv.')
    expect(await listNames(world)).toEqual(['new', 'web'])
    const entries = await world.app.store.audit.search({
      workspaceId: 'T0PLAYGRND',
      verb: '/hc import',
      limit: 9,
    })
    const created = entries.filter(({ verb }) => verb === '/hc import')
    expect(created).toMatchObject([{ outcome: 'done', object: 'health-check new' }])
  })

  it('imports into OTE and not into production, also with another word for it', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const { id } = await member.upload('checks.csv', `${HEADER}\n${csvRows(1)}\n`, 'text/csv')
    await member.command('/hc', 'UPLOAD --env=ote')
    const preview = await member.submit({ 'CSV file': [id] }, { until: /rows? in / })
    await member.click(preview.view, 'Create 1', { until: 'Started (OTE).' })
    await waitForDm(world, 'Imported checks.csv')
    expect(await listNames(world)).toEqual([])
    expect(await world.service.requests('POST')).toEqual([])
    const ote = createSandboxControl({ ...world.sandbox, productionUrl: world.sandbox.oteUrl })
    expect((await ote.checksNamed('*')).map(({ name }) => name)).toEqual(['new-1'])
  })

  it('suggests the form without the name of a file, and doesn’t open it', async () => {
    const world = await share()
    const { view, text } = await world.slack.member.command('/hc', 'upload checks.csv --env ote')
    expect(view).toBeUndefined()
    expect(text).toContain('Did you mean “/hc import --env ote”?')
  })

  it('finds nothing to change in an unedited export, and recreates checks that were deleted since', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    const { member } = world.slack
    await member.command('/hc', 'export')
    const { text } = await downloadFile(world)
    const before = await submitFile(world, text)
    expect(before.text).toContain('Nothing to change: all 2 health checks')
    for (const name of ['web', '=cmd|calc!A1']) {
      const [found] = await world.service.checksNamed(name)
      await world.service.remove(found?.uuid ?? '')
    }
    await member.close({ all: true })
    const after = await submitFile(world, text)
    await member.click(after.view, 'Create 2')
    await waitForDm(world, 'Imported checks.csv.')
    expect(await listNames(world)).toEqual(['=cmd|calc!A1', 'web'])
  })

  it('skips a row if its check is deleted while its alerts are read', async () => {
    const world = await share(WEB, MAIL)
    await deleteDuringRead(world, 'web')
    const rows = 'web,https,www.example.com,443,30,1,ann@example.com\nnew,tcp,mx.example.com,25,30,1,\n'
    const { text } = await submitFile(world, `${HEADER},alerts\n${rows}`)
    expect(text).toContain('2 rows in checks.csv: 1 new, 1 can’t be used. Nothing has changed yet.')
    expect(text).toContain('Line 2, row: It was deleted just now.')
  })

  it('reports every invalid cell by line and column, and sends a file if there are more than ten', async () => {
    await using world = await startWorld()
    const invalidRows = Array.from({ length: 12 }, () => ',SMTP,not a target,99999,0,').join('\n')
    const { text } = await submitFile(world, `${HEADER}\n${csvRows(1)}\n${invalidRows}\n${csvRows(1)}\n`)
    expect(text).toContain('14 rows in checks.csv: 1 new, 13 can’t be used.')
    expect(text).toContain('Line 3, name: Enter a name.')
    expect(text).toContain('Line 3, port: Enter a whole number from 1 to 65535. It is “99999”.')
    expect(text).toContain('more are in the complete list that Signalman sent you in a DM')
    const report = await downloadFile(world)
    expect(report.name).toBe('problems.csv')
    expect(report.text).toContain('15,name,This is the same health check as in line 2.')
  })

  it('sends complete lists as files even if only one error and one change don’t fit in the message', async () => {
    await using world = await startWorld()
    const badRow = 'w,SMTP,www.example.com,443,60,1\n'
    const { text } = await submitFile(world, `${HEADER}\n${csvRows(11)}\n${badRow.repeat(11)}`)
    const more = text.split('\n').filter((line) => line.startsWith('1 more '))
    const inFile = 'is in the complete list that Signalman sent you in a DM'
    expect(more).toEqual([expect.stringContaining(inFile), expect.stringContaining(inFile)])
    const files = (await world.slack.member.messages('dm')).flatMap(({ files }) => files ?? [])
    expect(files.map(({ name }) => name).sort()).toEqual(['plan.csv', 'problems.csv'])
  })

  it('explains what is wrong with a file', async () => {
    const world = await share()
    const { text } = await submitFile(world, 'PK\u0003\u0004')
    expect(text).toContain('This is a spreadsheet, not a CSV file.')
    expect(text).toContain('Nothing was changed.')
  })

  it('creates nothing twice if the file is submitted again or Create is pressed again', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const file = `${HEADER}\n${csvRows(10)}\n`
    const first = await submitFile(world, file)
    await member.close({ all: true })
    const second = await submitFile(world, file)
    await member.click(second.view, 'Create 10')
    await waitForDm(world, 'Imported checks.csv.')
    await member.click(first.view, 'Create 10').catch(() => undefined)
    await member.close({ all: true })
    const third = await submitFile(world, file)
    expect(third.text).toContain('Nothing to change')
    expect(await world.service.countChecks()).toBe(10)
  })

  it('doesn’t undo a change with an unknown outcome, and says so', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const preview = await submitFile(world, `${HEADER}\n${csvRows(1)}\n`)
    await world.service.faults({ method: 'POST', path: '/healthcheck', kind: 'reset', times: 1 })
    await member.click(preview.view, 'Create 1')
    const report = await waitForDm(world, '1 unclear')
    const [jobId = ''] = /(?<=job-start )[\w-]{22}/.exec(JSON.stringify(report)) ?? []
    const { text } = await member.command('/hc', `job-undo ${jobId}`)
    expect(text).toContain('nobody knows whether any of it was done')
    expect(await world.service.requests('DELETE')).toEqual([])
  })

  it('looks up lost responses, retries rejections with 429, and resends unclear creations only if asked', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const preview = await submitFile(world, `${HEADER}\n${csvRows(25)}\n`)
    await world.service.faults(
      { method: 'POST', path: '/healthcheck', kind: 'drop-reply', times: 3 },
      { method: 'POST', path: '/healthcheck', kind: 'reset', times: 2 },
      {
        method: 'POST',
        path: '/healthcheck',
        kind: 'status',
        status: 429,
        headers: { 'retry-after': '0' },
        times: 2,
      },
    )
    await member.click(preview.view, 'Create 25')
    const { text = '' } = (await waitForDm(world, 'Imported checks.csv.')) ?? {}
    // A creation that may have arrived is never resent automatically.
    expect(text).toContain('23 of 25 done, 2 unclear.')
    await member.click(await waitForDm(world, '2 unclear'), 'Try again')
    await waitForDm(world, 'Created 25 health checks.')
    expect(await listNames(world)).toEqual(Array.from({ length: 25 }, (_, i) => `new-${i + 1}`).sort())
  })

  it('reports the rows that the service rejects, and creates the rest', async () => {
    await using world = await startWorld()
    const preview = await submitFile(world, `${HEADER}\n${csvRows(2)}\nslow,TCP,mx.example.com,25,100000,1\n`)
    await world.slack.member.click(preview.view, 'Create 3')
    const { text = '' } = (await waitForDm(world, 'Imported checks.csv.')) ?? {}
    expect(text).toContain('Created 2 health checks.')
    expect(text).toContain('Line 4, slow: Refused. frequency must be a whole number from 1 to 86400.')
  })

  it('stops if the token isn’t valid, and can later continue where it stopped', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const preview = await submitFile(world, `${HEADER}\n${csvRows(25)}\n`)
    await world.service.faults({
      method: 'POST',
      path: '/healthcheck',
      kind: 'status',
      status: 401,
      times: 5,
    })
    await member.click(preview.view, 'Create 25')
    const stopped = await waitForDm(world, 'Ended early: imported checks.csv.')
    expect(stopped?.text).toContain('The service doesn’t accept the token.')
    await world.service.faults()
    await member.click(stopped, 'Continue')
    await waitForDm(world, 'Imported checks.csv.')
    expect(await world.service.countChecks()).toBe(25)
  })

  it('stops after a press of Stop, and says how many rows weren’t started', async () => {
    await using world = await startWorld({ workTimes: { leaseMs: 600 } })
    const { member } = world.slack
    const preview = await submitFile(world, `${HEADER}\n${csvRows(60)}\n`)
    await world.service.faults({ method: 'POST', path: '/healthcheck', kind: 'hold' })
    await member.click(preview.view, 'Create 60')
    const running = await waitForDm(world, 'Importing checks.csv')
    expect((await member.click(running, 'Stop', { until: 'Stopping after' })).text).toContain(
      'Earlier changes stay.',
    )
    await world.service.faults()
    const { text = '' } = (await waitForDm(world, 'Stopped: imported checks.csv.')) ?? {}
    const [, created] = /^(\d+) of 60 done/m.exec(text) ?? []
    expect(await world.service.countChecks()).toBe(Number(created))
    expect(text).toContain(`${60 - Number(created)} not started.`)
  })
})
