import { describe, expect, it } from 'vitest'
import type { CheckSeed } from '../../../sandbox-control.ts'
import { startWorld, type World } from '../../../world.ts'
import { downloadFile, importFile, waitForDm } from './csv-files.ts'

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
    const lines = [head, ...rows.map((row) => row.slice(37)).toSorted()]
    expect(lines[0]).toBe(
      'uuid,name,protocol,target,port,frequency,customer_id,http_server_address,verify_ssl,alerts,status,created_at,created_by,modified_at,modified_by',
    )
    expect(lines[1]).toMatch(/^'=cmd\|calc!A1,TCP,mx\.example\.com,25,60,1,,,none,UNHEALTHY,/)
    expect(lines[2]).toMatch(/^web,HTTPS,www\.example\.com,443,60,1,192\.0\.2\.\d+,true,none,HEALTHY,/)
    expect(
      (await world.slack.member.messages('dm')).filter((message) => message.text.includes('xport')),
    ).toHaveLength(1)
    expect(await world.slack.admin.messages('general')).toEqual([])
  })

  it('exports only the checks that match the filter, and names the filter', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL, { ...WEB, name: 'Bank  open API' }] })
    const { member } = world.slack
    await member.command('/hc', 'export --status UNHEALTHY')
    expect((await waitForDm(world, 'Exported 1 health check'))?.text).toContain('Only down')
    expect((await downloadFile(world)).text).not.toContain('www.example.com')
    // The service finds a name only as it's written.
    await member.command('/hc', 'export "bank open"')
    await waitForDm(world, 'bank open')
    await expect.poll(async () => (await downloadFile(world)).text).toContain('Bank  open API')
    expect((await downloadFile(world)).text.trim().split('\r\n')).toHaveLength(2)
    const search = { workspaceId: 'T0PLAYGRND', text: '/hc export', limit: 9 }
    expect((await world.app.store.audit.search(search)).map(({ after }) => after)).toEqual([
      { format: 'csv', only: expect.stringContaining('bank open') },
      { format: 'csv', only: 'down' },
    ])
  })

  it('says how many are missing if the service lists fewer than it counts, also when read again', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    const [{ uuid = '' } = {}] = await world.service.checksNamed('web')
    const web = { ...(await world.service.check(uuid)), uuid }
    await world.service.listFewer(5, [web])
    await world.slack.member.command('/hc', 'export')
    const exported = await waitForDm(world, 'Exported only 1 health check to the file below.')
    expect(exported?.text).toContain('The service’s list is incomplete: 4 health checks are missing from it.')
  })

  it('sends no file if nothing matches, because an empty file could be taken for a backup', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    const { member } = world.slack
    await member.command('/hc', 'export web UNHEALTHY to csv', { until: 'Started.' })
    const none = await waitForDm(world, /No health checks match, so there’s no file\..*web/s)
    expect(none?.files ?? []).toEqual([])
    // A name that none has may have been meant otherwise.
    for (const name of ['nothing*', 'soon']) await member.command('/hc', `export ${name}`, { until: name })
    await member.command('/hc', 'export web please', { until: '/hc export "web"' })
  })

  it('finds what somebody else has just created', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    const { member } = world.slack
    // Signalman knows the names from now on.
    await member.command('/hc', 'show wbe')
    await world.service.addCheck({ name: 'fresh one' })
    await member.command('/hc', 'export fresh*', { until: 'Started.' })
    await waitForDm(world, 'Exported 1 health check')
  })

  it('sends nothing to somebody who lost the role while it ran', async () => {
    await using world = await startWorld({ access: 'closed', checks: [WEB, MAIL] })
    const { member, admin } = world.slack
    await admin.command('/hc', 'grant @member operator', { until: 'Saved' })
    await world.service.faults({ method: 'GET', path: '/healthcheck/v1/healthchecks/', kind: 'hold' })
    await member.command('/hc', 'export', { until: 'Started.' })
    await expect.poll(async () => (await world.service.requests('GET')).length).toBeGreaterThan(1)
    await admin.command('/hc', 'revoke @member operator --yes', { until: 'Revoked' })
    await world.service.faults()
    const ended = await waitForDm(world, '/hc export didn’t finish.')
    expect(ended?.text).toContain('needs the operator role')
    expect((await member.messages('dm')).flatMap(({ files = [] }) => files)).toEqual([])
  })

  it('finds names by a pattern anywhere, also on later pages', async () => {
    const checks = Array.from({ length: 200 }, (_, index) => ({ ...WEB, name: `web ${index}` }))
    await using world = await startWorld({ checks })
    await world.slack.member.command('/hc', 'export *b *1*', { until: 'Started.' })
    await waitForDm(world, 'Exported 119 health checks')
  })

  it('sends a file to fill in if there are no health checks', async () => {
    await using world = await startWorld({ checks: [] })
    const { member } = world.slack
    const { text } = await member.command('/hc', 'export --env ote')
    expect(text).toContain('I’ll send you the file in a DM.')
    await waitForDm(world, 'There are no health checks (OTE), so the file has only the columns')
    expect((await downloadFile(world)).text).toMatch(/^uuid,name,protocol,.*modified_by\r\n$/)
  })

  it('fails instead of leaving out a check whose alerts the service doesn’t find', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL] })
    const [{ uuid = '' } = {}] = await world.service.checksNamed('web')
    const path = `/healthcheck/v1/healthchecks/${uuid}/alerts`
    await world.service.faults({ method: 'GET', path, kind: 'status', status: 404 })
    await world.slack.member.command('/hc', 'export')
    const { files = [] } = (await waitForDm(world, 'Reference: ')) ?? {}
    expect(files).toEqual([])
  })
})

describe('/hc import', () => {
  it('previews the changes, and then makes and audits each one once', async () => {
    await using world = await startWorld({ checks: [WEB] })
    const { member } = world.slack
    const preview = await importFile(
      world,
      `\ufeff${HEADER.replaceAll(',', ';')}\r\nweb;https;www.example.com;443;60;1\r\nnew;tcp;mx.example.com;25;30;1\r\n`,
    )
    expect(preview.text).toContain('Import checks.csv? This would create 1.')
    expect(preview.text).toContain('1 needs no change.')
    expect(await world.service.requests('POST')).toEqual([])
    await member.click(preview.view, 'Create 1', { until: 'Created 1 health check.' })
    expect(await listNames(world)).toEqual(['new', 'web'])
    const search = { workspaceId: 'T0PLAYGRND', text: '/hc import', limit: 9 }
    const created = (await world.app.store.audit.search(search)).filter(({ object }) =>
      object?.includes('new'),
    )
    expect(created).toMatchObject([{ outcome: 'done', object: 'health-check new' }])
  })

  it('reads several kinds of line ends, and says which rows would create a check although they name one', async () => {
    await using world = await startWorld()
    const named = '5eed0000-0000-4000-8000-00000000abcd,named,HTTPS,named.example.com,60,7'
    const { text } = await importFile(
      world,
      `uuid,name,protocol,target,frequency,customer_id\r\n${named}\n,,,,,\n,other,HTTPS,other.example.com,60,7\r\n, ,,,,\r\n`,
    )
    expect(text).toContain('create 2')
    // Blank rows aren't rows.
    expect(text).not.toContain('can’t be changed')
    expect(text).toContain('1 row has a UUID that no health check has, so it would create')
  })

  it('says by line what is wrong with cells and files, and leads from a wrong header to an export', async () => {
    await using world = await startWorld()
    const { member } = world.slack
    const { text } = await importFile(world, `${HEADER}\n${csvRows(1)}\nw,TCP,mx.example.com,99999,60,1\n`)
    expect(text).toContain('port: Enter a whole number from 1 to 65535. It is “99999”.')
    await member.close({ all: true })
    const refused = await importFile(world, 'PK\u0003\u0004,URL/IP\nShop\n', 'first line must')
    expect(refused.text).toContain('Use this header: uuid,name,protocol,target,port,frequency,customer_id,')
    expect(refused.text).not.toContain('Nothing was changed.')
    await member.click(refused.view, 'Export a file to fill in', { until: 'I’ll send you the file' })
    const file = await downloadFile(world)
    expect(file.text.split(/\r?\n/)[0]).toMatch(/^uuid,name,protocol,target,port,frequency/)
  })

  it('stops after a press of Stop, and says how many rows weren’t started', async () => {
    await using world = await startWorld({ workTimes: { leaseMs: 600 } })
    const { member } = world.slack
    const preview = await importFile(world, `${HEADER}\n${csvRows(60)}\n`)
    // Ten are created, and the next ones are under way until somebody has pressed it.
    const post = { method: 'POST', path: '/healthcheck' } as const
    await world.service.faults({ ...post, kind: 'delay', ms: 0, times: 10 }, { ...post, kind: 'hold' })
    await member.click(preview.view, 'Create 60', { until: 'Started.' })
    const running = await waitForDm(world, 'of 60 so far.')
    await member.click(running, 'Stop', { until: 'Stopping after' })
    await world.service.faults()
    const { text = '' } = (await waitForDm(world, 'Stopped. Created')) ?? {}
    const [, created] = /(\d+) of 60 health checks/.exec(text) ?? []
    expect(await world.service.countChecks()).toBe(Number(created))
    expect(text).toContain(`${60 - Number(created)} not started.`)
  })
})
