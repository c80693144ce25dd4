import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckSeed } from '../../sandbox-control.ts'
import { shareWorld } from '../../shared-world.ts'
import { startWorld, type World } from '../../world.ts'

const WEB: CheckSeed = { name: 'web', status: 'HEALTHY', target: 'www.example.com' }
const MAIL: CheckSeed = {
  name: 'mail',
  status: 'UNHEALTHY',
  protocol: 'TCP',
  target: 'mx.example.com',
  port: 25,
}

const API: CheckSeed = { name: 'Bank open API', target: 'api.example.com' }

/** For the tests that change nothing. */
let listed: World
beforeAll(async () => {
  listed = await startWorld({ checks: [API, WEB, MAIL] })
})
afterAll(() => listed?.[Symbol.asyncDispose]())

const share = shareWorld()

describe('/hc', () => {
  it('shows the counts, starting with the checks that are down', async () => {
    const world = await share()
    const readSummary = async () => (await world.slack.member.command('/hc')).message
    const empty = [
      '',
      'delete all',
      'down',
      'list down',
      'list shop* HTTP',
      'recipients a@example.com',
      'export shop*',
    ]
    for (const line of empty)
      expect((await world.slack.member.command('/hc', line)).text).toContain('There are no health checks')
    await world.service.addCheck(WEB)
    expect((await readSummary())?.text).toMatch(/^The only health check is up\n/)
    await world.service.addCheck({ ...WEB, name: 'web-2' })
    expect((await readSummary())?.text).toMatch(/^All 2 health checks are up\n/)
    const down = await world.slack.member.command('/hc', 'down')
    expect(down.message?.text).toMatch(/^None of the 2 health checks is down\n/)
    const installing = await world.slack.member.command('/hc', 'list installing')
    expect(installing.message?.text).toMatch(/^None of the 2 health checks is installing\n/)
    await world.service.addCheck({ name: 'new' })
    expect((await readSummary())?.text).toMatch(/^No health check is down · 1 installing or unknown\n/)
    await world.service.addCheck(MAIL)
    const message = await readSummary()
    expect(message?.text).toMatch(/^1 of 4 health checks is down · 1 installing or unknown\n🔴 mail\n/)
    expect(message?.ephemeral).toBe(true)
  })

  it('links to the checks that are down', async () => {
    const down = Array.from({ length: 11 }, (_, at) => ({ ...MAIL, name: `mail-${at}` }))
    const world = await share(WEB, ...down)
    const { member } = world.slack
    const summary = await member.command('/hc')
    expect((await member.choose(summary.message, 'Open a check…', 'mail-0')).message?.text).toContain(
      'mail-0 is down',
    )
    const list = await member.click(summary.message, 'All 11 down')
    expect(list.message?.text).toContain('11 health checks · down\n')
    expect(list.text).not.toContain('web')
    const readLines = ({ message }: typeof list) => message?.text.match(/^🔴 .*/gm) ?? []
    expect([readLines(summary).length, readLines(list).length]).toEqual([10, 11])
    expect(readLines(list)).toEqual(expect.arrayContaining([...readLines(summary)]))
  })
})

describe('/hc list', () => {
  it.each([
    { typed: 'list', shows: ['mail', 'web'], hides: [] },
    { typed: 'list w*', shows: ['web'], hides: ['mail'] },
    { typed: 'list "web"', shows: ['web'], hides: ['mail'] },
    { typed: 'LIST —status unhealthy', shows: ['mail'], hides: ['web'] },
    { typed: 'list --target www.example.com', shows: ['web'], hides: ['mail'] },
    { typed: 'list --customer 1 --no-subsidiaries --sort uuid', shows: ['mail', 'web'], hides: [] },
    {
      typed: 'list zzz',
      shows: ['No health check has “zzz” in its name.', 'All health checks'],
      hides: ['web'],
    },
    {
      typed: 'list <@U0MEMBER01|member>',
      shows: ['No health check has “@member” in its name.', 'All health checks'],
      hides: ['U0MEMBER01'],
    },
    {
      // What has another name may be down.
      typed: 'list www.example.com down',
      shows: ['No health check has “www.example.com” in its name.', '1 health check', 'mail'],
      hides: ['web'],
    },
    {
      typed: 'list web down',
      shows: ['The only health check with “web” in its name isn’t down', 'All health checks'],
      hides: [],
    },
    { typed: 'down a', shows: ['1 health check', 'mail'], hides: ['web'] },
    {
      typed: 'list i --protocol HTTP',
      shows: ['None of the 2 health checks with “i” in their name matches · HTTP'],
      hides: [],
    },
  ])('responds to "$typed" with $shows', async ({ typed, shows, hides }) => {
    const { text } = await listed.slack.member.command('/hc', typed)
    for (const shown of shows) expect(text).toContain(shown)
    for (const hidden of hides) expect(text).not.toContain(`· ${hidden}`)
    // An empty list has nothing to export or share.
    for (const button of ['Export these', 'Share to channel'])
      expect(text.includes(button), button).toBe(
        /\b1 health check\b/.test(text) ||
          !/No health check|None of the|in its name (?:is|does)n’t/.test(text),
      )
  })

  it.each([
    {
      typed: 'list --status ILL',
      expected: '“ILL” isn’t a value of --status. Use one of these: UNHEALTHY, INSTALLING, HEALTHY.',
    },
    { typed: 'list --customer ACME', expected: '--customer must be a whole number, not “ACME”.' },
    { typed: 'list --statsu HEALTHY', expected: '/hc list has only --name, --status,' },
  ])('responds to "$typed" with: $expected', async ({ typed, expected }) => {
    await listed.service.clearRequests()
    const { text } = await listed.slack.member.command('/hc', typed)
    expect(text).toContain(expected)
    expect(text).not.toContain('Nothing was changed.')
    expect(text).not.toContain('Reference')
    // The names that it may be about.
    expect((await listed.service.requests()).length).toBeLessThan(2)
  })

  it('shows the totals, and can export the listed checks', async () => {
    await using world = await startWorld({ checks: [WEB, MAIL, { ...WEB, name: 'bulk edit' }] })
    const { member } = world.slack
    const list = await member.command('/hc', 'list')
    expect(list.message?.text).toContain('3 health checks · 1 down\n')
    const filtered = await member.command('/hc', 'list "bulk edit" --status HEALTHY --sort name --limit 5')
    const started = await member.click(filtered.message, 'Export these')
    expect(started.text).toContain('Started. I’ll send you the file')
  })

  it('never renders a name as markup', async () => {
    const name = '<!channel> *bold* :skull: <https://evil.example|click>'
    const world = await share({ ...WEB, name })
    const { message } = await world.slack.member.command('/hc', 'list')
    expect(message?.text).not.toMatch(/<!channel|<http|:skull:/)
    const parsed = JSON.stringify(message?.blocks).match(/"type":"mrkdwn","text":"[^"]*/g) ?? []
    expect(parsed.join()).not.toContain('channel')
  })
})

it('a list finds nothing for a typo, and recognizes a status', async () => {
  const { member } = listed.slack
  const none = await member.command('/hc', 'list Bank openn API')
  expect(none.text).toContain('No health check has “Bank openn API” in its name.')
  expect(none.text).toContain('All health checks')
  const down = await member.command('/hc', 'list unhealthy')
  expect(down.message?.text).toContain('1 health check · down\n')
  expect(down.text).toContain('mail')
  expect((await member.command('/hc', 'list --name unhealthy')).text).toContain('“unhealthy” in its name')
})

it.each([
  ['down --customer 99', 'None of the 3 health checks matches · customer 99\n'],
  ['list down --customer 1', '1 health check · down, customer 1'],
  ['list up --target mx.example.com', 'The only health check (target mx.example.com) isn’t up\n'],
  ['list up TCP', 'The only health check (TCP) isn’t up\n'],
  ['down HTTPS', 'None of the 2 health checks (HTTPS) is down\n'],
  ['down HTTP', 'None of the 3 health checks matches · HTTP\n'],
  ['recipients a@example.com nosuch*', 'No health check is named “nosuch*”.'],
])(
  'an empty list says whether there is nothing of that kind, or none that is so: %s',
  async (typed, expected) => {
    const { message } = await listed.slack.member.command('/hc', typed)
    expect(message?.text).toContain(expected)
  },
)

it.each(['list --target mx.example.com down', 'list down --target mx.example.com'])(
  'a list takes what is typed behind a target as what it is: %s',
  async (typed) => {
    const { text } = await listed.slack.member.command('/hc', typed)
    expect(text).toContain('1 health check · down, target mx.example.com')
  },
)

it.each([
  ['edit "Bank open API" 5m', 'Set frequency to every 300 s on Bank open API? This would change 1.'],
  ['edit Bank open API 5m', 'Set frequency to every 300 s on Bank open API? This would change 1.'],
  ['edit w* every 30', 'Set frequency to every 30 s on health checks named w*? This would change 1.'],
  [
    'edit --frequency 5 min w*',
    'Set frequency to every 300 s on health checks named w*? This would change 1.',
  ],
  ['edit w* 2 years', '--frequency: Enter a time from 1 s'],
])('previews an edit of how often a check runs: %s', async (typed, expected) => {
  const { text } = await listed.slack.admin.command('/hc', typed)
  expect(text).toContain(expected)
})

describe('/hc show', () => {
  it('shows one check in full, by name or UUID, ignoring surrounding punctuation', async () => {
    const world = await share({
      ...WEB,
      http_server_address: '192.0.2.7',
      verify_ssl: false,
      alerts: [['ops@example.com', 'web@example.com'], ['ann@example.com']],
    })
    const { member } = world.slack
    const byName = await member.command('/hc', 'show web')
    const facts = [
      'Target: HTTPS www.example.com',
      'Checked: every 60 s',
      'Alert emails: ops@example.com, web@example.com, ann@example.com (2 alerts)',
    ].join('\n')
    expect(byName.message?.text).toContain(`🟢 web is up\n${facts}\nAs of`)
    const details = await member.click(byName.message, 'Details', { until: 'UUID' })
    expect(details.message?.text).toContain(
      `${facts}\nCustomer: 1\nCertificate: not verified\nServer address: 192.0.2.7\nPort: 443\nCreated: `,
    )
    const uuid = /UUID: ([0-9a-f-]{36})/.exec(details.message?.text ?? '')?.[1] ?? ''
    const wrapped = await member.command('/hc', `show \`{${uuid.toUpperCase()}}\``)
    expect(wrapped.message?.text).toContain('web is up\n')
  })

  it.each([
    { typed: 'show', expected: 'Which health check? Type its name or UUID:\n\n/hc show NAME' },
    { typed: 'show nothing', expected: 'No health check is named “nothing”.' },
    {
      typed: 'show 00000000-0000-4000-8000-000000000000',
      expected: 'The service has nothing with that name or ID.',
    },
  ])('responds to "$typed" with: $expected', async ({ typed, expected }) => {
    expect((await listed.slack.member.command('/hc', typed)).text).toContain(expected)
  })

  it('suggests checks if several match', async () => {
    const world = await share(WEB, { ...WEB, name: 'web-2' })
    const question = await world.slack.member.command('/hc', 'show web*')
    expect(question.text).toContain('2 health checks match “web*”. Which one?')
    expect(question.text).not.toContain('Nothing was changed')
    if (!question.message) throw new Error('The question is missing.')
    const shown = await world.slack.member.click(question.message, 'web-2')
    expect(shown.message?.text).toContain('web-2 is up\n')
  })
})

describe('/hc create', () => {
  const answers = {
    Name: 'api',
    Protocol: 'HTTPS',
    Target: 'https://api.example.com/health',
    Port: '443',
    'Time between checks': '30',
    'Customer ID': '7',
    'Server address': '192.0.2.9',
    'Verify the SSL/TLS certificate': 'No',
  }

  it('creates a check from the form', async () => {
    const world = await share()
    await world.slack.member.command('/hc', 'create')
    const done = await world.slack.member.submit(answers, { until: 'Created 1' })
    expect((await world.slack.member.click(done.view, 'Show it')).text).toContain(
      'HTTPS api.example.com/health',
    )
    expect((await world.service.requests('POST')).map(({ body }) => body)).toEqual([
      {
        name: 'api',
        customer_id: 7,
        protocol: 'HTTPS',
        target: 'https://api.example.com/health',
        port: 443,
        frequency: 30,
        http_server_address: '192.0.2.9',
        verify_ssl: false,
      },
    ])
  })

  it('uses the text after the command as the name, or as the target if it is a URL', async () => {
    const world = await share()
    const { member } = world.slack
    const readFilled = async (typed: string) => JSON.stringify((await member.command('/hc', typed)).view)
    expect(await readFilled('create Bank open API')).toContain('"initial_value":"Bank open API"')
    expect(await readFilled('create https://api.example.com/health')).toContain(
      '"initial_value":"https://api.example.com/health"',
    )
    // Without a name, it's the host.
    for (const verb of ['create', 'add'])
      expect(await readFilled(`${verb} https://api.example.com/health`)).toContain(
        '"initial_value":"api.example.com"',
      )
    // A URL decides the protocol.
    expect(await readFilled('create db mail.example.com:25 tcp')).toMatch(
      /"initial_value":"mail\.example\.com".*"initial_value":"25"/,
    )
    expect(await readFilled('create http://api.example.com')).toMatch(
      /"initial_option":\{"text":\{"type":"plain_text","text":"HTTP"/,
    )
    const { text, view } = await member.command('/hc', 'create api --name web')
    expect(text).toContain('/hc create takes either “api” or --name, not both.')
    expect(view).toBeUndefined()
  })

  it('shows the fields of the protocol and keeps what was typed', async () => {
    const world = await share()
    const { member } = world.slack
    await member.command('/hc', 'create')
    await member.fill({ Name: 'queue', Target: 'mq.example.com' })
    await member.choose(await member.view(), 'Protocol', 'TCP', {
      until: ({ view }) => view !== undefined && !JSON.stringify(view).includes('httpServerAddress'),
    })
    const done = await member.submit({ Port: '5672', 'Customer ID': '1' }, { until: 'Created 1' })
    expect(done.text).toContain('queue')
    expect(JSON.stringify(await world.service.requests('POST'))).not.toMatch(/http_server_address|verify_ssl/)
  })
})

it('/hc delete says that a check has no alerts', async () => {
  const world = await share(WEB)
  const { text } = await world.slack.member.command('/hc', 'delete web')
  expect(text).toContain('which has no alerts. The service stops checking it')
  await world.slack.member.close({ all: true })
})

it('/hc delete shows what is deleted, requires the name, and deletes the check', async () => {
  const world = await share({
    ...WEB,
    alerts: [['a@example.com'], ['a@example.com', 'b@example.com']],
  })
  const { member } = world.slack
  const question = await member.command('/hc', 'delete web')
  expect(question.text).toContain('which has 2 alerts and emails 2 recipients')
  for (const name of ['wbe', 'WEB']) {
    const wrong = await member.submit({ 'Type the name of the health check': name }, { until: 'to confirm' })
    expect(wrong.text).toContain('Nothing was changed.')
  }
  expect(await world.service.requests('DELETE')).toEqual([])
  const done = await member.submit(
    { 'Type the name of the health check': 'web' },
    { until: 'Deleted 1 health check.' },
  )
  expect(done.text).toContain('Your change: Delete web.')
  expect(await world.service.requests('DELETE')).toHaveLength(1)
})
