import { describe, expect, it } from 'vitest'
import { startWorld, type World } from '../../world.ts'

const ROOT = '/healthcheck/v1/healthchecks'

describe('a person waiting for a command', () => {
  it('sees a placeholder, then the outcome', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web' }],
      serviceLimits: { timeouts: { headersMs: 1500, totalMs: 1500 } },
      answerTimes: { placeholderMs: 100 },
    })
    const { member } = world.slack
    await world.service.faults({ path: ROOT, kind: 'hang' })
    const first = await member.command('/hc', 'list')
    expect(first.text).toContain('Still working')
    const end = await member.see(/Reference: [0-9a-f]{10}/)
    expect(end).toContain('The service did not answer in time.')
  })

  it('sees the placeholder of a typed command replaced by the response', async () => {
    const listResponses = async ({ slack }: World) =>
      (await slack.deliveries('response_url')).map(({ request }) => JSON.stringify(request.body))
    await using quick = await startWorld()
    await quick.slack.member.command('/hc', 'list')
    await expect
      .poll(() => listResponses(quick))
      .toEqual([expect.stringContaining('"replace_original":false')])
    await using slow = await startWorld({ answerTimes: { placeholderMs: 100 } })
    await slow.service.faults({ path: ROOT, kind: 'hold' })
    await slow.slack.member.command('/hc', 'list', { until: 'Still working' })
    await slow.service.faults()
    await expect
      .poll(() => listResponses(slow))
      .toEqual([
        expect.stringContaining('"replace_original":false'),
        expect.stringContaining('"replace_original":true'),
      ])
  })

  it('sees a placeholder replace the old response, then the new response', async () => {
    await using world = await startWorld({ checks: [{ name: 'web' }], answerTimes: { placeholderMs: 100 } })
    const { member } = world.slack
    const { message } = await member.command('/hc', '', { until: 'No health check is down' })
    await world.service.faults({ path: ROOT, kind: 'hold' })
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
      answerTimes: { placeholderMs: 100 },
    })
    const { member } = world.slack
    const { message } = await member.command('/hc', '', { until: 'No health check is down' })
    await world.service.faults({ path: ROOT, kind: 'hang' })
    await member.click(message, 'Refresh', { until: 'Still working' })
    await member.see('did not answer in time')
    expect((await member.messages()).at(-1)?.ts).toBe(message?.ts)
  })

  const PEOPLE = 50

  it(`sees a placeholder and an outcome for each of ${PEOPLE} concurrent commands`, async () => {
    await using world = await startWorld({
      serviceLimits: { timeouts: { headersMs: 4000, totalMs: 4000 } },
      answerTimes: { placeholderMs: 1000 },
    })
    const { member } = world.slack
    await world.service.faults({ path: ROOT, kind: 'hang' })
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
  it.each([
    {
      typed: 'frobnicate',
      says: '/hc has no command “frobnicate”, and no health check has that name.',
      offers: 'Help',
    },
    { typed: 'Shop checkout', says: 'Did you mean “/hc show "Shop checkout"”?', offers: 'Run /hc show' },
    { typed: 'Shop chekcout', says: 'Did you mean “/hc show "Shop checkout"”?', offers: 'Run /hc show' },
    { typed: 'payments api', says: 'Did you mean “/hc show "payments api"”?', offers: 'Run /hc show' },
    { typed: 'nobody knows this', says: 'no health check is named “nobody knows this”.', offers: 'Help' },
    { typed: 'payments --api', says: 'has no command', offers: 'Help' },
    { typed: 'lsit', says: 'Did you mean “/hc list”?', offers: 'Run /hc list' },
    {
      typed: 'delte web --env ote',
      says: 'Did you mean “/hc delete web --env ote”?',
      offers: 'Run /hc delete',
    },
    { typed: 'delte web*', says: 'Did you mean “/hc delete web*”?', offers: 'Run /hc delete' },
    // An existing name takes precedence over a similar verb.
    { typed: 'mast', says: 'Did you mean “/hc show mast”?', offers: 'Run /hc show' },
    // Only existing names, and two at most.
    {
      typed: 'shwo staging',
      says: 'Did you mean “/hc show "staging api"” or “/hc show "staging web"”?',
      offers: 'Run /hc show \\"staging web\\"',
    },
    // A line for one health check never becomes a pattern for several.
    {
      typed: 'delte --name staging',
      says: 'Did you mean “/hc delete --name "staging api"” or “/hc delete --name "staging web"”?',
      offers: 'Run /hc delete --name \\"staging web\\"',
    },
  ])('gets suggestions: "$typed"', async ({ typed, says, offers }) => {
    await using world = await startWorld({ checks: CHECKS })
    const { text, message } = await world.slack.member.command('/hc', typed)
    expect(text).toContain(says)
    expect(text).not.toContain('Nothing was changed.')
    expect(JSON.stringify(message?.blocks)).toContain(`"text":"${offers}"`)
  })

  it.each([
    'did anything happen today',
    'is staging web up?',
    'who changed web',
    'notify me when web goes down',
    'end maintenance web*',
    'please delete web',
    'take web off everything',
  ])('gets no suggestions that would change anything if it reads like a sentence: "%s"', async (typed) => {
    await using world = await startWorld({ checks: CHECKS })
    const { message } = await world.slack.member.command('/hc', typed)
    const lines = [...JSON.stringify(message?.blocks).matchAll(/"value":"(\/[a-z-]+ ?[a-z-]*)/g)]
    for (const [, line] of lines)
      expect(['/hc help', '/hc show', '/hc alerts', '/hc audit', '/hc watches', '/threat take']).toContain(
        line,
      )
  })

  it('only opens a prefilled form if extra words follow a known verb: add bob to shop', async () => {
    await using world = await startWorld({ checks: CHECKS })
    const { view } = await world.slack.member.command('/hc', 'add bob to shop')
    expect(JSON.stringify(view)).toContain('"initial_value":"bob to shop"')
    expect(await world.service.requests('PUT')).toEqual([])
  })

  it.each(['delte web', 'delete web --custmer 1', 'lsit web', 'env ote please'])(
    'gets no suggestion of a verb that the person may not use: %s',
    async (typed) => {
      await using world = await startWorld({ checks: CHECKS, access: 'closed' })
      const { message } = await world.slack.member.command('/hc', typed)
      expect(JSON.stringify(message)).not.toMatch(/"value":"\/hc (?:delete|edit|create|env)/)
    },
  )

  it('gets suggestions that contain the typed check name even if the service is down', async () => {
    await using world = await startWorld({ checks: CHECKS })
    await world.service.faults({ path: ROOT, kind: 'status', status: 503 })
    expect((await world.slack.member.command('/hc', 'shwo nowhere')).text).toContain('“/hc show nowhere”')
  })

  it('is refused without suggestions if the person is from another workspace', async () => {
    await using world = await startWorld()
    const foreigner = world.slack.user('U0FOREIGN1')
    const [channel = ''] = Object.keys((await foreigner.state()).messages)
    const { text } = await foreigner.command('/hc', 'lsit', { channel })
    expect(text).toContain('only works for people of this workspace')
    expect(text).not.toContain('Did you mean')
  })
})

describe('a person’s permissions', () => {
  const labels = (shown: unknown): string => JSON.stringify(shown)

  it('determine which buttons they see on a card and in App Home', async () => {
    await using world = await startWorld({
      checks: [{ name: 'web', status: 'UNHEALTHY' }],
      guests: 'can-view',
    })
    const guest = world.slack.user('U0GUEST001')
    const card = await guest.command('/hc', 'show web')
    expect(labels(card.message)).toContain('"Details"')
    for (const label of ['"Edit"', '"Delete"']) expect(labels(card.message)).not.toContain(label)
    const { home } = await guest.openHome()
    for (const label of ['New health check', 'Replace token', 'Remove token', 'Order a certificate'])
      expect(labels(home)).not.toContain(label)
    expect(labels(await world.slack.member.command('/hc', 'show web'))).toContain('"Delete"')
  })

  it('don’t hide buttons on a card shared with the channel', async () => {
    await using world = await startWorld({ checks: [{ name: 'web' }], access: 'closed' })
    const { member } = world.slack
    const own = await member.command('/hc', 'show web')
    expect(labels(own.message)).not.toContain('"Edit"')
    const question = await member.click(own.message, 'Share to channel', { until: 'Guests can read' })
    await member.click(question.message, 'Share', {
      until: ({ messages }) => labels(messages).includes('Shared by'),
    })
    expect(labels((await member.messages()).find((one) => labels(one).includes('Shared by')))).toContain(
      '"Edit"',
    )
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

  it.each([
    [
      { kind: 'status', status: 429, retryAfter: 30 },
      'Slack is rate limiting Signalman.\nTry again in 30 seconds.',
    ],
    [{ kind: 'status', status: 503 }, 'Slack is unreachable or failing.\nTry again in a few minutes.'],
    [{ kind: 'error', error: 'internal_error' }, 'Slack is unreachable or failing.'],
  ] as const)('isn’t called an error of Signalman if it comes from Slack: %j', async (fault, says) => {
    await using world = await startWorld()
    await world.slack.faults({ method: 'users.list', ...fault })
    expect((await world.slack.admin.command('/hc', 'audit --by ann')).text).toContain(says)
    expect(world.log.join()).toContain('A request failed.')
  })

  it.each([
    { seconds: '30', says: 'Try again in 30 seconds.' },
    { seconds: '3600', says: 'Try again in 60 minutes.' },
    { seconds: '90000', says: 'Try again in 25 hours.' },
  ])('says when to retry if the service is rate limiting for $seconds s', async ({ seconds, says }) => {
    await using world = await startWorld()
    await world.service.faults({
      path: ROOT,
      kind: 'status',
      status: 429,
      headers: { 'retry-after': seconds },
    })
    const { text } = await world.slack.member.command('/hc', 'list')
    expect(text).toContain(says)
    expect(text).not.toContain('in a minute')
  })

  it('shown in a form names the admins who can fix the token', async () => {
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
    await world.service.faults({ path: ROOT, kind: 'status', status: 401, body: { errors: [] } })
    const { text, view } = await member.submit({}, { until: /Reference|Nothing was changed/ })
    expect(text).toContain('Ask an admin to store one.')
    expect(labels(view)).toContain('<@U0ADMIN001>')
  })
})

const labels = (shown: unknown): string => JSON.stringify(shown)

it.each([
  { line: '/hc whoami please', says: '/hc whoami doesn’t take “please”.' },
  { line: '/hc --env ote nope', says: '/hc doesn’t take “nope”.' },
  { line: '/hc env ote now', says: '/hc env doesn’t take “now”.' },
  { line: '/hc access-request operator please', says: '/hc access-request doesn’t take “please”.' },
  {
    line: '/threat take 7e57ed00-0000-4000-8000-00000000000a nope',
    says: '“nope” isn’t a threat event ID. /threat take takes one ID and no other words.',
  },
  { line: '/cert-order show 1 2', says: 'There is no order “1 2” in this workspace.' },
])('refuses words that the command doesn’t accept: $line', async ({ line, says }) => {
  await using world = await startWorld()
  const [command = '', ...words] = line.split(' ')
  expect((await world.slack.admin.command(command, words.join(' '))).text).toContain(says)
})
