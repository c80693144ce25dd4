import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../acts/act-kind.ts'
import { runVerb } from '../command-line.ts'
import { makeFolder } from '../databases/databases.ts'
import { findFreePort } from '../free-port.ts'
import { collectOutput, type RunningProcess } from '../process.ts'
import { bundleProgram } from '../program.ts'
import { LONG_SLACK_TIMEOUTS } from '../relaxed-limits.ts'
import { createBrowser } from '../slack-installation.ts'

const NOWHERE = 'http://127.0.0.1:9'
const SECRET = '0123456789abcdef'.repeat(2)

interface Start {
  cwd: string
  env?: Record<string, string>
  /** A command that runs the program, such as a shell that first sets limits. */
  prefix?: readonly string[]
}

/** Runs `signalman VERB` as if a person typed into its standard input. */
function start(verb: string, { cwd, env = {}, prefix = [] }: Start): RunningProcess {
  const program = bundleProgram('src/cli/signalman.ts')
  const [file = '', ...args] = [...prefix, process.execPath, ...program.args, verb]
  const variables = { PATH: process.env.PATH ?? '', PORT: '0', HOST: '127.0.0.1', ...program.env, ...env }
  return collectOutput(`signalman ${verb}`, spawn(file, args, { cwd, env: variables, stdio: 'pipe' }))
}

async function answer(
  program: RunningProcess,
  answers: readonly (readonly [question: RegExp, typed: string])[],
) {
  let from = 0
  for (const [question, typed] of answers) {
    const found = await program.waitFor(new RegExp(`^[\\s\\S]{${from}}[\\s\\S]*?${question.source}`))
    from = found[0].length
    program.child.stdin?.write(`${typed}\n`)
  }
}

/** Answers for HTTP, one workspace, and SQLite. No address is reachable, so each test of a value fails, and Enter keeps the value. */
const KEEP_ALL_VALUES = toInput([
  '2',
  '1',
  '1',
  'https://a.example.com',
  'xoxb-1',
  '',
  'shh',
  SECRET,
  NOWHERE,
  '',
  '',
])

function toInput(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

const listFiles = (folder: string): string[] => readdirSync(folder).toSorted()

it('asks for and tests each value, and writes a private .env that starts a working app', async () => {
  using folder = makeFolder()
  using elsewhere = makeFolder()
  await using sandbox = await startSandbox({ seed: false, checking: false })
  const manifestPath = join(elsewhere.path, 'manifest.json')
  writeFileSync(manifestPath, (await runVerb(['manifest', '--socket'])).stdout)
  await using playground = await startPlayground({
    signingSecret: 'S',
    manifestPath,
    limits: LONG_SLACK_TIMEOUTS,
  })
  const env = { SLACK_API_URL: playground.apiUrl }
  await using app = start('init', { cwd: folder.path, env })
  await answer(app, [
    [/How does Slack reach[\s\S]*\[1\]:/, 'sock'],
    [/Who is it for[\s\S]*\[1\]:/, '7'],
    [/Type a number from 1 to 2[\s\S]*\[1\]:/, '1'],
    [/Where should it store[\s\S]*\[1\]:/, ''],
    [/BOT_TOKEN:/, '\u0000rubbish \u202e'.repeat(3000)],
    [/FAIL {3}SLACK_BOT_TOKEN [\s\S]*BOT_TOKEN:/, 'xoxp-not-a-bots'],
    [/those start with xoxb-[\s\S]*BOT_TOKEN:/, 'xoxb-nobody'],
    [
      /refuses the bot token: invalid_auth[\s\S]*\[keep\]:/,
      `export SLACK_BOT_TOKEN="${playground.botToken}"`,
    ],
    [/The bot token works[\s\S]*APP_TOKEN:/, 'xapp-playground'],
    [/can open Socket Mode connections[\s\S]*API_BASE_URL:/, 'example.com'],
    [/isn’t a URL[\s\S]*API_BASE_URL:/, sandbox.productionUrl],
    [/It responds[\s\S]*API_TOKEN \(optional\):/, 'wrong'],
    [/It doesn’t accept the token[\s\S]*\[keep\]:/, sandbox.token],
  ])
  const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200)
  const { member } = createDriver(playground.url)
  await member.command('/hc', '', { until: 'There are no health checks' })
  expect(app.output()).not.toMatch(/xoxb-nobody|xoxp-|xapp-playground|\u202e/)
  expect(statSync(join(folder.path, '.env')).mode & 0o777).toBe(0o600)
  app.child.kill('SIGTERM')
  expect(await app.ended).toBe(0)
  await using restarted = start('serve', { cwd: folder.path, env })
  await restarted.waitFor(/Signalman is listening/)
  restarted.child.kill('SIGTERM')
  expect(await restarted.ended).toBe(0)
})

/** Starts a playground that creates the app from the link that `init` printed, or rejects the link like Slack would. */
async function startSlackFromLink(app: RunningProcess, port: number, appUrl: string) {
  using folder = makeFolder()
  const [, link = ''] = await app.waitFor(/(https:\/\/api\.slack\.com\/apps\?\S+)/)
  const manifestPath = join(folder.path, 'manifest.json')
  writeFileSync(manifestPath, new URL(link).searchParams.get('manifest_json') ?? '')
  return startPlayground({ port, appUrl, manifestPath, signingSecret: SECRET, limits: LONG_SLACK_TIMEOUTS })
}

/** Prepares an empty folder, a service, and ports for the app and the playground. */
async function startEmpty() {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder())
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const [appPort, slackPort] = [await findFreePort(), await findFreePort()]
  const url = `http://127.0.0.1:${appPort}`
  const env = { SLACK_API_URL: `http://127.0.0.1:${slackPort}/api/`, PORT: String(appPort) }
  const app = started.use(start('init', { cwd: folder.path, env }))
  const resources = started.move()
  return { app, url, slackPort, sandbox, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Answers the questions up to the printed link, and creates the app from it. */
async function answerUntilLink(
  { app, url, slackPort }: Awaited<ReturnType<typeof startEmpty>>,
  workspaces = 'one',
) {
  await answer(app, [
    [/How does Slack reach[\s\S]*\[1\]:/, 'http'],
    [/Who is it for[\s\S]*\[1\]:/, workspaces],
    [/Where should it store[\s\S]*\[1\]:/, ''],
    [/PUBLIC_URL:/, url],
  ])
  return startSlackFromLink(app, slackPort, url)
}

it('sets up an app that a workspace can install with OAuth from an empty folder', async () => {
  await using setup = await startEmpty()
  const { app, url, sandbox } = setup
  await using playground = await answerUntilLink(setup, 'many')
  await answer(app, [
    [/SLACK_CLIENT_ID:/, playground.clientId],
    [/SLACK_CLIENT_SECRET:/, playground.clientSecret],
    [/belong together[\s\S]*SIGNING_SECRET:/, SECRET],
    [/API_BASE_URL:/, sandbox.productionUrl],
  ])
  await app.waitFor(/Signalman is listening/)
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200)
  const installed = await createBrowser().install({ app: { url } }, 'T0WORKSHOP U0WSADMIN1')
  expect(await installed.text()).toContain('Signalman is installed')
  const admin = createDriver(playground.url).user('U0WSADMIN1')
  await admin.command('/hc', 'connect', UNTIL_FORM)
  await admin.submit({ Token: sandbox.token }, { until: /[Ss]tored/ })
  await admin.command('/hc', '', { until: 'There are no health checks' })
})

it('asks for the address again if the token shows that another one is needed', async () => {
  await using setup = await startEmpty()
  const { app, sandbox } = setup
  await using playground = await answerUntilLink(setup)
  await answer(app, [
    [/SLACK_BOT_TOKEN:/, playground.botToken],
    [/The bot token works[\s\S]*SIGNING_SECRET:/, SECRET],
    [/API_BASE_URL:/, `${sandbox.productionUrl}/elsewhere`],
    [/API_TOKEN \(optional\):/, sandbox.token],
    [/Fix API_BASE_URL[\s\S]*API_BASE_URL \[keep\]:/, sandbox.productionUrl],
  ])
  await app.waitFor(/accepts the token[\s\S]*Signalman is listening/)
  expect(app.output()).not.toContain('failed their test')
})

it('sets up HTTP with many workspaces, even if some values can’t be tested yet', async () => {
  using folder = makeFolder()
  await using app = start('init', { cwd: folder.path, env: { SLACK_API_URL: `${NOWHERE}/api/` } })
  const urls = ['http://a.example.com', 'https://a.example.com']
  const answers = ['http', 'many', 'post', ...urls, 'client', 'shh', SECRET]
  const database = ["postgres://u:it's@127.0.0.1:9/s", 'postgres://u:p&$@127.0.0.1:9/s', '']
  app.child.stdin?.end(toInput([...answers, NOWHERE, '', ...database, 'n']))
  expect(await app.ended).toBe(1)
  expect(app.output()).toContain('PUBLIC_URL doesn’t begin with https://')
  expect(app.output()).toContain('percent-encode it')
  const [, address = ''] = /(https:\/\/api\.slack\.com\/apps\S+)/.exec(app.output()) ?? []
  const manifest = JSON.parse(new URL(address).searchParams.get('manifest_json') ?? '')
  expect(manifest.settings.event_subscriptions.request_url).toBe('https://a.example.com/slack/events')
  expect(manifest.oauth_config.redirect_urls).toEqual(['https://a.example.com/slack/oauth_redirect'])
  const text = readFileSync(join(folder.path, '.env'), 'utf8')
  expect(text).toMatch(/^SLACK_STATE_SECRET=[\w-]{43}$/m)
  expect(text).toMatch(/^ENCRYPTION_KEYS=k1:[\w+/]{43}=$/m)
  expect(text).toMatch(/^DATABASE_URL='postgres:\/\/u:p&\$@127\.0\.0\.1:9\/s'$/m)
  // The error names the unreachable database, so the app has read the new .env.
  expect(app.output()).toMatch(/Written: \.env[\s\S]*127\.0\.0\.1:9/)
})

it.each([
  {
    when: 'nobody can answer',
    input: '',
    message: /input ended before all questions were answered\. Nothing was written\..*in a terminal/,
  },
  { when: 'the input ends halfway', input: '1\n1\n1\nxoxb-1\n', message: /Nothing was written/ },
  {
    when: 'the disk is full',
    input: KEEP_ALL_VALUES,
    prefix: ['sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"'],
    message: /\.env couldn’t be written \(EFBIG\)\. Nothing was changed/,
  },
])('reports the problem and leaves no files when $when', async ({ input, prefix = [], message }) => {
  using folder = makeFolder()
  const env = { SLACK_API_URL: `${NOWHERE}/api/` }
  await using app = start('init', { cwd: folder.path, prefix, env })
  app.child.stdin?.end(input)
  expect(await app.ended).toBe(1)
  expect(app.output()).toMatch(message)
  expect(app.output()).not.toContain('    at ')
  expect(listFiles(folder.path)).toEqual([])
})

it('never replaces a .env', async () => {
  using folder = makeFolder()
  const file = join(folder.path, '.env')
  writeFileSync(file, 'ENCRYPTION_KEYS=precious\n')
  await using app = start('init', { cwd: folder.path, env: { SLACK_API_URL: `${NOWHERE}/api/` } })
  app.child.stdin?.end(`yes\n${KEEP_ALL_VALUES}`)
  expect(await app.ended).toBe(1)
  expect(app.output()).toContain('already has a .env')
  expect(readFileSync(file, 'utf8')).toBe('ENCRYPTION_KEYS=precious\n')
  expect(listFiles(folder.path)).toEqual(['.env'])
})

it('reports a bad environment before it writes anything, and names what failed its test', async () => {
  using folder = makeFolder()
  const env = { SLACK_API_URL: `${NOWHERE}/api/`, COMMAND_PREFIX: 'x-' }
  await using refused = start('init', { cwd: folder.path, env: { ...env, PORT: 'none' } })
  refused.child.stdin?.end(KEEP_ALL_VALUES)
  expect(await refused.ended).toBe(1)
  expect(listFiles(folder.path)).toEqual([])
  await using app = start('init', { cwd: folder.path, env })
  app.child.stdin?.end(KEEP_ALL_VALUES)
  await app.waitFor(/x-hc connect[\s\S]*Signalman is listening/)
  app.child.kill('SIGTERM')
  expect(await app.ended).toBe(0)
  expect(readFileSync(join(folder.path, '.env'), 'utf8')).toContain(`SLACK_SIGNING_SECRET=${SECRET}\n`)
  expect(app.output()).toContain('These failed their test: SLACK_BOT_TOKEN, API_BASE_URL.')
  expect(app.output()).not.toContain('serve now runs the app')
})

it('neither asks for nor writes what the environment has, also in files', async () => {
  using folder = makeFolder()
  const keys = join(folder.path, 'keys')
  writeFileSync(keys, `k9:${Buffer.alloc(32, 9).toString('base64')}\n`)
  const env = {
    ...{ SLACK_API_URL: `${NOWHERE}/api/`, COMMAND_PREFIX: 'x-', ENCRYPTION_KEYS_FILE: keys },
    ...{
      DATABASE_URL: 'postgres://u:p@127.0.0.1:9/s',
      SLACK_BOT_TOKEN: 'xoxb-given',
      SLACK_SIGNING_SECRET: SECRET,
    },
  }
  await using app = start('init', { cwd: folder.path, env })
  app.child.stdin?.end(toInput(['https://a.example.com', NOWHERE, '', '', 'n']))
  expect(await app.ended).toBe(1)
  expect(readFileSync(join(folder.path, '.env'), 'utf8')).toBe(
    `COMMAND_PREFIX=x-\nPUBLIC_URL=https://a.example.com\nAPI_BASE_URL=${NOWHERE}\n`,
  )
  expect(app.output()).toContain('SLACK_BOT_TOKEN: set in the environment.')
  expect(app.output()).not.toMatch(
    /How does Slack|Who is it for|Where should it|Created an encryption key|xoxb-given/,
  )
  expect(app.output()).toMatch(/every start needs them: .*SLACK_BOT_TOKEN.*ENCRYPTION_KEYS/)
  // It has read all of them.
  expect(app.output()).toMatch(/Written: \.env[\s\S]*127\.0\.0\.1:9/)
})

it.skipIf(!existsSync('/usr/bin/script'))(
  'shows no secret in a terminal, ignores further lines of a paste, and stops on Ctrl+C',
  async () => {
    using folder = makeFolder()
    const prefix = ['sh', '-c', 'exec script -qefc "$(printf "%s " "$@")" /dev/null', 'sh']
    const env = { SLACK_API_URL: `${NOWHERE}/api/`, SHELL: '/bin/sh', TERM: 'dumb' }
    await using app = start('init', { cwd: folder.path, prefix, env })
    await answer(app, [
      [/\[1\]:/, '1'],
      [/\[1\]:/, '1'],
      [/\[1\]:/, '1'],
      [/BOT_TOKEN:/, 'xoxp-planted\rxoxb-planted'],
      [/those start with xoxb-[\s\S]*BOT_TOKEN:/, 'xoxb-other'],
      [/can’t be reached[\s\S]*\[keep\]:/, ''],
    ])
    await app.waitFor(/APP_TOKEN:/)
    app.child.stdin?.write('\u0003')
    expect(await app.ended).toBe(1)
    expect(app.output()).toContain('Nothing was written.')
    expect(app.output()).not.toMatch(/planted|xoxb-other/)
    expect(listFiles(folder.path)).toEqual([])
  },
)
