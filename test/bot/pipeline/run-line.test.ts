import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../../world.ts'

/** Serializes a message or view, so that a test can search it. */
const toJson = (content: unknown): string => JSON.stringify(content)

const CHECKS_PATH = '/healthcheck/v1/healthchecks'

describe('a person waiting for a command', () => {
  it('sees the placeholder of a typed command replaced by the response', async () => {
    const listResponses = async ({ slack }: World) =>
      (await slack.deliveries('response_url')).map(({ request }) => JSON.stringify(request.body))
    await using quick = await startWorld()
    await quick.slack.member.command('/hc', 'list')
    await expect
      .poll(() => listResponses(quick))
      .toEqual([expect.stringContaining('"replace_original":false')])
    await using slow = await startWorld({ requestDeadlines: { placeholderMs: 100 } })
    await slow.service.faults({ path: CHECKS_PATH, kind: 'hold' })
    await slow.slack.member.command('/hc', 'list', { until: 'Still working' })
    await slow.service.faults()
    await expect
      .poll(() => listResponses(slow))
      .toEqual([
        expect.stringContaining('"replace_original":false'),
        expect.stringContaining('"replace_original":true'),
      ])
  })

  it('sees a placeholder, and then the new response, in place of the old response', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web' }],
      requestDeadlines: { placeholderMs: 100 },
    })
    const { member } = world.slack
    const { message } = await member.command('/hc', '', { until: 'No health check is down' })
    await world.service.faults({ path: CHECKS_PATH, kind: 'hold' })
    await member.click(message, 'Refresh', { until: 'Still working' })
    await world.service.faults()
    await member.until('the answer in place of the placeholder', ({ messages }) =>
      JSON.stringify(
        Object.values(messages)
          .flat()
          .find(({ ts }) => ts === message?.ts),
      ).includes('No health check is down'),
    )
    expect((await member.messages()).at(-1)?.ts).toBe(message?.ts)
  })

  it('sees the placeholder replaced by an error', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web' }],
      serviceLimits: { timeouts: { headersMs: 1500, totalMs: 1500 } },
      requestDeadlines: { placeholderMs: 100 },
    })
    const { member } = world.slack
    const { message } = await member.command('/hc', '', { until: 'No health check is down' })
    await world.service.faults({ path: CHECKS_PATH, kind: 'hang' })
    await member.click(message, 'Refresh', { until: 'Still working' })
    await member.see('did not answer in time')
    expect((await member.messages()).at(-1)?.ts).toBe(message?.ts)
  })

  const PEOPLE = 12

  it(`sees a placeholder and an outcome for each of ${PEOPLE} concurrent commands`, async () => {
    await using world = await startWorld({
      serviceLimits: { timeouts: { headersMs: 4000, totalMs: 4000 } },
      requestDeadlines: { placeholderMs: 1000 },
    })
    const { member } = world.slack
    await world.service.faults({ path: CHECKS_PATH, kind: 'hang' })
    const typed = Array.from({ length: PEOPLE }, (_, index) => member.command('/hc', `list x${index}*`))
    for (const answer of await Promise.all(typed)) expect(answer.text).toMatch(/Still working|Reference/)
    const listErrors = async () => (await member.messages()).filter(({ text }) => text.includes('Reference'))
    await expect.poll(async () => (await listErrors()).length).toBe(PEOPLE)
    const placeholders = (await member.messages()).filter(({ text }) => text.includes('Still working'))
    expect(placeholders).toHaveLength(PEOPLE)
  })
})

const CHECKS = [
  { name: 'web' },
  { name: 'wep' },
  { name: 'mast' },
  { name: 'staging api' },
  { name: 'staging web' },
  { name: 'Shop checkout' },
  { name: 'payments api', target: 'https://shop.example/pay', protocol: 'HTTPS' },
]

describe('a command that isn’t recognized', () => {
  // Shared, because these commands change nothing.
  let world: World
  beforeAll(async () => {
    world = await startWorld({ checks: CHECKS })
  })
  afterEach(() => world.service.faults())
  afterAll(() => world?.[Symbol.asyncDispose]())

  it.each([
    {
      typed: 'frobnicate',
      expected: '/hc has no command “frobnicate”. No health check is named “frobnicate”.',
      button: 'Help',
    },
    {
      typed: 'Shop chekcout',
      expected: 'No health check is named “Shop chekcout”',
      button: 'Shop checkout (shop.example.com)',
    },
    { typed: 'nobody knows this', expected: 'No health check is named “nobody knows this”.', button: 'Help' },
    { typed: 'payments --api', expected: 'has no command', button: 'Help' },
    { typed: 'lsit', expected: '/hc has no command “lsit”', button: 'Run /hc list' },
    { typed: 'delte web --env ote', expected: 'no command “delte”', button: 'Run /hc delete web --env ote' },
    { typed: 'delte web*', expected: 'no command “delte”', button: 'Run /hc delete web*' },
    { typed: 'shwo staging', expected: 'no command “shwo”', button: 'Run /hc show staging' },
    // Keeps what was typed. The command then says that no health check has this name.
    {
      typed: 'delte --name staging',
      expected: 'no command “delte”',
      button: 'Run /hc delete --name staging',
    },
  ])('gets suggestions: "$typed"', async ({ typed, expected, button }) => {
    const { text, message } = await world.slack.member.command('/hc', typed)
    expect(text).toContain(expected)
    expect(text).not.toContain('Nothing was changed.')
    expect(JSON.stringify(message?.blocks)).toContain(`"text":"${button}"`)
  })

  it.each(['did anything happen today', 'who changed web', 'take web off everything'])(
    'gets no suggestion that would change anything if it is a sentence: "%s"',
    async (typed) => {
      const { message } = await world.slack.member.command('/hc', typed)
      const lines = [...JSON.stringify(message?.blocks).matchAll(/"value":"(\/[a-z-]+ ?[a-z-]*)/g)]
      for (const [, line] of lines)
        expect([
          '/hc help',
          '/hc show',
          '/hc alerts',
          '/hc audit',
          '/hc watches',
          '/hc history',
          '/threat take',
        ]).toContain(line)
    },
  )

  it.each(['Shop checkout', 'payments api', 'mast', 'is staging web up?'])(
    'shows the check in “%s”',
    async (typed) => {
      expect((await world.slack.member.command('/hc', typed)).text).toContain('is installing')
    },
  )

  it.each([
    { typed: 'notify me when web goes down', button: 'Run /hc watch \\"web\\" --me' },
    { typed: 'stop watching web', button: 'Run /hc unwatch web' },
  ])('never acts on a sentence: “$typed”', async ({ typed, button }) => {
    const { text, message } = await world.slack.member.command('/hc', typed)
    expect(text).toContain('Did you mean')
    expect(JSON.stringify(message?.blocks)).toContain(`"text":"${button}"`)
  })

  it('opens a form prefilled with what follows the verb, such as “bob to shop” in “add bob to shop”', async () => {
    const { view } = await world.slack.member.command('/hc', 'add bob to shop')
    expect(JSON.stringify(view)).toContain('"initial_value":"bob to shop"')
    await world.slack.member.close({ all: true })
    expect(await world.service.requests('PUT')).toEqual([])
  })

  it('gets no suggestion of a verb that the person may not use', async () => {
    await using closed = await startWorld({ checks: CHECKS, access: 'closed' })
    for (const typed of ['delte web', 'delete web --custmer 1', 'lsit web', 'env ote please']) {
      const { message } = await closed.slack.member.command('/hc', typed)
      expect(JSON.stringify(message), typed).not.toMatch(/"value":"\/hc (?:delete|edit|create|env)/)
    }
  })

  it('gets suggestions that contain the typed check name even if the service is down', async () => {
    await world.service.faults({ path: CHECKS_PATH, kind: 'status', status: 503 })
    expect((await world.slack.member.command('/hc', 'shwo nowhere')).text).toContain('Run /hc show nowhere')
  })

  it('has its person looked up in Slack only the first time in a minute', async () => {
    await using world = await startWorld()
    for (const typed of ['whoami now', 'env ote now', 'whoami now'])
      expect((await world.slack.member.command('/hc', typed)).text).toContain('doesn’t take')
    expect(await world.slack.deliveries('users.info')).toHaveLength(1)
  })

  it('is refused without suggestions if the person is from another workspace', async () => {
    const foreigner = world.slack.user('U0FOREIGN1')
    const [channel = ''] = Object.keys((await foreigner.state()).messages)
    const { text } = await foreigner.command('/hc', 'lsit', { channel })
    expect(text).toContain('only works for people of this workspace')
    expect(text).not.toContain('Did you mean')
  })
})

describe('a person’s permissions', () => {
  it('determine which buttons they see on a card and in App Home', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web', status: 'UNHEALTHY' }],
      guests: 'can-view',
    })
    const guest = world.slack.user('U0GUEST001')
    const card = await guest.command('/hc', 'show web')
    expect(toJson(card.message)).toContain('"Details"')
    for (const label of ['"Edit"', '"Delete"']) expect(toJson(card.message)).not.toContain(label)
    const { home } = await guest.openHome()
    for (const label of ['New health check', 'Order a certificate']) expect(toJson(home)).not.toContain(label)
    expect(toJson(await world.slack.member.command('/hc', 'show web'))).toContain('"Delete"')
  })

  it('don’t hide buttons on a card shared with the channel', async () => {
    await using world = await startWorld({ checks: [{ name: 'web' }], access: 'closed' })
    const { member } = world.slack
    const own = await member.command('/hc', 'show web')
    expect(toJson(own.message)).not.toContain('"Edit"')
    const question = await member.click(own.message, 'Share to channel', { until: 'Guests can read' })
    await member.click(question.message, 'Share', {
      until: ({ messages }) => toJson(messages).includes('Shared by'),
    })
    expect(
      toJson((await member.messages()).find((message) => toJson(message).includes('Shared by'))),
    ).toContain('"Edit"')
  })
})

describe('an error', () => {
  it('doesn’t mention whether anything was changed if only a read failed', async () => {
    await using world = await startWorld()
    await world.app.store[Symbol.asyncDispose]()
    const { text } = await world.slack.member.command('/hc', 'env')
    expect(text).toContain('Something went wrong inside Signalman.')
    expect(text).not.toMatch(/was changed|carried out/)
  })

  it('is described as Slack’s if it comes from Slack', async () => {
    await using world = await startWorld()
    for (const [fault, expected] of [
      [{ kind: 'error', error: 'internal_error' }, 'Slack is unreachable or failing.'],
      [{ kind: 'status', status: 503 }, 'Slack is unreachable or failing.\nTry again in a few minutes.'],
      [
        { kind: 'status', status: 429, retryAfter: 30 },
        'Slack is rate limiting Signalman.\nTry again in 30 seconds.',
      ],
    ] as const) {
      await world.slack.faults({ method: 'users.list', ...fault })
      expect((await world.slack.admin.command('/hc', 'audit --by ann')).text).toContain(expected)
    }
    expect(world.log.filter((line) => line.includes('A request failed.'))).toHaveLength(3)
  })

  it.each([
    { seconds: '30', expected: 'Try again in 30 seconds.' },
    { seconds: '3600', expected: 'Try again in 60 minutes.' },
    { seconds: '90000', expected: 'Try again in 25 hours.' },
  ])('says when to retry if the service is rate limiting for $seconds s', async ({ seconds, expected }) => {
    await using world = await startWorld()
    await world.service.faults({
      path: CHECKS_PATH,
      kind: 'status',
      status: 429,
      headers: { 'retry-after': seconds },
    })
    const { text } = await world.slack.member.command('/hc', 'list')
    expect(text).toContain(expected)
    expect(text).not.toContain('in a minute')
  })

  it('in a form mentions the admins who can replace the token', async () => {
    await using world = await startWorld({ access: 'closed' })
    await world.app.store.grants.add(
      'T0PLAYGRND',
      'operator',
      { kind: 'everyone', id: '*' },
      'U0ADMIN001',
      new Date(),
    )
    await world.app.store.grants.add(
      'T0PLAYGRND',
      'admin',
      { kind: 'user', id: 'U0ADMIN001' },
      'U0ADMIN001',
      new Date(),
    )
    const { member } = world.slack
    await member.command('/hc', 'create --name web --target www.example.com --customer 1')
    await world.service.faults({ path: CHECKS_PATH, kind: 'status', status: 401, body: { errors: [] } })
    const { text, view } = await member.submit({}, { until: /Reference|Nothing was changed/ })
    expect(text).toContain('Ask an admin to store a new one.')
    expect(toJson(view)).toContain('<@U0ADMIN001>')
  })
})

it('rejects extra words that the command doesn’t accept', async () => {
  await using world = await startWorld()
  for (const [line, expected] of [
    ['/hc whoami now', '/hc whoami doesn’t take “now”.'],
    ['/hc --env ote nope', 'has no command “nope”'],
    ['/hc env ote now', '/hc env doesn’t take “now”.'],
    ['/hc access-request operator now', '/hc access-request doesn’t take “now”.'],
    [
      '/threat take 7e57ed00-0000-4000-8000-00000000000a nope',
      '“nope” isn’t a threat event ID. /threat take takes one ID and no other words.',
    ],
    ['/cert-order show 1 2', '/cert-order show takes one number, not “1” and “2”.'],
  ] as const) {
    const [command = '', ...words] = line.split(' ')
    expect((await world.slack.admin.command(command, words.join(' '))).text, line).toContain(expected)
  }
})

it('runs a suggested line that is a whole sentence as typing it would', async () => {
  await using world = await startWorld({
    checks: [
      { name: 'web', status: 'HEALTHY', target: 'https://www.example.com/' },
      { name: 'shop', status: 'UNHEALTHY', target: 'https://shop.example.com/' },
    ],
  })
  const { member } = world.slack
  const refused = await member.command('/hc', 'what is down??? :)')
  const { text } = await member.click(refused.message, 'Run /hc list down', { until: 'shop' })
  expect(text).not.toContain('web')
})
