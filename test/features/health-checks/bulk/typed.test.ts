import { expect, it } from 'vitest'
import { findMatching } from '../../../../src/features/health-checks/bulk/plan-checks.ts'
import { shareWorld } from '../../../shared-world.ts'
import { startWorld, type World } from '../../../world.ts'
import { applyPreview, downloadFile, importFile, waitForDm } from '../files/csv-files.ts'
import { createService } from './changes-run.ts'

const FLEET = [
  { name: 'checkout', target: 'shop.example.com', alerts: [['ann@example.com'], ['ops@example.com']] },
  {
    name: 'Kiosk checkout',
    target: 'https://kiosk.example.com/pay',
    alerts: [['ops@example.com'], ['ann@example.com']],
  },
  { name: 'Web shop', target: 'www.example.com', customer_id: 1000 },
  { name: 'mail', protocol: 'TCP', target: 'mx.example.com', port: 25 },
]
const share = shareWorld()
const UNCHANGED = '? This would '

/** What people type to change health checks, and what they read. Nothing is ever sent before a button is pressed. */
it.each<[line: string, expected: readonly string[]]>([
  [
    'edit checkout --frequency 30',
    ['Set frequency to every 30 s on checkout? This would change 1.', 'every 60 s → every 30 s'],
  ],
  ['edit {UUID} --frequency 30', ['Set frequency to every 30 s on checkout? This would change 1.']],
  ['edit checkout --frequency 100000', ['is more than a day. Add the unit: s, ', 'Nothing was changed.']],
  ['edit checkout --frequency 60', ['every 60 s on checkout: nothing would change.', '1 needs no change.']],
  [
    'edit "Kiosk chekout" --frequency 30 --port 8443',
    ['is named “Kiosk chekout”. Did you mean this one?', 'edit "Kiosk checkout" --frequency 30 --port 8443'],
  ],
  ['set checkout every 5m', ['Signalman read this as:', 'every 300 s']],
  ['edit "nothing*" --frequency 30', ['No health check is named “nothing*”.']],
  ['recipients zoe@example.com --remove', ['zoe@example.com isn’t among the recipients.']],
  ['edit mail --server-address 192.0.2.1', ['TCP health checks have no server address.']],
  // The URL decides the protocol, with its port, unless that's typed, too, or there are no URLs.
  [
    'edit Kiosk checkout --target http://new.example.com',
    ['? This would change 1.', 'protocol HTTPS → HTTP', 'port 443 → 80'],
  ],
  [
    'edit Kiosk checkout --target http://new.example.com --protocol https',
    ['on Kiosk checkout: nothing would change.', '1 can’t be changed.', 'The target starts with http://'],
  ],
  ['edit mail --target https://mx.example.com', ['nothing would change.', 'choose HTTP or HTTPS.']],
  ['edit checkout --name "  "', ['--name: Enter a name.', 'Nothing was changed.']],
  ['edit *checkout --name front', ['A new name is for one health check.', 'Nothing was changed.']],
  [
    'edit *checkout',
    ['What should change? Add a setting, such as --frequency 30: --name,', 'Export', 'Import'],
  ],
  ['edit checkout --port 70000', ['--port: Enter a whole number from 1 to 65535.\n']],
  ['edit checkout --port 9 every 10s', ['from 1 to 65535. You typed “9 every 10s”.']],
  ['edit all --frequency 30', [' on all health checks? This would change 4.\n']],
  [
    'edit *check* --server-address resolve',
    ['Set server address to the one from DNS on ', '? This would change 2.'],
  ],
  ['delete *checkout', ['Delete health checks named *checkout? This would delete 2.']],
  [
    'recipients zoe@example.com --add',
    ['email zoe@example.com about all health checks? This would change 4.'],
  ],
  [
    'recipients zoe@example.com checkout --add',
    ['Also email zoe@example.com about checkout? This would change 1.', 'also emails zoe@example.com'],
  ],
  [
    'recipients zoe@example.com ann@example.com --remove',
    ['Signalman can’t read “zoe@example.com” after “recipients”.', 'List all'],
  ],
  [
    'recipients ann@example.com --replace-with zoe@example.com,bo@example.com',
    ['Which address?', 'List health checks'],
  ],
  ['delete mail Web shop', ['No health check is named “mail Web shop”.', 'Nothing was changed.']],
  [
    'recipients zoe@example.com chekout --add',
    ['No health check is named “chekout”.', '/hc recipients zoe@example.com "checkout" --add'],
  ],
  ['recipients zoe@example.com --add --remove', ['Use only one of --add, --remove, and --replace-with.']],
  ['recipients zoe@example.com checkout', ['What should change?', 'Email zoe@example.com too']],
  [
    'recipients zoe@example.com',
    [
      'gets emails about none of 4 health checks.',
      '/hc recipients zoe@example.com NAME --add',
      'List health checks',
    ],
  ],
  ['recipients ann@example.com', ['gets emails about 2 of 4 health checks.', 'checkout', 'Kiosk checkout']],
  [
    'recipients ann@example.com kiosk*',
    ['gets emails about 1 of 1 health checks named kiosk*.', 'Kiosk checkout'],
  ],
  [
    'recipients ann@example.com --replace-with cat@example.com',
    [
      'Email cat@example.com instead of ann@example.com about all health checks? This would change 2.',
      'also emails cat@example.com; no longer emails ann@example.com',
    ],
  ],
  ['recipients', ['Which address?', 'List health checks']],
  ['recipients checkout', ['Which address?', 'Alerts of checkout']],
  ['edit checkout --protocol TCP', ['; server address ', ' → none; SSL verification yes → none']],
  ['undo', ['or in your DM with Signalman, has “Go back…”.']],
])('answers /hc %s', async (line, expected) => {
  const world = await share(...FLEET)
  const [{ uuid = '' } = {}] = await world.service.checksNamed('checkout')
  const answer = await world.slack.member.command('/hc', line.replace('UUID', uuid))
  for (const text of expected) expect(answer.text).toContain(text)
  expect(answer.view).toBeUndefined()
  expect(await world.service.requests('PUT')).toEqual([])
})

it('finds by a pattern the checks whose names look the same, and no others', async () => {
  await using world = await startWorld({
    checks: ['Ann’s shop', "Ann's  bar", 'Ann’s', 'Anna’s shop'].map((name) => ({ name })),
  })
  const { member } = world.slack
  const answer = async (line: string) => (await member.command('/hc', line)).text
  for (const pattern of ["Ann's *", 'ann’s *'])
    expect(await answer(`edit ${pattern} --frequency 30`), pattern).toContain('? This would change 2.')
  expect(await answer("delete *n's *")).toContain('? This would delete 2.')
  // The service knows only the other spelling.
  expect(await answer(`list "Anna's*"`)).toMatch(/1 health check .*Anna’s shop/s)
  await member.command('/hc', `export "Ann's *"`)
  await waitForDm(world, 'Exported 2 health checks')
})

it('names fifteen of the checks that email an address, one a line, and counts the others', async () => {
  const checks = Array.from({ length: 17 }, (_, at) => ({
    name: `shop, no. ${at + 10}`,
    alerts: [at < 15 ? ['ann@example.com', 'bob@example.com'] : ['ann@example.com']],
  }))
  await using world = await startWorld({ checks })
  const { member } = world.slack
  const { message } = await member.command('/hc', 'recipients ann@example.com', {
    until: 'gets emails about',
  })
  const named = checks.slice(0, 15).map(({ name }) => name)
  expect(message?.text).toContain(`\n${named.join('\n')}\nAnd 2 more. An export has the recipients of all.`)
  await member.click(message, 'Export all', { until: 'I’ll send you the file' })
  const all = await member.command('/hc', 'recipients bob@example.com', { until: 'gets emails about 15' })
  expect(all.message?.text).not.toMatch(/ more|Export/)
})

it.each([
  ['lists that can’t be read', 'x', 'couldn’t be read'],
  [
    'alerts that can’t be read',
    [{ id: 1, type: 'EMAIL', recipients: [{ email: 'ann@example.com' }] }],
    'can’t read',
  ],
])('leaves out with a reason the checks with %s, however many come in a row', async (_, data, reason) => {
  const checks = Array.from({ length: 40 }, (_, at) => ({
    name: `web-${at + 10}`,
    alerts: [['ann@example.com'], ['ops@example.com']],
  }))
  await using world = await startWorld({ checks })
  const { member } = world.slack
  const odd = (await world.service.checksNamed('web-*')).filter(({ name }) => name < 'web-30')
  await world.service.faults(
    ...odd.map(({ uuid }) => ({
      ...{ method: 'GET', path: `/healthcheck/v1/healthchecks/${uuid}/alerts` },
      ...{ kind: 'body' as const, body: { message: 'OK', data } },
    })),
  )
  const listed = await member.command('/hc', 'recipients ann@example.com', { until: 'gets emails about' })
  expect(listed.text).toContain('about 20 of 40 health checks')
  expect(listed.text).toContain('The recipients of 20 health checks couldn’t be read.')
  for (const change of ['--remove', '--replace-with bo@example.com']) {
    const { text } = await member.command('/hc', `recipients ann@example.com ${change}`, {
      until: 'This would',
    })
    expect(text).toContain('This would change 20.')
    expect(text).toContain('20 can’t be changed.')
    expect(text).toContain(reason)
  }
})

it('starts no change of many while the service lists fewer than it counts', async () => {
  const world = await share(...FLEET)
  const [{ uuid = '' } = {}] = await world.service.checksNamed('checkout')
  const results = [{ ...(await world.service.check(uuid)), uuid }]
  await world.service.listFewer(3, results)
  const { text } = await world.slack.member.command('/hc', 'edit check* --frequency 30')
  expect(text).toContain('2 health checks are missing from it. Nothing can start until')
  expect(text).not.toContain(UNCHANGED)
})

/** Connects the workspace with another token, of which the service doesn’t say that it belongs to the same account. */
async function connectAnother(world: World): Promise<void> {
  const { productionUrl, token } = world.sandbox
  const made = await fetch(`${productionUrl}/auth/v1/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { data } = (await made.json()) as { data: { token: string }[] }
  const { member } = world.slack
  await world.service.faults({ method: 'GET', path: '/auth', kind: 'status', status: 403 })
  await member.command('/hc', 'connect')
  await member.submit({ Token: data[0]?.token ?? '' }, { until: 'stored it' })
  await member.close({ all: true })
}

it.each([
  ['edit checkout', { Port: '8443' }],
  ['delete checkout', { 'Type the name of the health check': 'checkout' }],
  ['create New --target https://new.example.com', { 'Customer ID': '1000' }],
])(
  'sends nothing for a preview or the window of %s that was made with another token',
  async (line, answers) => {
    await using world = await startWorld({ checks: FLEET })
    const { member, admin } = world.slack
    const many = await member.command('/hc', 'delete *checkout')
    await admin.command('/hc', line)
    await connectAnother(world)
    const until = 'Signalman is connected with another token now. Nothing was changed.'
    await member.click(many.message, 'Delete 2', { until })
    await admin.submit(answers, { until })
    const sent = (await world.service.requests()).filter(
      ({ method, path }) => method !== 'GET' && path.startsWith('/healthcheck'),
    )
    expect(sent).toEqual([])
  },
)

const PATH = `https://shop.example.com/${'a'.repeat(100)}/`

it('cuts nothing in a preview that tells two rows or two values apart, and has all of it in the file', async () => {
  await using world = await startWorld({
    checks: [1, 2].map((end) => ({
      name: `Production frontend of the web shop in region ${end}`,
      target: `${PATH}old`,
    })),
  })
  const { member } = world.slack
  const edited = await member.command('/hc', `edit "Production*" --target ${PATH}new`)
  expect(edited.text).toMatch(/old → \S*…\S*new/)
  expect(edited.text).toMatch(/region 1, .*region 2/)
  await member.click(edited.message, 'Whole list as a file', { until: 'I sent you the file' })
  expect((await downloadFile(world)).text).toContain(`target ${PATH}old → ${PATH}new`)
  const deleted = await member.command('/hc', 'delete Production*')
  expect(deleted.text).toMatch(/region 1, .*region 2/)
})

it('applies an edit of a preview once, and in its own environment', async () => {
  const world = await share({
    name: 'web',
    alerts: [['ann@example.com'], ['ANN@example.com']],
  })
  const { member } = world.slack
  const [{ uuid = '' } = {}] = await world.service.checksNamed('web')
  const { message, text } = await member.command('/hc', 'recipients ann@example.com web --remove')
  expect(text).toContain('emails nobody then')
  const [, id] = /\/hc apply (\S+)/.exec(JSON.stringify(message)) ?? []
  expect((await member.command('/hc', `apply ${id} --env ote`)).text).toContain('is about production')
  await applyPreview(world, { message }, 'Change 1')
  await world.service.addAlert(uuid, ['ann@example.com'])
  // A later press reads how it ended.
  expect((await member.command('/hc', `apply ${id}`)).text).toContain('Changed 1 health check.')
  expect(await world.service.alerts(uuid)).toHaveLength(1)
})

it('leaves out checks whose recipients the file of what was before can’t hold, and says so', async () => {
  const everyone = Array.from({ length: 9000 }, (_, index) => `person-${index}@mail.example.com`)
  await using world = await startWorld({
    checks: [{ name: 'big a', alerts: [everyone] }, { name: 'big b' }, { name: 'big c' }],
  })
  const { member } = world.slack
  const LOST = /big a\s+· left out: It has more recipients than a file can hold/
  expect((await member.command('/hc', 'delete big*', { until: 'delete 2' })).text).toMatch(LOST)
  const added = await member.command('/hc', 'recipients zoe@example.com big* --add', { until: 'change 2' })
  expect(added.text).toMatch(LOST)
  // What doesn't change recipients doesn't need them in the file.
  const frequencies = await importFile(world, 'name,frequency\nbig a,30\nbig b,30\n')
  expect(frequencies.text).toMatch(/\? This would change 2\./)
  expect(frequencies.text).not.toContain('can hold')
})

it.each([
  { name: 'all', typed: '"all"' },
  { name: 'all', typed: 'UUID' },
  { name: 'x*y', typed: 'UUID' },
])(
  'offers to email one more about a check that is called $name, and about no other: $typed',
  async ({ name, typed }) => {
    await using world = await startWorld({ checks: [{ name }, { name: 'xxy' }, { name: 'blog' }] })
    const { member } = world.slack
    const uuid = (await world.service.checksNamed('*')).find((check) => check.name === name)?.uuid ?? ''
    const line = `recipients ann@example.com ${typed.replace('UUID', uuid)}`
    const asked = await member.command('/hc', line, { until: 'What should' })
    const preview = await member.click(asked.message, 'Email ann@example.com too', { until: UNCHANGED })
    expect(preview.text).toContain('This would change 1.')
  },
)

it('reads of any number of health checks who is emailed, but changes no more than the limit', async () => {
  const names = Array.from({ length: 5001 }, (_, at) => `shop ${at}`)
  const healthChecks = createService(names).api.healthChecks as unknown as Parameters<typeof findMatching>[0]
  await expect(findMatching(healthChecks, 'shop*')).rejects.toThrow('The limit is 5,000.')
  expect((await findMatching(healthChecks, 'shop*', Number.POSITIVE_INFINITY)).checks).toHaveLength(5001)
})
