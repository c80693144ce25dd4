import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { giveRole } from '../../give-role.ts'
import { startWorld, type World } from '../../world.ts'

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
})

const CHECKS = [
  { name: 'web' },
  { name: 'wep' },
  { name: 'mast' },
  { name: 'staging api' },
  { name: 'staging web' },
  { name: 'Shop checkout' },
  { name: 'Test page' },
  { name: 'payments api', target: 'https://shop.example/pay', protocol: 'HTTPS' },
]

/** Shared by tests whose commands change nothing. */
let world: World
beforeAll(async () => {
  world = await startWorld({ checks: CHECKS })
})
afterEach(() => world.service.faults())
afterAll(() => world?.[Symbol.asyncDispose]())

describe('a command that isn’t recognized', () => {
  it.each([
    // A word that isn't near a verb, or is short, is the name of a check. The whole help is only for who asks for it.
    { typed: 'frobnicate', expected: '“frobnicate” isn’t a command or a health check.', button: 'Help' },
    { typed: 'what is frobnicate', expected: '“what is frobnicate” isn’t a command', button: 'What is down' },
    { typed: '??', expected: 'Press one of these, or type a command.', button: 'Help' },
    // What only shows something is run.
    { typed: 'are the payments fine', expected: 'Press one of these', button: 'Show payments api' },
    { typed: 'is the shop up?', expected: 'Press one of these', button: 'Show Shop checkout' },
    { typed: 'chekcout', expected: '“chekcout” isn’t a command', button: 'Show Shop checkout' },
    { typed: 'ack web', expected: 'as: /hc who web Signalman sees no outage of web.', button: null },
    { typed: 'ack web soon', expected: 'Did you mean this?', button: '/hc who \\"web\\"' },
    { typed: 'silence web 2h ok', expected: 'Press one of these', button: 'Show web' },
    // A line that only asks for how long is asked at once.
    {
      typed: 'pause all',
      expected: 'read this as: /hc mute all No channel watches anything, so nothing was muted.',
      button: 'All watches',
    },
    {
      typed: 'mute staging 2h',
      expected: 'Did you mean one of these?',
      button: '/hc mute \\"staging api\\" 2h',
    },
    // The other environment has no such health check.
    { typed: 'delte staging --env ote', expected: 'No health check is named “staging”', button: 'List all' },
    { typed: 'settings of web', expected: 'Press one of these', button: 'Show web' },
    {
      command: '/cert-order',
      typed: 'mute nosuch 2h',
      expected: 'No health check is named “nosuch”.',
      button: 'What is down',
    },
    { typed: '"cert-order" list', expected: 'Press one of these', button: 'Who is on it' },
    { command: '/cert-order', typed: '"log"', expected: '/cert-order doesn’t take “"log"”', button: 'Help' },
    // It says what wasn't read also where it fails.
    {
      command: '/cert-order',
      typed: 'cancel',
      expected: 'read this as: /cert-order withdraw None of your orders',
      button: 'List orders',
    },
    { typed: 'give me admin', expected: 'Press one of these', button: 'Who may do what' },
    // What there isn’t is said of no word of a name.
    { typed: 'is test page slow', expected: 'Press one of these', button: 'Show Test page' },
    { typed: 'please test the web', expected: 'can’t check now', button: 'Show web' },
    // Nor is an act that would end whatever there is.
    { typed: 'cancel', expected: 'has no command “cancel”', button: '/hc help unmute' },
    // A part of a name isn’t answered as a fact if other words were left out.
    { typed: 'status of payments', expected: 'Did you mean this?', button: '/hc show payments' },
    { typed: 'mute web 18:00', expected: 'Did you mean this?', button: '/hc mute \\"web\\" until 18:00' },
    {
      typed: 'mute web till 18:00',
      expected: 'Did you mean this?',
      button: '/hc mute \\"web\\" until 18:00',
    },
    {
      typed: 'grant @member operator tomorrow',
      expected: 'Type until before “tomorrow”.',
      button: 'Who may do what',
    },
    { typed: 'edit web --frob 2', expected: 'not --frob', button: '/hc edit \\"web\\"' },
    { typed: 'mute web 2h --frob', expected: 'not --frob', button: '/hc help mute' },
    // Neither is a verb alone whose line speaks of something else, and no sentence is a name.
    { typed: 'stop posting here', expected: 'Press one of these', button: 'What is down' },
    { typed: 'who is nosuch', expected: 'can’t read “is nosuch” after “who”', button: 'List all' },
    // An act without what it needs is no button, and nobody lacks a role for it.
    { typed: 'give me rights', expected: 'Press one of these', button: 'What is down' },
    { typed: 'uptime web 30d --csv', expected: 'Did you mean this?', button: '/hc history \\"web\\" 30d' },
    { typed: 'list my orders', expected: 'read this as: /cert-order list my', button: 'New order' },
    // Neither is a line that is longer than a button’s.
    {
      command: '/threat',
      typed: `comment 3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d ${'x'.repeat(2000)}`,
      expected: 'has no command “comment”',
      button: '/threat help note',
    },
    { command: '/cert-order', typed: 'resolve all', expected: 'doesn’t take “all”', button: 'Help' },
    {
      typed: 'recipients of web',
      expected: 'Which address?',
      button: 'Alerts of web',
    },
    // What Signalman doesn't do, also behind small words, and what there is instead.
    { typed: 'assign web to @member', expected: 'Nobody was paged.', button: 'What is down' },
    { typed: 'please hand over to @member', expected: 'you can page them', button: 'Who is on it' },
    {
      typed: 'tell me when web is back',
      expected: 'outages and recoveries only in channels',
      button: 'What is down',
    },
    {
      command: '/cert-order',
      typed: 'nudge 1',
      expected: 'Any approver can decide an order',
      button: 'What waits',
    },
    // Not everybody's.
    {
      command: '/threat',
      typed: 'cases for me',
      expected: 'Press one of these',
      button: 'Queue',
    },
    { command: '/threat', typed: 'mine', expected: 'read this as: /threat queue mine', button: null },
    {
      typed: 'update nosuch certificate',
      expected: 'Press one of these',
      button: 'What waits',
    },
  ])(
    'is offered as lines that can be read, with everything that was typed: "$typed"',
    async ({ command = '/hc', typed, expected, button }) => {
      const { text, message } = await world.slack.member.command(command, typed)
      expect(text.replaceAll(/\s+/g, ' ')).toContain(expected)
      if (button !== null) expect(JSON.stringify(message?.blocks)).toContain(`"text":"${button}"`)
      expect(await world.service.requests('PUT')).toEqual([])
    },
  )

  it('is offered as buttons that can be told apart', async () => {
    const long = 'Production frontend of the web shop in the data center Frankfurt, rack 1, node'
    await using world = await startWorld({ checks: [{ name: `${long} green` }, { name: `${long} grey` }] })
    const { message } = await world.slack.member.command('/hc', `mute "${long} gren" 2h`, {
      channel: 'general',
    })
    const labels = [...JSON.stringify(message?.blocks).matchAll(/"text":"(\/hc mute [^}]*?)","emoji"/g)].map(
      ([, label]) => label,
    )
    expect(labels).toHaveLength(2)
    expect(new Set(labels).size).toBe(2)
  })

  it.each([
    ['mute web 2h --nonsense', true],
    ['list web --nonsense', false],
  ])('says that nothing was changed if its verb changes something: %s (%s)', async (typed, isChange) => {
    const { text } = await world.slack.member.command('/hc', typed)
    expect(text.includes('Nothing was changed.')).toBe(isChange)
  })

  it('gets no suggestion of a verb that the person may not use', async () => {
    await using closed = await startWorld({ checks: CHECKS, access: 'closed' })
    await using open = await startWorld({ checks: CHECKS, guests: 'can-view' })
    const lines = [
      'delte web',
      'delte web*',
      'edit web --custmer 1',
      'set web port 1',
      'lsit web',
      'env ote please',
      'addresses of web',
    ]
    for (const person of [closed.slack.member, open.slack.user('U0GUEST001')])
      for (const typed of lines) {
        const { message } = await person.command('/hc', typed)
        expect(JSON.stringify(message), typed).not.toMatch(
          /"value":"\/hc (?:delete|edit|create|env|help recipients)|This would change/,
        )
      }
  })

  it('has its person looked up in Slack only the first time in a minute', async () => {
    await using world = await startWorld()
    for (const typed of ['env ote now', 'env production now', 'env ote now'])
      expect((await world.slack.member.command('/hc', typed)).text).toContain('“now”')
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
    const countFailed = () => world.log.filter((line) => line.includes('A request failed.')).length
    const before = countFailed()
    for (const [fault, expected] of [
      [{ kind: 'error', error: 'internal_error' }, 'Slack is unreachable or failing.'],
      [{ kind: 'status', status: 503 }, 'Slack is unreachable or failing.\nTry again in a few minutes.'],
      [
        { kind: 'status', status: 429, retryAfter: 30 },
        'Slack is rate limiting Signalman.\nTry again in 30 seconds.',
      ],
    ] as const) {
      await world.slack.faults({ method: 'users.list', ...fault })
      expect((await world.slack.admin.command('/hc', 'audit @ann')).text).toContain(expected)
    }
    expect(countFailed() - before).toBe(3)
  })

  it('says when to retry if the service is rate limiting', async () => {
    for (const [seconds, expected] of [
      ['30', 'Try again in 30 seconds.'],
      ['3600', 'Try again in 60 minutes.'],
      ['90000', 'Try again in 25 hours.'],
    ] as const) {
      const headers = { 'retry-after': seconds }
      await world.service.faults({ path: CHECKS_PATH, kind: 'status', status: 429, headers })
      const { text } = await world.slack.member.command('/hc', `list ${seconds}`)
      expect(text).toContain(expected)
      expect(text).not.toContain('in a minute')
    }
  })

  it('in a form mentions the admins who can replace the token', async () => {
    await using world = await startWorld({ access: 'closed' })
    await giveRole(world, EVERYONE, 'operator')
    await giveRole(world, 'U0ADMIN001', 'admin')
    const { member } = world.slack
    await member.command('/hc', 'create --name web --target www.example.com --customer 1')
    const body = { errors: [{ code: 'UNAUTHORIZED', message: 'Unknown token.' }] }
    await world.service.faults({ path: CHECKS_PATH, kind: 'status', status: 401, body })
    const { text, view } = await member.submit({}, { until: /Reference|Nothing was changed/ })
    expect(text).toContain('Ask an admin to store a new one.')
    expect(toJson(view)).toContain('<@U0ADMIN001>')
  })
})
