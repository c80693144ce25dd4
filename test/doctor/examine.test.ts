import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { examine } from '../../src/doctor/examine.ts'
import type { DoctorFinding } from '../../src/doctor/finding.ts'
import { examineReachability, postSigned } from '../../src/doctor/reachability.ts'
import { examineSocketMode } from '../../src/doctor/slack.ts'
import { EMPTY_DATABASES, KEY_B, makeFolder } from '../databases/databases.ts'
import { startSocketWorld, waitUntilReady } from '../slack/receive/socket/socket-world.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import {
  type Deployment,
  startAnsweringServer,
  startDeployment,
  startOtherServer,
  type Variables,
} from './deployment.ts'

const NOWHERE = 'http://127.0.0.1:10'

let deployment: Deployment
beforeAll(async () => {
  deployment = await startDeployment()
})
afterAll(() => deployment[Symbol.asyncDispose]())

const listFaults = (findings: readonly DoctorFinding[]): string[] =>
  findings
    .filter(({ state }) => state === 'fault')
    .map(({ part, message, fix }) => `${part}: ${message} → ${fix}`)

const withVariables = (variables: Variables): Variables => ({ ...deployment.variables, ...variables })

const findFaults = async (variables: Variables): Promise<string[]> =>
  listFaults(await examine({ environment: withVariables(variables) }))

it('finds no problems in a working deployment, and leaves nothing behind', async () => {
  const findings = await examine({ environment: deployment.variables })
  expect(listFaults(findings)).toEqual([])
  const parts = findings.filter(({ state }) => state === 'ok').map(({ part }) => part)
  for (const part of [
    ...['configuration', 'disk', 'database', 'keys', 'clock', 'slack token', 'slack token scopes'],
    ...['public address', 'running app', 'service production (API_TOKEN)'],
  ])
    expect(parts).toContain(part)
  expect(JSON.stringify(findings)).not.toMatch(/xoxb-|world-signing-secret/)
})

describe('the doctor’s findings and fixes', () => {
  it.each<{
    problems: string
    variables: Variables
    faults: readonly (readonly [message: RegExp, fix: RegExp])[]
  }>([
    {
      problems: 'wrong variables',
      variables: {
        ...{ SLACK_BOT_TOKEN: '', SLACK_BOT_TOKNE: 'x', PORT: 'eighty', API_OTE_TOKEN: 'x' },
        PUBLIC_URL: 'https://a.example.com/slack',
      },
      faults: [
        [/configuration: SLACK_BOT_TOKEN isn’t set/, /copy the Bot User OAuth Token/],
        [/configuration: SLACK_BOT_TOKNE isn’t a known variable/, /did you mean SLACK_BOT_TOKEN/],
        [/configuration: PORT isn’t a port/, /give a whole number from 0 to 65535/],
        [/configuration: API_OTE_TOKEN is set, but API_OTE_BASE_URL isn’t/, /set it, or remove/],
        [/configuration: PUBLIC_URL has a path/, /give the address without one/],
      ],
    },
    {
      problems: 'wrong secrets and tokens',
      variables: {
        ...{ SLACK_SIGNING_SECRET: 'f'.repeat(32), SLACK_BOT_TOKEN: 'xoxb-dead', API_TOKEN: 'revoked' },
      },
      faults: [
        [/signing secret: The running app refuses/, /Copy the Signing Secret/],
        [/slack token: Slack refuses the bot token: invalid_auth/, /copy the Bot User OAuth Token/],
        [/service production \(API_TOKEN\): It doesn’t accept the token/, /Set API_TOKEN/],
      ],
    },
    {
      problems: 'unreachable programs, and another key',
      variables: {
        ...{ SLACK_API_URL: `${NOWHERE}/api/`, PUBLIC_URL: NOWHERE, API_BASE_URL: NOWHERE },
        ENCRYPTION_KEYS: KEY_B,
      },
      faults: [
        [/slack: http:\/\/127.0.0.1:10 doesn’t answer \(ECONNREFUSED\)/, /Check whether it runs/],
        [/public address: .* doesn’t answer/, /Check whether it runs/],
        [/service production .* doesn’t answer/, /Check whether it runs/],
        [/keys: .*isn’t among the encryption keys/, /Set ENCRYPTION_KEYS/],
      ],
    },
    {
      problems: 'Socket Mode that is off, and a folder that isn’t writable',
      variables: { SLACK_APP_TOKEN: 'xapp-playground', DATABASE_URL: 'sqlite:/proc/none/a.db' },
      faults: [
        [/socket mode: Slack rejected it: socket_mode_disabled/, /Turn it on/],
        [/database: The database \/proc\/none\/a\.db is in a folder that doesn’t exist/, /DATABASE_URL/],
      ],
    },
    {
      problems: 'a wrong app token, and a missing database',
      variables: { SLACK_APP_TOKEN: 'xapp-other', DATABASE_URL: 'postgres://u:p@127.0.0.1:9/x' },
      faults: [
        [/socket mode: Slack rejected it: invalid_auth/, /Generate a new one/],
        [/database: PostgreSQL at 127.0.0.1:9 doesn’t answer/, /DATABASE_URL/],
      ],
    },
  ])('include each of several problems: $problems', async ({ variables, faults }) => {
    const found = await findFaults(variables)
    for (const [message, fix] of faults) {
      expect(found).toContainEqual(expect.stringMatching(message))
      expect(found.find((fault) => message.test(fault))).toMatch(fix)
    }
  })

  it.each([
    { status: 502 },
    { status: 301 },
    { status: 401 },
    { status: 401, 'www-authenticate': 'Basic' },
    { status: 403 },
    { status: 200 },
  ])(
    'report another program at the app’s address that responds with $status',
    async ({ status, ...headers }) => {
      await using other = await startOtherServer(status, headers)
      const config = readConfig(withVariables({ PUBLIC_URL: other.url }))
      const faults = listFaults(await examineReachability(config, () => new Date()))
      expect(faults).toContainEqual(
        expect.stringContaining(`responds with ${status}, but not as this app does`),
      )
    },
  )

  it.each([
    { status: 429, message: 'responds with 429. → It is rate limiting' },
    { status: 400, message: 'responds with 400. → If this isn’t the address' },
    { status: 503, message: 'responds with 503. → Something is wrong with the service. Wait' },
  ])('don’t blame a firewall if the service responds with $status', async ({ status, message }) => {
    await using other = await startOtherServer(status)
    const faults = await findFaults({ API_BASE_URL: other.url })
    expect(faults).toContainEqual(expect.stringContaining(message))
    expect(faults.join()).not.toMatch(/DNS|firewall/)
  })

  it.each([
    { secret: 'playground-client-secret', faults: [] },
    {
      secret: 'another',
      faults: [expect.stringContaining('slack client: Slack refuses SLACK_CLIENT_SECRET')],
    },
  ])('report a wrong client secret even before the app is installed: $secret', async ({ secret, faults }) => {
    const found = await findFaults({
      ...{ SLACK_BOT_TOKEN: '', API_TOKEN: '', SLACK_CLIENT_ID: 'playground-client' },
      ...{ SLACK_CLIENT_SECRET: secret, SLACK_STATE_SECRET: 'a-state-secret-of-thirty-two-signs' },
    })
    expect(found.filter((fault) => fault.startsWith('slack client'))).toEqual(faults)
  })

  it('report a login page in place of Slack', async () => {
    await using other = await startOtherServer(403)
    const faults = await findFaults({ SLACK_API_URL: `${other.url}/api/` })
    expect(faults).toContainEqual(expect.stringMatching(/slack token: Something other than Slack responds/))
  })

  it('don’t call an outage of Slack another program', async () => {
    await using slack = await startOtherServer(503)
    const faults = await findFaults({ SLACK_API_URL: `${slack.url}/api/` })
    for (const part of [`slack: ${slack.url}`, 'slack token: Slack'])
      expect(faults).toContain(
        `${part} responds with 503. → Look at slack-status.com. If Slack is fine, a proxy in between isn’t.`,
      )
  })

  it('report another program on the app’s port', async () => {
    await using other = await startOtherServer(200)
    const { port } = new URL(other.url)
    const faults = await findFaults({ PUBLIC_URL: '', PORT: port, SLACK_APP_TOKEN: 'xapp-1' })
    expect(faults.join()).toMatch(/running app: Something else is running/)
  })

  it.each([
    { host: '127.0.0.1', state: 'ok', message: 'It is ready.' },
    { host: '127.0.0.2', state: 'skipped', message: expect.stringContaining('http://127.0.0.2:') },
  ])('are based on the app’s own port, not the proxy: $host', async ({ host, ...expected }) => {
    // Like a proxy that forwards only /slack/.
    await using proxy = await startOtherServer(404)
    const findings = await examine({ environment: withVariables({ PUBLIC_URL: proxy.url, HOST: host }) })
    expect(findings).toContainEqual(expect.objectContaining({ part: 'running app', ...expected }))
  })

  it.each([
    {
      variables: { NODE_EXTRA_CA_CERTS: '/nowhere.pem' },
      message: /NODE_EXTRA_CA_CERTS: It’s in \.env, where/,
    },
  ])('say that the app can’t connect with $variables', async ({ variables, message }) => {
    expect((await findFaults({ PORT: '0', ...variables })).join()).toMatch(message)
  })

  it.each([
    { name: 'nowhere.pem', message: 'is in a folder that doesn’t exist' },
    { name: 'key.pem', message: 'has no certificate that can be read: give a PEM file' },
    { name: 'authority.pem', message: undefined },
  ])('name the file in NODE_EXTRA_CA_CERTS that Node ignores: $name', async ({ name, message }) => {
    using folder = makeFolder()
    writeFileSync(join(folder.path, 'key.pem'), KEY)
    writeFileSync(join(folder.path, 'authority.pem'), CERTIFICATE)
    const path = join(folder.path, message?.includes('folder') ? 'none/x.pem' : name)
    vi.stubEnv('NODE_EXTRA_CA_CERTS', path)
    const faults = await findFaults({ NODE_EXTRA_CA_CERTS: path })
    vi.unstubAllEnvs()
    expect(faults.filter((fault) => fault.startsWith('NODE_EXTRA_CA_CERTS'))).toEqual(
      message === undefined ? [] : [expect.stringContaining(`${path} ${message}`)],
    )
  })

  it('say that nothing was reached through a proxy', async () => {
    const findings = await examine({ environment: withVariables({ HTTPS_PROXY: 'http://proxy:3128' }) })
    expect(findings).toContainEqual(
      expect.objectContaining({
        state: 'advice',
        message: 'HTTPS_PROXY or HTTP_PROXY is set, but nothing was reached through it.',
      }),
    )
  })

  it('mention that stored tokens weren’t checked if the database can’t be opened', async () => {
    const findings = await examine({ environment: withVariables({ ENCRYPTION_KEYS: KEY_B, API_TOKEN: '' }) })
    expect(findings).toContainEqual(
      expect.objectContaining({
        part: 'service',
        state: 'skipped',
        message: expect.stringContaining('weren’t checked'),
      }),
    )
    expect(JSON.stringify(findings)).not.toContain('No workspace has')
  })

  it('report another program at the service’s address', async () => {
    const faults = await findFaults({ API_BASE_URL: deployment.world.playground.url })
    expect(faults).toContainEqual(expect.stringContaining('Fix API_BASE_URL'))
  })

  it.each([
    { seconds: 600, message: /(?:599|600|601) s ahead of Slack’s/ },
    { seconds: -600, message: /(?:599|600|601) s behind Slack’s/ },
  ])('report a clock that is off by $seconds s', async ({ seconds, message }) => {
    const now = () => new Date(Date.now() + seconds * 1000)
    const faults = listFaults(await examine({ environment: deployment.variables, now }))
    expect(faults.join()).toMatch(message)
    expect(faults.join()).toContain('timedatectl')
  })

  it('only warn about a wrong clock in Socket Mode, where Slack tolerates it', async () => {
    const now = () => new Date(Date.now() + 600_000)
    const environment = withVariables({ SLACK_APP_TOKEN: 'xapp-playground' })
    const findings = (await examine({ environment, now })).filter(({ part }) => part === 'clock')
    expect(findings).toMatchObject([{ state: 'advice', message: expect.stringContaining('audit log') }])
    expect(findings[0]?.message).not.toContain('refused')
  })

  it('report a login page in front of Slack that responds to everything with 200', async () => {
    await using page = await startAnsweringServer(() => '<html><body>Log in</body></html>')
    const environment = withVariables({ SLACK_API_URL: `${page.url}/api/` })
    const findings = await examine({ environment })
    expect(listFaults(findings)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^slack: Something other than Slack responds at .* → Check for a proxy/),
        expect.stringMatching(/^slack token: Something other than Slack responds/),
      ]),
    )
    expect(JSON.stringify(findings)).not.toMatch(/html|It matches Slack/)
  })
})

it('says that the signing secret is probably wrong once the app has refused every request, and not before', async () => {
  await using fresh = await startDeployment()
  const read = async () => {
    const findings = await examine({ environment: fresh.variables })
    return listFaults(findings).filter((fault) => fault.startsWith('signing secret'))
  }
  expect(await read()).toEqual([])
  // As Slack would with another secret than the app's.
  await postSigned(`${fresh.world.app.url}/slack/events`, 'another secret', '{}', new Date())
  expect(await read()).toEqual([
    expect.stringMatching(
      /refused 1 request with a bad signature, and has received none .* is probably wrong/,
    ),
  ])
  await fresh.world.slack.member.command('/hc', 'help')
  expect(await read()).toEqual([])
})

it.each([
  { elsewhere: 3, processes: 2, isReported: false },
  { elsewhere: 4, processes: 2, isReported: true },
  { elsewhere: 2, processes: 1, isReported: true },
  { elsewhere: 0, processes: 1, isReported: false },
  { elsewhere: 8, processes: undefined, isReported: false },
])(
  'reports $elsewhere sockets elsewhere beside $processes processes: $isReported',
  async ({ elsewhere, processes, isReported }) => {
    await using app = await startAnsweringServer((path) =>
      path === '/metrics' ? `\nsignalman_slack_sockets_elsewhere ${elsewhere}\n` : { status: 'ready' },
    )
    const config = readConfig(withVariables({ PORT: new URL(app.url).port, SLACK_APP_TOKEN: 'xapp-1' }))
    const findings = await examineReachability(config, () => new Date(), processes)
    expect(findings.some(({ message }) => message.includes(`Slack counted ${elsewhere} sockets`))).toBe(
      isReported,
    )
  },
)

it('reports a missing scope, and which feature is off without an optional one', async () => {
  await using poor = await startDeployment({ missingScopes: ['users:read', 'files:write'] })
  const findings = await examine({ environment: poor.variables })
  expect(listFaults(findings)).toEqual([
    expect.stringMatching(/lacks required scopes: users:read\. → Paste the output/),
  ])
  expect(findings).toContainEqual(
    expect.objectContaining({
      part: 'feature file-exports',
      state: 'advice',
      message: expect.stringContaining('files:write'),
    }),
  )
})

it.each(EMPTY_DATABASES)(
  'says that a database is empty, and not that its version is older: $name',
  async ({ start }) => {
    await using empty = await start()
    if (empty.url.startsWith('sqlite:')) new DatabaseSync(empty.url.slice('sqlite:'.length)).close()
    const environment = withVariables({ DATABASE_URL: empty.url, ENCRYPTION_KEYS: empty.keys })
    const findings = (await examine({ environment })).filter(({ part }) => part === 'database')
    expect(findings).toMatchObject([{ state: 'advice', message: 'It responds and is empty.' }])
  },
)

it('leaves a database from an older version unchanged, and rejects one from a newer version', async () => {
  await using old = await startDeployment()
  const environment = old.variables
  await old.world.app[Symbol.asyncDispose]()
  const open = () => new DatabaseSync(environment.DATABASE_URL?.slice('sqlite:'.length) ?? '')
  const countMigrations = () => {
    using raw = open()
    return raw.prepare('select name from migration order by name').all().length
  }
  const before = countMigrations()
  {
    using raw = open()
    raw.exec("delete from migration where name = '001-first'")
  }
  // What a start would do fails, as its tables are there already. It's tried, and rolled back.
  expect(listFaults(await examine({ environment })).join()).toMatch(
    /database: .*(?:already exists|ERR_SQLITE)/,
  )
  expect(countMigrations()).toBe(before - 1)
  {
    using raw = open()
    raw.exec("insert into migration values ('999-later', '2030-01-01')")
  }
  expect(listFaults(await examine({ environment })).join()).toContain(
    'written by a newer version of the program',
  )
})

it('reports that the host of Slack’s sockets can’t be reached, which is another one', async () => {
  await using slack = await startAnsweringServer(() => ({
    ok: true,
    url: 'wss://127.0.0.1:10/?ticket=secret',
  }))
  const finding = await examineSocketMode('xapp-1', `${slack.url}/api/`)
  expect(finding).toMatchObject({
    state: 'fault',
    message: '127.0.0.1:10 doesn’t answer (ECONNREFUSED).',
  })
})

it.each([
  { isRunning: true, message: 'The app token works, and the running app has an open socket.' },
  { isRunning: false, message: expect.stringContaining('can open Socket Mode connections') },
])(
  'opens a socket only if no app runs that Slack could send its requests to: $isRunning',
  async (expected) => {
    await using world = await startSocketWorld()
    await waitUntilReady(world)
    const { playground, sandbox, app } = world
    const findings = await examine({
      environment: {
        ...{ SLACK_BOT_TOKEN: playground.botToken, SLACK_APP_TOKEN: 'xapp-playground' },
        ...{
          SLACK_API_URL: playground.apiUrl,
          API_BASE_URL: sandbox.productionUrl,
          API_TOKEN: sandbox.token,
        },
        ...{
          DATABASE_URL: 'sqlite::memory:',
          HOST: '127.0.0.1',
          PORT: expected.isRunning ? new URL(app.url).port : '0',
        },
      },
    })
    expect(findings).toContainEqual(
      expect.objectContaining({ part: 'socket mode', state: 'ok', message: expected.message }),
    )
  },
)
