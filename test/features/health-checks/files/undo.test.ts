import { expect, it } from 'vitest'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld, type World } from '../../../world.ts'

const ANN = [['ann@example.com']]
const share = shareWorld()

async function waitForDm({ slack: { member } }: World, expected: string) {
  await member.until(expected, ({ messages }) => JSON.stringify(messages).includes(expected))
  return (await member.messages('dm')).findLast((message) => message.text.includes(expected))
}

/** The last file that was sent. */
async function downloadFile(world: World): Promise<string> {
  const { member } = world.slack
  await member.until('a file', ({ messages }) => JSON.stringify(messages).includes('"files":[{'))
  const file = (await member.messages('dm')).flatMap(({ files }) => files ?? []).at(-1)
  return (await (await fetch(`${world.playground.url}${file?.href}`)).text()).replace('\uFEFF', '')
}

async function importFile(world: World, content: string) {
  const { member } = world.slack
  const { id } = await member.upload('checks.csv', content, 'text/csv')
  await member.command('/hc', 'import')
  return member.submit({ 'CSV file': [id] }, { until: 'checks.csv: ' })
}

it('puts back only what the change set, and says so', async () => {
  await using world = await startWorld({
    checks: ['web-1', 'web-2'].map((name) => ({ name, target: `${name}.example.com`, alerts: ANN })),
  })
  const { member } = world.slack
  const preview = await member.command('/hc', 'edit web-* --frequency 30')
  await member.click(preview.message, 'Change 2', { until: 'Started.' })
  const done = await waitForDm(world, 'Changed 2 health checks.')
  expect(done?.text).toContain('It has only what was replaced or deleted')
  const before = await downloadFile(world)
  const [first] = await world.service.checksNamed('web-1')
  const [second] = await world.service.checksNamed('web-2')
  const uuid = first?.uuid ?? ''
  expect(before.trim().split(/\r?\n/)).toEqual([
    'uuid,health_check,frequency',
    `${uuid},web-1,60`,
    `${second?.uuid},web-2,60`,
  ])
  // A day later, a colleague renames and moves web-1, and adds a recipient.
  await world.service.change(uuid, {
    name: 'renamed',
    target: 'new.example.com',
    frequency: 30,
    verify_ssl: false,
  })
  await world.service.addAlert(uuid, ['new@example.com'])
  const undo = await importFile(world, before)
  await member.click(undo.view, 'Change 2', { until: 'Started.' })
  await waitForDm(world, 'Import checks.csv.')
  const { name, target, verify_ssl, frequency } = await world.service.check(uuid)
  expect([name, target, String(verify_ssl), String(frequency)]).toEqual([
    'renamed',
    'new.example.com',
    'false',
    '60',
  ])
  expect(await world.service.alerts(uuid)).toHaveLength(2)
})

it('counts what became of server addresses that nobody set, and has the ones from before in the file', async () => {
  const targets = { 'web-1': 'web-1.example.com', 'web-2': '127.0.0.1', 'web-3': 'web-3.example.com' }
  await using world = await startWorld({
    checks: Object.entries(targets).map(([name, target]) => ({
      name,
      target,
      ...(target === '127.0.0.1' && { http_server_address: '127.0.0.1' }),
    })),
  })
  const one = await world.slack.member.command('/hc', 'edit web-1 --target new.example.com')
  expect(one.text).toContain('1 health check may have a server address of its own, which stays')
  const preview = await world.slack.member.command('/hc', 'edit web-* --target new.example.com')
  expect(preview.text).toContain('Up to 3 health checks may have a server address of their own, which stays')
  await world.slack.member.click(preview.message, 'Change 3', { until: 'Started.' })
  const done = await waitForDm(world, 'Changed 3 health checks.')
  expect(done?.text).toContain('2 kept their server address')
  expect(done?.text).toContain('1 uses another server address now')
  const uuids = await Promise.all(
    Object.keys(targets).map(async (name) => (await world.service.checksNamed(name))[0]?.uuid),
  )
  // What came from DNS comes from DNS again.
  expect((await downloadFile(world)).trim().split(/\r?\n/)).toEqual([
    'uuid,health_check,target,http_server_address',
    `${uuids[0]},web-1,web-1.example.com,`,
    `${uuids[1]},web-2,127.0.0.1,resolve`,
    `${uuids[2]},web-3,web-3.example.com,`,
  ])
})

it('leaves out a check that can’t be read, with the reason', async () => {
  await using world = await startWorld({
    checks: ['web-1', 'web-2', 'web-3'].map((name) => ({ name, target: `${name}.example.com` })),
    serviceLimits: { retry: { attempts: 1 } },
  })
  const [check] = await world.service.checksNamed('web-2')
  const path = `/healthcheck/v1/healthchecks/${check?.uuid}`
  await world.service.faults({ method: 'GET', path, kind: 'status', status: 500, times: 1 })
  const { text } = await world.slack.member.command('/hc', 'edit web-* --frequency 30')
  expect(text).toContain('Change 2')
  expect(text).toMatch(/web-2\s+· left out: It couldn’t be read\./)
})

it.each([
  { cell: '', expected: 'every 60 s → every 30 s', without: 'emails' },
  { cell: 'none', expected: 'no longer emails ann@example.com' },
  { cell: 'bob@example.com', expected: 'also emails bob@example.com; no longer emails ann@example.com' },
])('reads the alerts cell “$cell”', async ({ cell, expected, without = 'nothing to change' }) => {
  const world = await share({ name: 'web-1', target: 'w.example.com', alerts: ANN })
  const { text } = await importFile(world, `name,frequency,alerts\nweb-1,30,${cell}\n`)
  expect(text).toContain(expected)
  expect(text).not.toContain(without)
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

it('reads a UUID in every usual form, and refuses anything else in its column', async () => {
  const world = await share({ name: 'web-1', target: 'w.example.com' })
  const [{ uuid = '' } = {}] = await world.service.checksNamed('web-1')
  const forms = [`{${uuid}}`, uuid.replaceAll('-', ''), `urn:uuid:${uuid}`, uuid.toUpperCase()]
  for (const form of forms) {
    const { text } = await importFile(world, `uuid,name,frequency\n${form},web-renamed,60\n`)
    expect(text, form).toContain('name web-1 → web-renamed')
  }
  for (const cell of [uuid.slice(1), `${uuid}0`, `https://service.example.com/${uuid}`, 'web-1']) {
    const { text } = await importFile(world, `uuid,name,frequency\n${cell},web-renamed,60\n`)
    expect(text, cell).toContain('The uuid isn’t a UUID.')
  }
})

it.each([
  ['name,verify_ssl', 'web-1,off', 'verify_ssl: Enter yes or no. It is “off”.'],
  ['name,verify_ssl', 'web-1,No', 'SSL verification yes → no'],
  ['name,verify_ssl', 'web-1,constructor', 'verify_ssl: Enter yes or no.'],
  // The name only says which check it is.
  ['name,frequency', 'WEB-1,60', 'nothing to change'],
  ['uuid,name,frequency', 'UUID,WEB-1,60', 'name web-1 → WEB-1'],
  ['uuid,frequency', 'UUID,30', 'every 60 s → every 30 s'],
  ['uuid,frequency', '7e57ed00-0000-4000-8000-000000000000,30', 'No health check has this UUID.'],
  ['uuid,name,frequency', ',,30', 'left out: It has no name.'],
])('reads a row of the columns %s with %s', async (header, row, expected) => {
  const world = await share({ name: 'web-1', target: 'w.example.com' })
  const [{ uuid = '' } = {}] = await world.service.checksNamed('web-1')
  const { text } = await importFile(world, `${header}\n${row.replace('UUID', uuid)}\n`)
  expect(text).toContain(expected)
})

it.each([
  {
    why: 'a column is named twice',
    file: 'name,frequency,FREQUENCY\nweb-1,30,90\n',
    expected: 'Two columns are named “frequency”. Remove or rename one of them.',
  },
  {
    why: 'the check of this name has another customer',
    file: 'name,customer_id\nweb-1,7\n',
    expected:
      'No health check has this name and customer. To create it, fill in protocol, target, port, frequency.',
  },
])('says so if $why', async ({ file, expected }) => {
  const world = await share({ name: 'web-1', target: 'w.example.com' })
  const { member } = world.slack
  const { id } = await member.upload('checks.csv', file, 'text/csv')
  await member.command('/hc', 'import')
  expect((await member.submit({ 'CSV file': [id] }, { until: expected })).text).toContain(expected)
})

it('reads “resolve” in capitals, too', async () => {
  const world = await share({ name: 'web-1', target: 'w.example.com', http_server_address: '203.0.113.7' })
  const { text } = await importFile(world, 'name,http_server_address\nweb-1,Resolve\n')
  expect(text).toContain('server address 203.0.113.7 → from DNS')
})

it('leaves the SSL verification as it is if the file doesn’t have it', async () => {
  const world = await share({ name: 'web-1', target: 'w.example.com', verify_ssl: false })
  const { text } = await importFile(world, 'name,protocol,target\nweb-1,HTTPS,w.example.com\n')
  expect(text).toContain('nothing to change')
})
