import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSocketAgent, fetchOnce, readProxies } from '../packages/runtime/src/proxy.ts'
import { tryToOpen } from '../packages/slack/src/receive/socket-mode.ts'
import { callMonitor } from '../src/app/call-monitor.ts'
import { openStore } from '../src/app/store.ts'
import { explain } from '../src/bot/request/explain.ts'
import { type DoctorFinding, unreachable } from '../src/doctor/finding.ts'
import { createService } from '../src/service/service.ts'
import { makeFolder } from './databases/databases.ts'
import { CERTIFICATE } from './doctor/certificate.ts'
import { runSignalman } from './process.ts'
import { OUTSIDE, startOutside, startProxy } from './proxied.ts'

const CHECK = '0b9f8c1e-3f0a-4d0e-9c55-0c9a5d1f7e11'

/** In a process of its own, because Node reads trusted certificates and the app reads proxies when they start. */
async function connectEverywhere(proxy: string): Promise<void> {
  using folder = makeFolder()
  const certificate = join(folder.path, 'ca.pem')
  writeFileSync(certificate, CERTIFICATE)
  const script = join(import.meta.dirname, 'proxied-child.ts')
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', script, OUTSIDE], {
    env: { PATH: process.env.PATH, HTTPS_PROXY: proxy, NODE_EXTRA_CA_CERTS: certificate },
    timeout: 60_000,
  })
}

const createDirectService = (address: string, connectMs = 10_000) =>
  createService({
    baseUrls: { production: address, ote: address },
    retry: { attempts: 1 },
    timeouts: { connectMs },
  })
const getChecks = (service: ReturnType<typeof createDirectService>) =>
  service.with({ environment: 'production', token: 't' }).healthChecks

describe('behind a proxy', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('the run for a real Slack goes through it, with its socket', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port, 'secret')
    using folder = makeFolder()
    const certificate = join(folder.path, 'ca.pem')
    writeFileSync(certificate, CERTIFICATE)
    const script = join(import.meta.dirname, 'real', 'try-slack.ts')
    const tokens = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', SLACK_API_URL: `${OUTSIDE}/api/` }
    const { stdout } = await promisify(execFile)(process.execPath, [script, 'C1'], {
      env: { ...tokens, PATH: process.env.PATH, HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: certificate },
      cwd: folder.path,
    }).catch((error: unknown) => error as { stdout: string })
    // That Slack says yes to everything, and nothing about the channel.
    expect(stdout).toBe('This channel isn’t private. Create a private one.\n')
    expect(outside.requests).toContain('socket')
    expect(new Set(proxy.tunnels)).toEqual(new Set(['db.example.com:443']))
  })

  it.each([{ password: undefined }, { password: 'a:b@c/%' }])(
    'every connection to Slack and the service goes through it (password: $password)',
    async ({ password }) => {
      await using outside = await startOutside()
      await using proxy = await startProxy(outside.port, password)
      await connectEverywhere(proxy.url)
      expect(new Set(proxy.tunnels)).toEqual(new Set(['db.example.com:443']))
      expect(new Set(outside.requests)).toEqual(
        new Set([
          'POST /api/auth.test',
          'POST /api/files.getUploadURLExternal',
          'POST /upload',
          'POST /api/files.completeUploadExternal',
          'POST /response',
          'GET /healthcheck/v1/healthchecks?limit=1',
          `DELETE /healthcheck/v1/healthchecks/${CHECK}`,
          'POST /api/apps.connections.open',
          'socket',
        ]),
      )
    },
  )

  it.each([
    { receive: { SLACK_SIGNING_SECRET: 'shh' }, request: '/slack/events' },
    { receive: { SLACK_APP_TOKEN: 'xapp-1' }, request: 'socket' },
  ])(
    'the doctor connects through it too, and says so without the password: $request',
    async ({ receive, request }) => {
      await using outside = await startOutside()
      await using proxy = await startProxy(outside.port, 'pass')
      using folder = makeFolder()
      const certificate = join(folder.path, 'ca.pem')
      writeFileSync(certificate, CERTIFICATE)
      writeFileSync(join(folder.path, '.env'), `HTTPS_PROXY=${proxy.url}\nPORT=0\nDATABASE_URL=sqlite:a.db\n`)
      await using doctor = runSignalman(['doctor', '--json'], {
        cwd: folder.path,
        env: {
          NODE_EXTRA_CA_CERTS: certificate,
          ...{ SLACK_API_URL: `${OUTSIDE}/api/`, SLACK_BOT_TOKEN: 'xoxb-1', ...receive },
          ...{ API_BASE_URL: OUTSIDE, API_TOKEN: 't', PUBLIC_URL: OUTSIDE },
        },
      })
      await doctor.ended
      expect(doctor.output()).not.toContain('pass@')
      expect(doctor.output()).toContain('proxy (for db.example.com:443)')
      for (const expected of ['/api/auth.test', '/api/api.test', '/healthcheck', request])
        expect(outside.requests).toContainEqual(expect.stringContaining(expected))
    },
  )

  it('a write that the proxy refuses was certainly not sent', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port, 'right')
    vi.stubEnv('HTTPS_PROXY', proxy.url.replace('right', 'wrong'))
    await using service = createDirectService(OUTSIDE)
    await expect(getChecks(service).delete(CHECK)).rejects.toMatchObject({
      kind: 'unavailable',
      mayHaveHappened: false,
    })
    expect(outside.requests).toEqual([])
  })

  it('one that says nothing is waited for no longer than any connection', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port)
    vi.stubEnv('HTTPS_PROXY', proxy.url)
    proxy.behave('silent')
    await using service = createDirectService(OUTSIDE, 200)
    const checks = getChecks(service)
    const reads = Array.from({ length: 40 }, () => checks.list({ limit: 1 }))
    const ends = await Promise.allSettled([...reads, checks.delete(CHECK)])
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true)
    proxy.behave('open')
    await checks.list({ limit: 1 })
    await checks.delete(CHECK)
  })

  it('this machine, and what NO_PROXY names, are reached directly', async () => {
    await using outside = await startOutside()
    await using proxy = await startProxy(outside.port)
    vi.stubEnv('HTTPS_PROXY', proxy.url)
    await using local = createDirectService(`https://localhost:${outside.port}`)
    await getChecks(local).list({ limit: 1 })
    vi.stubEnv('NO_PROXY', '*.internal, example.com')
    await using excepted = createDirectService(OUTSIDE)
    await expect(getChecks(excepted).list({ limit: 1 })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(proxy.tunnels).toEqual([])
  })

  it.each(['internal.test example.com', 'example.com', 'DB.example.com', '.example.com'])(
    'sockets are as direct as requests: NO_PROXY=%s',
    async (NO_PROXY) => {
      await using outside = await startOutside()
      await using proxy = await startProxy(outside.port)
      vi.stubEnv('HTTPS_PROXY', proxy.url)
      vi.stubEnv('NO_PROXY', NO_PROXY)
      const { host: hostname } = new URL(OUTSIDE)
      const socket = get({ hostname, agent: createSocketAgent() })
      await expect(once(socket, 'response')).rejects.toThrow(hostname)
      await expect(fetchOnce(OUTSIDE)).rejects.toThrow()
      expect(proxy.tunnels).toEqual([])
    },
  )

  it.each([
    { kind: 'has no name in DNS', code: /PROXY_ENOTFOUND/, says: 'the proxy can’t be found in DNS' },
    { kind: 'wants another password', code: /PROXY_407/, says: 'the proxy refuses it (407)' },
    {
      kind: 'refuses every host',
      behavior: 403 as const,
      code: /PROXY_403/,
      says: 'the proxy refuses it (403)',
    },
    {
      kind: 'is silent',
      behavior: 'silent' as const,
      code: /PROXY_\w*TIME/,
      says: 'the proxy doesn’t answer in time',
    },
    {
      kind: 'has an endless answer',
      behavior: 'endless' as const,
      code: /PROXY_\w*OVERFLOW/,
      says: 'the proxy doesn’t speak HTTP',
    },
    {
      kind: 'answers in small parts',
      // It ends by what comes, or on a slow machine by how long that takes.
      behavior: 'in small parts' as const,
      code: /PROXY_\w*OVERFLOW|HEADERS_TIMEOUT/,
      says: /the proxy doesn’t (?:speak HTTP|answer in time)/,
    },
  ])(
    'if it $kind, whoever connects says so, and not that the other side fails',
    async ({ kind, behavior, code, says }) => {
      await using outside = await startOutside()
      await using proxy = await startProxy(outside.port, 'right')
      if (behavior) proxy.behave(behavior)
      const HTTPS_PROXY =
        kind === 'has no name in DNS'
          ? 'http://nowhere.invalid'
          : kind === 'wants another password'
            ? proxy.url.replace('right', 'wrong')
            : proxy.url
      vi.stubEnv('HTTPS_PROXY', HTTPS_PROXY)
      using folder = makeFolder()
      const options = {
        cwd: folder.path,
        env: {
          ...{ HTTPS_PROXY, PORT: '0', DATABASE_URL: 'sqlite:a.db', HEARTBEAT_URL: `${OUTSIDE}/monitor` },
          ...{ SLACK_API_URL: `${OUTSIDE}/api/`, SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' },
          ...{ API_BASE_URL: OUTSIDE, API_TOKEN: 't' },
        },
      }
      await using service = createDirectService(OUTSIDE)
      await using serve = runSignalman(['serve'], options)
      await using doctor = runSignalman(['doctor', '--json'], options)
      const [read, socket, monitor] = await Promise.all([
        getChecks(service)
          .list({ limit: 1 })
          .catch((error: unknown) => explain(error).happened),
        tryToOpen(OUTSIDE.replace('https', 'wss')).catch(
          (error: unknown) => unreachable('socket mode', OUTSIDE, error).message,
        ),
        callMonitor(`${OUTSIDE}/monitor`),
        serve.waitFor(/Couldn’t open a socket to Slack/),
        doctor.ended,
      ])
      const { findings } = JSON.parse(doctor.output())
      const parts = ['slack', 'slack token', 'socket mode', 'service production (API_TOKEN)']
      const found = parts.map(
        (part) => findings.find((finding: DoctorFinding) => finding.part === part)?.message,
      )
      for (const sentence of [read, socket, ...found]) expect(sentence).toMatch(says)
      for (const text of [monitor, JSON.stringify(findings), serve.output()]) expect(text).toMatch(code)
      expect(`${doctor.output()}${serve.output()}`).not.toMatch(/right|wrong|ops/)
      expect(outside.requests).toEqual([])
    },
    60_000,
  )
})

it('reads the variables as other programs do', () => {
  const none = { httpProxy: '', httpsProxy: '', isWrong: false }
  expect(readProxies({})).toMatchObject(none)
  expect(readProxies({ HTTPS_PROXY: ' ' })).toMatchObject(none)
  expect(readProxies({ HTTP_PROXY: 'a:1' })).toMatchObject({
    httpProxy: 'http://a:1',
    httpsProxy: 'http://a:1',
  })
  expect(readProxies({ HTTPS_PROXY: 'http://a', https_proxy: 'http://b' }).httpsProxy).toBe('http://b')
  expect(readProxies({ HTTPS_PROXY: 'http://a', https_proxy: '' }).httpsProxy).toBe('http://a')
})

it.each(['proxy.example.com:3128', 'http://', 'http://u:p%zz@host', 'http://ops:secret@proxy:99999'])(
  'a backup can be made with any HTTPS_PROXY: %s',
  async (HTTPS_PROXY) => {
    using folder = makeFolder()
    const env = { HTTPS_PROXY, DATABASE_URL: 'sqlite:a.db' }
    await (await openStore({ url: `sqlite:${join(folder.path, 'a.db')}` }))[Symbol.asyncDispose]()
    await using backup = runSignalman(['backup', 'copy.db'], { cwd: folder.path, env })
    await backup.ended
    expect(backup.output()).toContain('copy.db')
    expect(backup.output()).not.toMatch(/secret|at parseURL|InvalidArgument/)
  },
)
